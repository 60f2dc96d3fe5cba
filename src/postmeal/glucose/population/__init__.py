"""The population model and the building blocks of glucose curves."""

"""Load data sets, and train and evaluate models."""

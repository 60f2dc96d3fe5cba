"""Write the text, tables and plots of the model card."""

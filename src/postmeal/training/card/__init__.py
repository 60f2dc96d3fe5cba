"""The model card: its text, tables and plots."""

"""What partners keep and ask for: users, diaries, predictions, foods. Nothing here knows HTTP."""

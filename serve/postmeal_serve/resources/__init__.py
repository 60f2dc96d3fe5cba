"""Resources of the API, independent of HTTP: users, diaries, predictions and foods."""

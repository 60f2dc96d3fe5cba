"""Worker processes, their listening socket and their connections."""

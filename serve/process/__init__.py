"""Worker processes, the listening socket and connections."""

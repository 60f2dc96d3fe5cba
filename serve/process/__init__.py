"""How the service runs: processes, the listening socket and connections."""

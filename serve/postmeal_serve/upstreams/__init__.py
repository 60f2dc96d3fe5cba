"""Clients of external services, all of which are disabled by default."""

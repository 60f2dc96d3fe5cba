"""Clients of external services; none is used unless a setting enables it."""

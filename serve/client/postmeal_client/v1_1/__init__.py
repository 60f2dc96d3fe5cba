# Written by serve/client/generate.py; do not edit.
"""Clients of version 1.1 of the API."""

from .client import AsyncClient, Client

__all__ = ["AsyncClient", "Client"]

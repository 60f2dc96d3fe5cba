"""The service: postmeal over HTTP, in two API versions. Start it with ``python -m serve``."""

"""Partners with their plans, API keys and client tokens."""

"""How much is left: requests, credits, calls a minute, calls in flight."""

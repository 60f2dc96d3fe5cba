"""Usage limits: requests, credits, requests per minute and requests in flight."""

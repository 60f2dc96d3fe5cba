"""Partners: who calls the service."""

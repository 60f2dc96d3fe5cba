"""One importer a publisher, and the command that joins them into the shipped table."""

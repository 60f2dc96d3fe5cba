"""Open Food Facts, from its CSV export and its JSONL dump."""

"""Open Food Facts, as its CSV export and as its JSONL dump."""

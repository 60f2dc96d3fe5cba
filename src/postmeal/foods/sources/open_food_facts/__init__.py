"""Importers for the CSV export and the JSONL dump of Open Food Facts."""

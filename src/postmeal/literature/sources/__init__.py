"""Importers of articles, one per format, and the collection that they write to."""

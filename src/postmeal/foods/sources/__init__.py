"""One importer a publisher."""

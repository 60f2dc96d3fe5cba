"""Train personal models for all users of a company, in chunks and on many workers."""

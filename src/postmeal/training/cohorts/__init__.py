"""Train personal models for all users of a company, in chunks that many workers process."""

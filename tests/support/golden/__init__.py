"""Golden pairs: predictions of the released model, pinned as JSON."""

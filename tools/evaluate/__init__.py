"""Evaluate meal texts, food search, labels, alternatives, corrections, chat and literature."""

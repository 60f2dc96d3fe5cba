"""Evaluation: the three protocols, the baselines and the challenger."""

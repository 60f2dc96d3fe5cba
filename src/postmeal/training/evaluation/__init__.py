"""Evaluation: the three protocols, LightGBM and simple baselines."""

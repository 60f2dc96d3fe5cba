"""Evaluate models with three protocols, and compare them with LightGBM and simple baselines."""

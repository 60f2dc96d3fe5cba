"""Evaluate models by three protocols, and compare them with LightGBM and simple baselines."""

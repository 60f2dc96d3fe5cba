"""MLflow runs and registry, and the promotion of models into service."""

"""Record runs and register models in MLflow, and promote models to a model store."""

"""Record runs and register models in MLflow, and promote models to a model store."""

from postmeal.training import check_extra

check_extra()

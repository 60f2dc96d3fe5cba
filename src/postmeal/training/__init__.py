"""Load data sets, and train and evaluate models."""

from importlib.util import find_spec

from postmeal.errors import MissingExtra

__all__ = ["check_extra"]


def check_extra() -> None:
    """Raise `MissingExtra` unless the packages of the extra ``train`` are installed."""
    for package in ("pandas", "sklearn", "scipy", "lightgbm", "joblib", "mlflow"):
        if find_spec(package) is None:
            raise MissingExtra(package, "train")

"""Prior and posterior of every coefficient of the population model."""

from __future__ import annotations

from postmeal.training.fit.arrays import observed_curves
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.release import TrainingData, meal_weights


def fitted_coefficients(data: TrainingData) -> dict[str, dict[str, float]]:
    """Fit the population model and return the prior and posterior of its coefficients."""
    table, person = data.table, data.table["person"].to_numpy()
    estimator = PostMealCurve(sensors=data.sensors)
    estimator.fit(table, observed_curves(table), meal_weights(table), person)
    return {
        name: {**one._asdict(), "is_prior": one.is_prior}
        for name, one in estimator.posterior_.items()
    }

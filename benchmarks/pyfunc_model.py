"""An MLflow model that uses postmeal to predict a table with one row per meal."""

from datetime import datetime
from typing import Any

import mlflow
import pandas as pd

from postmeal import Catalog, Meal, Predictor, Profile, Selection


class GlucoseModel(mlflow.pyfunc.PythonModel):
    def load_context(self, context: Any) -> None:
        self.catalog, self.predictor = Catalog.open(), Predictor.load()

    def predict(self, context: Any, model_input: pd.DataFrame, params: Any = None) -> list[Any]:
        return [self._prediction(row) for row in model_input.to_dict("records")]

    def _prediction(self, row: dict[str, Any]) -> dict[str, Any]:
        person = Profile.imperial(
            age=row["age"],
            sex=row["sex"],
            height_in=row["height_in"],
            weight_lb=row["weight_lb"],
            activity_level=row["activity_level"],
            health_conditions=row["health_conditions"],
        )
        foods = [self.catalog.food(food_id) for food_id in row["food_ids"]]
        selections = tuple(
            Selection(food, food.serving(serving_id), quantity)
            for food, serving_id, quantity in zip(
                foods, row["serving_ids"], row["quantities"], strict=True
            )
        )
        meal = Meal(selections, datetime.fromisoformat(row["start_time"]))
        prediction = self.predictor.predict(person, meal)
        return {
            "points": prediction.glucose_mg_dl,
            "impact_score": prediction.impact,
            "chart": [prediction.cgp_min, prediction.cgp_max],
        }


mlflow.models.set_model(GlucoseModel())

"""Personal models that differ from the population in different ways."""

from dataclasses import replace

import numpy as np
from golden.scenarios import PEOPLE

from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.predictor import Predictor

PREDICTOR = Predictor.load()


def _personal_model(values: dict) -> PersonalModel:
    known = values | {
        "base": PREDICTOR.version,
        "effects": tuple(map(tuple, values["effects"])),
        "shares": tuple(values["shares"]),
    }
    return PersonalModel(**known)


MODELS = [_personal_model(each) for each in PEOPLE.values()]


MODELS.append(replace(MODELS[0], shares=tuple(np.linspace(0, 1, 16)), drift_mg_dl=14.0))

"""Generate many synthetic users whose differences from the population model are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from postmeal.errors import InputError
from postmeal.glucose.population.features import MACRONUTRIENTS, Meals
from postmeal.glucose.population.states import STATES, State
from postmeal.glucose.predictor import Predictor

__all__ = ["SyntheticUsers", "synthetic_users", "write_synthetic_cohort"]

Array = NDArray[np.float64]

_INTERVAL_S = 900
_START_S = 1704067200.0
_EATEN_H = (7.5, 12.5, 16.5, 20.0)
_CHANCE = (0.95, 0.95, 0.5, 0.95)
_LEAST_G, _MOST_G = (10.0, 0.0, 2.0, 2.0), (110.0, 12.0, 40.0, 35.0)
_DIGESTED_MIN = np.arange(0.0, 241.0, 15.0)
_CONDITIONS: dict[State, list[str]] = {
    "normal": [],
    "prediabetes": ["prediabetes"],
    "type_2": ["type_2_diabetes"],
}
_KEEPS = 0.85  # correlation of successive disturbances, 15 minutes apart
_NOISE_MG_DL = 7.0
_SENSOR = "Libre"


class SyntheticUsers(NamedTuple):
    """Synthetic users, all with the same number of days.

    Attributes
    ----------
    state : ndarray of int of shape (n_users,)
        Position of the state of glucose regulation in `STATES`.
    shift_mg_dl : ndarray of shape (n_users,)
        Difference between the user's level and the level of the population model.
    gain : ndarray of shape (n_users,)
        Ratio of the user's rises to those of the population model.
    utc_s : ndarray of shape (n_readings,)
        Times of the readings in seconds since 1970, the same for all users. Local time is UTC.
    glucose_mg_dl : ndarray of shape (n_users, n_readings)
        Readings of a sensor of the family ``Libre``.
    meal_utc_s : ndarray of shape (n_users, n_meals)
        Times of the meals in seconds since 1970, NaN for skipped meals.
    macronutrients : ndarray of shape (n_users, n_meals, 4)
        Amounts of `MACRONUTRIENTS` in grams.
    """

    state: NDArray[np.intp]
    shift_mg_dl: Array
    gain: Array
    utc_s: Array
    glucose_mg_dl: Array
    meal_utc_s: Array
    macronutrients: Array


def synthetic_users(
    predictor: Predictor, n_users: int, n_days: int = 14, seed: int | Sequence[int] = 0
) -> SyntheticUsers:
    """Generate users who eat up to four meals a day.

    The blood glucose of a user is ``level + shift + gain × rises + noise``, where the level and the
    rises are those of the population model. The noise has a standard deviation of 7 mg/dL and a
    correlation of 0.85 between successive readings, which are 15 minutes apart.

    Parameters
    ----------
    predictor : Predictor
        The population model.
    n_users : int
        Number of users.
    n_days : int, default=14
        Number of days per user.
    seed : int or sequence of int, default=0
        Random seed. The same seed always generates the same users.

    Returns
    -------
    SyntheticUsers
        The users.

    Raises
    ------
    InputError
        `n_users` or `n_days` is below 1.

    Examples
    --------
    >>> users = synthetic_users(Predictor.load(), n_users=3, n_days=2)
    >>> users.glucose_mg_dl.shape, users.macronutrients.shape
    ((3, 192), (3, 8, 4))
    """
    for field, number in (("n_users", n_users), ("n_days", n_days)):
        if number < 1:
            raise InputError(field, "must be 1 or more", number)
    random = np.random.default_rng(seed)
    state = random.integers(len(_CONDITIONS), size=n_users)
    shift = random.normal(0, 12, n_users)
    gain = np.exp(random.normal(0, 0.35, n_users))
    after_s = (np.arange(n_days)[:, None] * 86400 + np.array(_EATEN_H) * 3600).ravel()
    shape = (n_users, len(after_s))
    meal_s = after_s + np.round(random.normal(0, 25, shape)) * 60
    macronutrients = np.round(random.uniform(_LEAST_G, _MOST_G, (*shape, 4)), 1)
    eats = random.random(shape) < np.tile(_CHANCE, n_days)
    meals = Meals(
        macronutrients.reshape(-1, 4), meal_s.ravel() % 86400 / 3600, np.repeat(state, shape[1])
    )
    rise = predictor.population.rise(meals, _DIGESTED_MIN).reshape(*shape, -1)
    rise *= (eats * gain[:, None])[..., None]
    n_readings = n_days * 86400 // _INTERVAL_S
    blood = np.array([predictor.level_mg_dl[one] for one in STATES])[state] + shift
    glucose = np.repeat(blood[:, None], n_readings, axis=1) + _noise(n_users, n_readings, random)
    everybody = np.arange(n_users)
    for meal in range(shape[1]):
        _add_rise(glucose, everybody, meal_s[:, meal], rise[:, meal])
    offset, sensor_gain = predictor.sensors[_SENSOR]
    return SyntheticUsers(
        state=state,
        shift_mg_dl=shift,
        gain=gain,
        utc_s=_START_S + _INTERVAL_S * np.arange(n_readings, dtype=np.float64),
        glucose_mg_dl=np.clip(np.round(offset + sensor_gain * glucose), 40.0, 400.0),
        meal_utc_s=np.where(eats, _START_S + meal_s, np.nan),
        macronutrients=macronutrients,
    )


def write_synthetic_cohort(
    folder: Path, n_users: int, *, n_days: int = 14, users_per_bucket: int = 500, seed: int = 0
) -> None:
    """Write synthetic users in the layout of `postmeal.training.cohorts.store`.

    Parameters
    ----------
    folder : Path
        Folder to create.
    n_users : int
        Number of users.
    n_days : int, default=14
        Number of days per user.
    users_per_bucket : int, default=500
        Number of users per bucket (folder of readings or meals).
    seed : int, default=0
        Random seed. The same seed and bucket size always generate the same users.
    """
    predictor = Predictor.load()
    people: list[dict[str, Any]] = []
    for bucket, first in enumerate(range(0, n_users, users_per_bucket)):
        names = [f"u{i:07d}" for i in range(first, min(first + users_per_bucket, n_users))]
        users = synthetic_users(predictor, len(names), n_days, [seed, bucket])
        _write(folder / f"readings/bucket={bucket:04d}", _readings(names, users))
        _write(folder / f"meals/bucket={bucket:04d}", _meals(names, users))
        people += [_person(name, STATES[at]) for name, at in zip(names, users.state, strict=True)]
    pq.write_table(pa.Table.from_pylist(people, _PEOPLE), folder / "people.parquet")


_PEOPLE = pa.schema(
    [
        ("user", pa.string()),
        ("age", pa.float64()),
        ("sex", pa.string()),
        ("height_cm", pa.float64()),
        ("weight_kg", pa.float64()),
        ("activity_level", pa.string()),
        ("health_conditions", pa.list_(pa.string())),
        ("sensor", pa.string()),
    ]
)


def _add_rise(glucose: Array, rows: NDArray[np.intp], meal_s: Array, rise: Array) -> None:
    """Add the rise after one meal of each user, of shape (n_users, n_times), in place."""
    first = np.ceil(meal_s / _INTERVAL_S).astype(int)
    late = (first * _INTERVAL_S - meal_s)[:, None] / _INTERVAL_S  # fraction of an interval
    read = (1 - late) * rise[:, :-1] + late * rise[:, 1:]
    at = first[:, None] + np.arange(read.shape[1])
    inside = at < glucose.shape[1]
    who = np.broadcast_to(rows[:, None], at.shape)
    glucose[who[inside], at[inside]] += read[inside]


def _noise(n_users: int, length: int, random: np.random.Generator) -> Array:
    noise = random.normal(0, _NOISE_MG_DL, (length, n_users))
    for at in range(1, length):
        noise[at] = _KEEPS * noise[at - 1] + np.sqrt(1 - _KEEPS**2) * noise[at]
    return noise.T


def _person(name: str, state: State) -> dict[str, Any]:
    body = {"age": 45.0, "sex": "female", "height_cm": 168.0, "weight_kg": 70.0}
    return {"user": name, **body, "health_conditions": _CONDITIONS[state], "sensor": _SENSOR}


def _readings(names: list[str], users: SyntheticUsers) -> Any:
    glucose = users.glucose_mg_dl
    who = np.repeat(np.arange(len(names)), glucose.shape[1])
    utc_s = np.tile(users.utc_s, len(names))
    return _table(names, who, utc_s, {"glucose_mg_dl": glucose.ravel()})


def _meals(names: list[str], users: SyntheticUsers) -> Any:
    who, meal = np.nonzero(~np.isnan(users.meal_utc_s))
    content = dict(zip(MACRONUTRIENTS, users.macronutrients[who, meal].T, strict=True))
    return _table(names, who, users.meal_utc_s[who, meal], content)


def _table(names: list[str], who: NDArray[np.intp], utc_s: Array, values: dict[str, Array]) -> Any:
    user = pa.DictionaryArray.from_arrays(who.astype(np.int32), names).cast(pa.string())
    offset = np.zeros(len(who), np.int32)
    return pa.table({"user": user, "utc_s": utc_s, "utc_offset_s": offset, **values})


def _write(folder: Path, table: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "part-0.parquet"
    pq.write_table(table, file, compression="zstd", write_page_checksum=True)

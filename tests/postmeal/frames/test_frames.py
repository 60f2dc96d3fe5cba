"""Tables of meals: the numbers and the messages of single predictions, row by row."""

import math
from dataclasses import replace
from datetime import date, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from personal_models import MODELS

from postmeal import InputError, Meal, ModelError, Predictor, Profile
from postmeal.frames import TIDY_COLUMNS, predict_frame
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.people import HEALTH_CONDITIONS

PREDICTOR = Predictor.load()
MORNING = datetime(2026, 5, 1, 8, 0)
PERSONAL = {
    "ann": MODELS[0],
    "bob": MODELS[1],
    "cy": replace(MODELS[0], personal_rmse_mg_dl=MODELS[0].population_rmse_mg_dl),
}
STANDARD = {"age": 40, "sex": "female", "height_cm": 170, "weight_kg": 70}


def frame_of(*rows):
    return pd.DataFrame([{"carbs_g": 40.0, "time": MORNING} | row for row in rows])


def single(row, minutes=None):
    """Predict one row by `Predictor.predict`; None counts as missing."""
    known = {key: value for key, value in row.items() if value is not None}
    profile = {key: known[key] for key in (*STANDARD, "activity_level") if key in known}
    conditions = known.get("health_conditions", ())
    if isinstance(conditions, str):
        conditions = tuple(conditions.split(","))
    return PREDICTOR.predict(
        Profile(**(STANDARD | profile), health_conditions=conditions),
        Meal.of_macros(time=row.get("time"), **{key: row.get(key) for key in MACRONUTRIENTS}),
        minutes=minutes,
        personal=PERSONAL.get(known.get("person")),
        **{key: known.get(key) for key in ("sensor", "start_mg_dl", "since_meal_h")},
    )


def assert_rows_are(found, expected):
    """Compare a tidy table with single predictions, to 1e-12 of each number."""
    n_times = len(expected[0].minutes)
    assert len(found) == n_times * len(expected)
    for column in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
        wanted = np.concatenate([getattr(one, column) for one in expected])
        assert found[column].to_numpy() == pytest.approx(wanted, rel=1e-12)
    meals = found.iloc[::n_times]
    for label in ("low", "medium", "high"):
        wanted = [one.impact_probabilities[label] for one in expected]
        assert meals[f"{label}_probability"].tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    for name in ("peak_140", "peak_180", "rise_30", "rise_50"):
        wanted = [getattr(one.chances, name) for one in expected]
        assert meals[f"{name}_probability"].tolist() == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    copied = ("impact", "cgp_min", "cgp_max", "is_personal", "impact_is_informative")
    for column in (*copied, "model_version"):
        assert meals[column].tolist() == [getattr(one, column) for one in expected]
    assert meals["notes"].tolist() == [" ".join(one.notes) for one in expected]


grams = st.none() | st.floats(0, 300)
rows = st.fixed_dictionaries(
    {
        "carbs_g": st.floats(0, 300),
        "time": st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)),
        "fiber_g": grams,
        "protein_g": grams,
        "fat_g": grams,
        "health_conditions": st.none() | st.sampled_from([*HEALTH_CONDITIONS, "lada,prediabetes"]),
        "age": st.none() | st.floats(1, 120),
        "sensor": st.sampled_from([None, "Dexcom G6", "FreeStyle Libre 3"]),
        "start_mg_dl": st.none() | st.floats(20, 600),
        "since_meal_h": st.none() | st.floats(0, 48),
        "person": st.sampled_from([None, *PERSONAL, "someone else"]),
    }
)
wrong = st.sampled_from(
    [
        *({"carbs_g": grams} for grams in (None, -1.0, 1000.5, math.inf, "30")),
        *({"fiber_g": grams} for grams in (-0.5, math.inf, "2")),
        {"protein_g": 4800.0},
        {"fat_g": 5000.5},
        *({"time": time} for time in (None, "2026-05-01 08:00", date(2026, 5, 1), 8.0)),
        *({"health_conditions": name} for name in ("diabetes", "none,lada", 3.0, ["lada", "x"])),
        *({"age": age} for age in (0.5, 200, "45")),
        {"sensor": "crystal ball"},
        *({"start_mg_dl": start} for start in (19.9, 601.0, math.inf)),
        {"since_meal_h": -0.1},
        {},
    ]
)
asked = st.none() | st.lists(st.floats(0, 240), min_size=1, max_size=5, unique=True).map(sorted)


@pytest.mark.reliability
@given(st.lists(rows, min_size=1, max_size=5), asked)
def test_a_table_gets_the_numbers_and_notes_that_each_row_gets_alone(several, minutes):
    frame = pd.DataFrame(several)
    found = predict_frame(frame, PREDICTOR, minutes=minutes, personal=PERSONAL)
    assert tuple(found.columns) == TIDY_COLUMNS
    assert_rows_are(found, [single(row, minutes) for row in several])


@pytest.mark.reliability
@given(st.lists(st.tuples(rows, st.one_of(st.just({}), wrong)), min_size=1, max_size=4))
def test_a_table_is_refused_with_the_message_of_its_first_wrong_row(changes):
    """What a single prediction refuses, and nothing else; the row's label comes first."""
    several = [row | change for row, change in changes]
    frame = pd.DataFrame(several, index=[f"meal {n}" for n in range(len(several))], dtype=object)
    expected = None
    for number, row in enumerate(several):
        try:
            single(row)
        except InputError as error:
            expected = f"row meal {number}: {error}"
            break
    if expected is None:
        found = predict_frame(frame, PREDICTOR, personal=PERSONAL)
        assert_rows_are(found, [single(row) for row in several])
    else:
        with pytest.raises(InputError) as refused:
            predict_frame(frame, PREDICTOR, personal=PERSONAL)
        assert str(refused.value) == expected
        assert refused.value.field.startswith("row meal ")


def test_rows_keep_the_labels_of_the_index():
    frame = frame_of({}, {}).set_index(pd.Index(["breakfast", "lunch"]))
    found = predict_frame(frame, minutes=[0, 60])
    assert found["row"].tolist() == ["breakfast", "breakfast", "lunch", "lunch"]
    assert found["minute"].tolist() == [0, 60, 0, 60]


def test_the_time_of_day_is_what_the_clock_of_the_eater_shows():
    local = pd.DatetimeIndex([MORNING]).tz_localize("America/New_York")
    plain = predict_frame(frame_of({}))
    for times in (local, local.astype(object), np.array([pd.Timestamp(MORNING)], dtype=object)):
        found = predict_frame(frame_of({}).assign(time=times))
        assert found["glucose_mg_dl"].tolist() == plain["glucose_mg_dl"].tolist()
    night = predict_frame(frame_of({"time": datetime(2026, 5, 1, 23, 30)}))
    assert night["glucose_mg_dl"].tolist() != plain["glucose_mg_dl"].tolist()


def test_missing_times_are_refused_in_every_kind_of_column():
    for times in (pd.to_datetime([MORNING, None]), [MORNING, None], [MORNING, pd.NaT]):
        frame = frame_of({}, {}).assign(time=pd.Series(times))
        with pytest.raises(InputError, match=r"^row 1: time must be a datetime, or .*, got None"):
            predict_frame(frame)


def test_whole_and_nullable_numbers_are_read():
    frame = frame_of({"fiber_g": 3}, {"fiber_g": None}).assign(carbs_g=[40, 40])
    nullable = frame.convert_dtypes()
    assert str(nullable["fiber_g"].dtype) == "Int64"
    found = [predict_frame(each) for each in (frame, nullable)]
    pd.testing.assert_frame_equal(*found)
    assert found[0]["notes"].str.contains("fiber_g").tolist() == [False] * 9 + [True] * 9


def test_truth_values_are_not_amounts():
    with pytest.raises(InputError, match=r"^row 0: carbs_g must be a number, got True"):
        predict_frame(frame_of({}).assign(carbs_g=[True]))
    with pytest.raises(InputError, match=r"^row 0: start_mg_dl must be a number, got '95'"):
        predict_frame(frame_of({"start_mg_dl": "95"}))


def test_columns_that_are_needed_are_named():
    with pytest.raises(InputError, match=r"^frame must have the columns carbs_g, time; missing"):
        predict_frame(pd.DataFrame({"carbs_g": [30.0]}))
    with pytest.raises(InputError, match=r"^frame must have the column 'person'"):
        predict_frame(frame_of({}), personal=PERSONAL)


def test_a_model_of_another_population_is_refused_by_its_person():
    other = {"ann": replace(MODELS[0], base="population-0")}
    with pytest.raises(
        ModelError, match=r"^personal\['ann'\] cannot be used: .* was trained on population-0"
    ):
        predict_frame(frame_of({"person": "ann"}), personal=other)


def test_the_table_that_is_given_is_not_changed():
    frame = frame_of({"fiber_g": None, "person": "ann"}, {"fiber_g": 2.0, "person": None})
    before = frame.copy(deep=True)
    predict_frame(frame, personal=PERSONAL)
    pd.testing.assert_frame_equal(frame, before)


def test_an_empty_table_gives_an_empty_one():
    found = predict_frame(frame_of({}).iloc[:0])
    assert len(found) == 0
    assert tuple(found.columns) == TIDY_COLUMNS

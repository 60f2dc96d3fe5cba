"""A personal model: its state in bytes, and what it changes in a prediction."""

import json
import pickle
import random
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_people import FIRST_DAY, PREDICTOR, meal, meals_of, someone
from synthetic_wearer import Wearer

from postmeal.errors import InputError, ModelError
from postmeal.glucose.person.inputs import InputUsed
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_to_meals
from postmeal.glucose.population.curve import GRID_MIN
from postmeal.glucose.population.impact import IMPACTS
from postmeal.training.fit.later_days import later_meals
from postmeal.training.fit.person_history import PersonHistory

LUNCH = meal((60.0, 5.0, 15.0, 12.0), hour=12.5, day=FIRST_DAY + 8)
NOT_BETTER = (
    "The personal model was not more accurate on held-out days; the population model was used."
)


def model_of(seed=0, sensor="Libre", state="normal", n_days=7, **traits):
    found = meals_of(seed, n_days=n_days, state=state, **traits)
    return fit_to_meals(PREDICTOR, found, state, sensor, n_days)


MODEL = model_of(level_mg_dl=15.0, gain=1.3)
MODELS = [
    replace(
        model_of(seed, level_mg_dl=5.0 * seed - 20, gain=0.6 + 0.2 * seed),
        population_rmse_mg_dl=99.0,
    )
    for seed in range(8)
]


@pytest.mark.parametrize("n_days", [5, 14, 60])
def test_the_state_has_at_most_two_kilobytes_and_comes_back_exactly(n_days):
    model = model_of(n_days, n_days=n_days, level_mg_dl=-11.0, gain=1.4)
    content = model.to_bytes()
    assert len(content) <= 2048
    back = PersonalModel.from_bytes(content)
    assert back == model
    assert back.to_bytes() == content
    one, two = (PREDICTOR.predict(someone(), LUNCH, personal=each) for each in (model, back))
    assert one == two


def test_even_the_longest_numbers_fit_into_two_kilobytes():
    effects = ((-1.2345e-05,) * 36,) * 3 + ((-1.2345e-05,) * 14 + (0.0,) * 22,)
    assert len(replace(MODEL, effects=effects).to_bytes()) <= 2048


def test_any_flipped_byte_is_refused():
    """Rows 472 and 473, S11: every byte of the first line, and 200 of 200 anywhere."""
    content, chance = MODEL.to_bytes(), random.Random(472)
    places = [*range(content.index(b"\n") + 1), *chance.choices(range(len(content)), k=200)]
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << chance.randrange(8)
        with pytest.raises(ModelError, match=r"altered|format version|UTF-8"):
            PersonalModel.from_bytes(bytes(flipped))


def test_a_state_that_was_cut_or_lengthened_is_refused():
    content = MODEL.to_bytes()
    for damaged in (*(content[:end] for end in range(0, len(content), 7)), content + b" "):
        with pytest.raises(ModelError):
            PersonalModel.from_bytes(damaged)


@pytest.mark.parametrize("body", ["{}", "[]", "null", "{", '{"effects": 1}', '{"effects": []}'])
def test_a_state_of_another_content_is_refused_even_with_the_right_hash(body):
    head = f"postmeal-personal 1 {sha256(body.encode()).hexdigest()}\n"
    with pytest.raises(ModelError, match="incomplete"):
        PersonalModel.from_bytes((head + body).encode())


class _Planted:
    """What runs, where it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return Path.touch, (self.file,)


def test_a_pickle_in_place_of_a_state_is_refused_and_never_runs(tmp_path):
    """S11."""
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        planted = pickle.dumps(_Planted(tmp_path / "ran"), protocol)
        for content in (planted, MODEL.to_bytes().split(b"\n")[0] + b"\n" + planted):
            with pytest.raises(ModelError):
                PersonalModel.from_bytes(content)
    assert not (tmp_path / "ran").exists()
    pickle.loads(planted)
    assert (tmp_path / "ran").exists()


def test_no_reading_and_no_meal_is_in_the_state():
    found = meals_of(3)
    values = json.loads(
        fit_to_meals(PREDICTOR, found, "normal", None, 7).to_bytes().split(b"\n")[1]
    )
    numbers = {round(float(one), 3) for row in values["effects"] for one in row}
    told = {*np.round(found.glucose_mg_dl.ravel(), 3), *np.round(found.macronutrients.ravel(), 3)}
    assert not numbers & told


def test_a_model_that_does_not_help_leaves_the_populations_numbers_and_says_so():
    """Whoever is the population, or was predicted worse on days left out."""
    worse = replace(MODEL, personal_rmse_mg_dl=MODEL.population_rmse_mg_dl)
    refused = PREDICTOR.predict(someone(), LUNCH, personal=worse, since_meal_h=2.0)
    plain = PREDICTOR.predict(someone(), LUNCH, sensor=worse.sensor, since_meal_h=2.0)
    assert refused.notes == (NOT_BETTER,)
    assert replace(refused, notes=(), inputs_used=plain.inputs_used) == plain
    assert InputUsed("personal", used=False) in refused.inputs_used
    assert not refused.is_personal
    served = PREDICTOR.predict(someone(), LUNCH, personal=MODEL, since_meal_h=2.0)
    assert (served.is_personal, served.notes) == (True, ())
    assert served.model_version == f"{PREDICTOR.version} personal"
    assert served.glucose_mg_dl != plain.glucose_mg_dl


def test_a_model_that_does_not_help_leaves_the_state_that_the_profile_says_now():
    worse = replace(MODEL, personal_rmse_mg_dl=MODEL.population_rmse_mg_dl)
    now = PREDICTOR.predict(someone("type_2"), LUNCH, personal=worse)
    plain = PREDICTOR.predict(someone("type_2"), LUNCH, sensor=worse.sensor)
    assert now.glucose_mg_dl == plain.glucose_mg_dl


def test_people_who_are_the_population_mostly_keep_its_curve():
    models = [model_of(seed, noise_mg_dl=12.0, n_days=5) for seed in range(120)]
    assert sum(one.is_better for one in models) < 60
    different = [model_of(seed, level_mg_dl=25.0, n_days=5) for seed in range(30)]
    assert all(one.is_better for one in different)


def test_a_model_of_another_population_model_is_refused():
    with pytest.raises(
        ModelError, match=f"was trained on population-0, not on {PREDICTOR.version}; retrain it"
    ):
        PREDICTOR.predict(someone(), LUNCH, personal=replace(MODEL, base="population-0"))


@given(st.sampled_from(MODELS), st.floats(40, 400), st.one_of(st.none(), st.floats(0, 24)))
def test_the_curve_starts_at_the_glucose_that_was_read(model, start, since):
    """Row 464: within 40 and 400, and a reading is not taken for the truth."""
    for personal in (None, model):
        found = PREDICTOR.predict(
            someone(), LUNCH, personal=personal, start_mg_dl=start, since_meal_h=since
        )
        assert found.glucose_mg_dl[0] == start
        assert found.lower_mg_dl[0] < start or start == 40
        assert found.upper_mg_dl[0] > start or start == 400
        for values in (found.glucose_mg_dl, found.lower_mg_dl, found.upper_mg_dl):
            assert len(values) == 9
            assert all(40 <= one <= 400 for one in values)


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), 19.9, 600.1, -5.0])
def test_a_start_that_nobody_has_is_refused(wrong):
    with pytest.raises(InputError, match="start_mg_dl must be 20 to 600 mg/dL"):
        PREDICTOR.predict(someone(), LUNCH, personal=MODEL, start_mg_dl=wrong)


@pytest.mark.parametrize("wrong", [float("nan"), -0.1, float("-inf")])
def test_a_meal_before_that_comes_later_is_refused(wrong):
    with pytest.raises(InputError, match="since_meal_h must be 0 or more"):
        PREDICTOR.predict(someone(), LUNCH, personal=MODEL, since_meal_h=wrong)


def test_a_reading_at_the_first_bite_narrows_the_band():
    for personal in (None, MODEL):
        read, unread = (
            PREDICTOR.predict(someone(), LUNCH, personal=personal, start_mg_dl=start)
            for start in (110.0, None)
        )
        width = [one.upper_mg_dl[1] - one.lower_mg_dl[1] for one in (read, unread)]
        assert width[0] < 0.9 * width[1]


def test_a_model_is_that_of_the_state_of_its_training():
    own = replace(model_of(state="type_2", level_mg_dl=20.0), population_rmse_mg_dl=99.0)
    now, then = (
        PREDICTOR.predict(someone(state), LUNCH, personal=own) for state in ("normal", "type_2")
    )
    assert now.glucose_mg_dl == then.glucose_mg_dl


def test_what_is_high_tends_to_come_down():
    low, high = (
        PREDICTOR.predict(someone(), LUNCH, personal=MODEL, start_mg_dl=start)
        for start in (90.0, 150.0)
    )
    assert high.glucose_mg_dl[-1] > low.glucose_mg_dl[-1]
    assert high.glucose_mg_dl[-1] - 150 < low.glucose_mg_dl[-1] - 90


@given(
    st.sampled_from(MODELS),
    st.tuples(*[st.floats(0, 60)] * 4),
    st.tuples(*[st.floats(0, 60)] * 4),
    st.floats(0, 23.9),
    st.one_of(st.none(), st.floats(50, 300)),
)
def test_the_label_never_falls_when_the_whole_curve_rises(model, some, more, hour, start):
    """Row 465, with the person's own model."""
    pair = [some, tuple(a + b for a, b in zip(some, more, strict=True))]
    one, two = (
        PREDICTOR.predict(someone(), meal(each, hour), personal=model, start_mg_dl=start)
        for each in pair
    )
    if all(a <= b for a, b in zip(one.glucose_mg_dl, two.glucose_mg_dl, strict=True)):
        assert IMPACTS.index(one.impact) <= IMPACTS.index(two.impact)
    if all(a >= b for a, b in zip(one.glucose_mg_dl, two.glucose_mg_dl, strict=True)):
        assert IMPACTS.index(one.impact) >= IMPACTS.index(two.impact)


def test_the_range_is_the_persons_own_and_the_same_for_every_meal_unless_widened():
    """Row 466, row 274."""
    for model in MODELS:
        ranges = set()
        for carbs in (0.0, 10.0, 40.0, 80.0, 150.0, 300.0):
            found = PREDICTOR.predict(someone(), meal((carbs, 0, 0, 0)), personal=model)
            low, high = min(found.glucose_mg_dl), max(found.glucose_mg_dl)
            assert found.cgp_min <= low <= high <= found.cgp_max
            if model.low_mg_dl <= low and high <= model.high_mg_dl:
                ranges.add((found.cgp_min, found.cgp_max))
        assert ranges == {(np.floor(model.low_mg_dl), np.ceil(model.high_mg_dl))}
    assert len({(one.low_mg_dl, one.high_mg_dl) for one in MODELS}) == len(MODELS)


@given(
    st.sampled_from([None, *MODELS]),
    st.sets(st.floats(0, 240), max_size=6),
    st.one_of(st.none(), st.floats(50, 300)),
)
def test_other_minutes_agree_with_the_grid_where_they_meet(model, others, start):
    known = {"personal": model, "start_mg_dl": start}
    grid = PREDICTOR.predict(someone(), LUNCH, **known)
    minutes = sorted({*map(float, GRID_MIN), *others})
    fine = PREDICTOR.predict(someone(), LUNCH, minutes=minutes, **known)
    shared = [minutes.index(one) for one in GRID_MIN]
    for name in ("glucose_mg_dl", "lower_mg_dl", "upper_mg_dl"):
        values = getattr(fine, name)
        assert [values[at] for at in shared] == pytest.approx(list(getattr(grid, name)), abs=1e-9)
    assert (fine.impact, fine.impact_probabilities) == (grid.impact, grid.impact_probabilities)


def test_one_meal_is_predicted_as_many_meals_are(catalog):
    """`Predictor.predict`, in plain floats, equals the arrays of the evaluation to 1e-9."""
    one = Wearer(catalog, PREDICTOR, rise=1.5, level_mg_dl=118.0, days=9, noise_mg_dl=4.0, seed=5)
    history = PersonHistory("tests", "one", "Libre", "prediabetes", one.trace, one.meal_history)
    (later,) = later_meals(PREDICTOR, [history], 5)
    own = replace(later.personal, population_rmse_mg_dl=99.0)
    assert min(own.shares) >= 0
    assert len(later.meals.utc_s) >= 9
    for row, macronutrients in enumerate(later.meals.macronutrients):
        local_s = later.meals.local_s[row]
        eaten = meal(macronutrients, local_s % 86400 / 3600, local_s // 86400)
        since = float(later.meals.since_meal_h[row])
        known = {"personal": own, "since_meal_h": since}
        curve = PREDICTOR.predict(one.profile, eaten, **known).glucose_mg_dl
        assert curve == pytest.approx(later.personal_mg_dl[row].tolist(), abs=1e-9)
        plain = PREDICTOR.predict(
            one.profile, eaten, sensor="Libre", since_meal_h=since
        ).glucose_mg_dl
        assert plain == pytest.approx(later.population_mg_dl[row].tolist(), abs=1e-9)


def test_the_drift_of_the_last_days_fades():
    model = replace(MODEL, drift_mg_dl=10.0, last_day=FIRST_DAY)
    no_mean = replace(model, effects=(*model.effects[:3], (0.0,) * 36))
    drift = [no_mean.drift_on(FIRST_DAY + days) for days in (-3, 0, 1, 10, 14, 15, 400)]
    assert drift[:2] == [10.0, 10.0]
    assert all(later < earlier for earlier, later in pairwise(drift[1:-1]))
    assert drift[3] == pytest.approx(10 / np.e)
    assert drift[-2:] == [0.0, 0.0]
    on_day = [
        PREDICTOR.predict(someone(), meal((50, 5, 9, 9), day=day), personal=no_mean).glucose_mg_dl[
            0
        ]
        for day in (FIRST_DAY, FIRST_DAY + 10, FIRST_DAY + 400)
    ]
    gain = PREDICTOR.sensors["Libre"].gain
    assert on_day[0] - on_day[2] == pytest.approx(gain * 10)
    assert on_day[1] - on_day[2] == pytest.approx(gain * 10 / np.e)


def test_without_a_meal_log_an_average_time_since_the_last_meal_is_taken():
    unknown = PREDICTOR.predict(someone(), LUNCH, personal=MODEL)
    average = PREDICTOR.predict(
        someone(), LUNCH, personal=MODEL, since_meal_h=-1.5 * float(np.log(0.15))
    )
    assert average.glucose_mg_dl == pytest.approx(unknown.glucose_mg_dl, abs=1e-9)

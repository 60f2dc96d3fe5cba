"""Every model that postmeal is compared with has the inputs of the row it is compared with."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from postmeal.assets import asset
from postmeal.glucose.population.curve import iauc_mg_dl_min
from postmeal.glucose.population.features import MACRONUTRIENTS
from postmeal.glucose.predictor import Predictor
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS, meals_table
from postmeal.training.evaluation.baselines import LinearCurve
from postmeal.training.evaluation.forward_in_time import forward_in_time
from postmeal.training.evaluation.known_people import Known, known_meals
from postmeal.training.evaluation.later_predictions import later_table, meal_rows
from postmeal.training.evaluation.left_out_and_unseen import fit_peers
from postmeal.training.evaluation.lightgbm_challenger import BoostedCurve, BoostedFromKnown
from postmeal.training.evaluation.rivals_that_know import KnowingRival
from postmeal.training.evaluation.rungs import REFIT, RUNGS, compare_rungs, correlation_difference
from postmeal.training.evaluation.tuning import tuned
from postmeal.training.fit.arrays import INPUT_COLUMNS, OPTIONAL_COLUMNS, meals_of, observed_curves
from postmeal.training.fit.estimator import BloodCurve
from postmeal.training.fit.later_days import cases_of, later_meals
from postmeal.training.fit.person_history import histories
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.release import TrainingData
from postmeal.training.synthetic.cohort import synthetic_cohort

CHANGES = {
    "carbs_g": (20.0, 90.0),
    "weighted_carbs_g": (20.0, 90.0),
    "fiber_g": (0.0, 30.0),
    "protein_g": (0.0, 60.0),
    "fat_g": (0.0, 60.0),
    "meal_time": ("2026-01-05T08:00", "2026-01-05T13:00"),
    "condition": ("normal", "type_2"),
    "since_meal_h": (0.5, 8.0),
}
"""Two values of every input of the formula."""

NOT_OF_THE_RISE = {"sensor", "reported_condition"}
"""These change the level and the readings, in the same way for all models."""

COMPARED = ("condition", "cgm-24h,reading", f"meals-5d,reading{REFIT}")

SHAPE = np.array([0.0, 0.4, 0.8, 1.0, 0.9, 0.7, 0.5, 0.3, 0.1])


@pytest.fixture(scope="module")
def table():
    return meals_table(synthetic_cohort(n_people=12, n_days=6))


@pytest.fixture(scope="module")
def people():
    cohort = synthetic_cohort(n_people=6, n_days=8)
    return list(histories(replace(cohort, readings=cohort.readings.assign(sensor="Libre"))))


@pytest.fixture(scope="module")
def later(people):
    return later_meals(Predictor.load(), people)


def with_value(table, column, value):
    """Return the meals with one input changed; unweighted carbohydrate only if it is the input."""
    changed = table.drop(columns="weighted_carbs_g") if column == "carbs_g" else table
    if column == "meal_time":
        return changed.assign(meal_time=np.datetime64(value, "ns"))
    return changed.assign(**{column: value})


def test_every_input_of_a_model_is_tried_here():
    assert {*INPUT_COLUMNS, *OPTIONAL_COLUMNS} == {*CHANGES} | NOT_OF_THE_RISE
    assert set(MACRONUTRIENTS) < set(CHANGES)


@pytest.mark.parametrize("column", CHANGES)
def test_the_formula_uses_the_input(table, column):
    fitted = PostMealCurve().fit(table, observed_curves(table))
    before, after = (fitted.predict(with_value(table, column, value)) for value in CHANGES[column])
    assert np.abs(after - before).max() > 0.1


@pytest.mark.sampled
@pytest.mark.parametrize("column", CHANGES)
@pytest.mark.parametrize(
    "rival", [BoostedCurve(), LinearCurve()], ids=lambda one: type(one).__name__
)
def test_a_rival_learns_from_every_input_of_the_formula(table, rival, column):
    """Half of the meals have the first value and no rise, the others the second and a high one."""
    low, high = (with_value(table, column, value) for value in CHANGES[column])
    is_high = np.arange(len(table)) % 2 == 0
    rows = low.copy()
    rows.loc[is_high] = high.loc[is_high]
    curves = 100 + 60.0 * is_high[:, None] * SHAPE
    fitted = clone(rival).fit(rows, curves)
    change = fitted.predict(high) - fitted.predict(low)
    if column == "condition":  # The level depends on the condition, too.
        change -= change[:, :1]
    assert change[:, 3].mean() > 40


def test_a_rival_predicts_later_meals_from_what_postmeal_predicts_them_from(later):
    predictor = Predictor.load()
    for one in later:
        own = cases_of(predictor, one.history, None, one.meals).meals
        given = meals_of(later_table([one]))
        for column, other in zip(own[:-1], given[:-1], strict=True):
            assert np.array_equal(column, other, equal_nan=True)
        assert not np.isnan(given.since_meal_h).all()


def test_the_table_of_later_meals_scores_rivals_by_what_they_predict_from_all_inputs(table):
    """A rival that repeats the formula has the errors of the formula in the same table."""
    predictor = Predictor.load()
    cohort = synthetic_cohort(n_people=4, n_days=8, seed=3)
    people = list(histories(replace(cohort, readings=cohort.readings.assign(sensor="Libre"))))
    twin = PostMealCurve(sensors=predictor.sensors)
    libre = table.assign(sensor="Libre")
    twin.fit(libre, observed_curves(libre))
    twin.model_, twin.level_mg_dl_ = predictor.population, predictor.level_mg_dl
    models = forward_in_time(predictor, {"twin": twin}, people)["Libre"]["models"]
    for key, error in models["twin"].items():
        if key.endswith("rmse_mg_dl"):
            assert error == pytest.approx(models["population"][key], abs=1e-6)


class PeopleOfTheFit(BloodCurve):
    """An estimator that refuses to predict people it was fitted to, and adds a set error."""

    def __init__(self, error=0.0, sensors=None):
        super().__init__(sensors)
        self.error = error

    def fit(self, X, y, sample_weight=None, person=None):
        self.people_ = set(X["person"])
        self.mean_ = np.asarray(y).mean(axis=0)
        return self

    def predict(self, X):
        assert not self.people_ & set(X["person"]), "predicts people of its own fit"
        return self.mean_ + self.error * SHAPE + np.zeros((len(X), 1))

    def _fit_rise(self, meals, rise, weight, gain):
        raise NotImplementedError

    def _rise(self, meals):
        raise NotImplementedError


def test_settings_are_chosen_by_people_whom_the_fit_has_not_seen(table):
    chosen = tuned(PeopleOfTheFit(), {"error": (80.0, 0.0, -80.0)}, table)
    assert chosen.error == 0.0
    assert chosen.people_ == set(table["person"])


def test_settings_do_not_depend_on_type_1_diabetes_or_glucose_drinks(table):
    """Half of the people are given a rise that calls for another setting, but are not scored."""
    half = table["person"].isin(table["person"].unique()[::2])
    raised = observed_curves(table) + 500.0 * half.to_numpy()[:, None] * SHAPE
    not_scored = table.assign(**dict(zip(GLUCOSE_COLUMNS, raised.T, strict=True)))
    not_scored.loc[half, "condition"] = "type_1"
    grid = {"error": (0.0, 400.0)}
    assert tuned(PeopleOfTheFit(), grid, not_scored).error == 0.0
    drinks = not_scored.assign(condition="normal", data_set=np.where(half, "ogtt75", "made up"))
    assert tuned(PeopleOfTheFit(), grid, drinks).error == 0.0


@pytest.mark.reliability
def test_the_rivals_of_a_report_are_the_tuned_ones_with_all_inputs(table):
    peers = fit_peers(table.assign(sensor="Libre"), Predictor.load().sensors)
    names = ["population", "challenger", "linear", "carb line", "condition mean", "global mean"]
    assert list(peers) == names
    for name in ("challenger", "linear"):
        assert set(OPTIONAL_COLUMNS) - {"reported_condition"} <= set(peers[name].feature_names_in_)


def test_lightgbm_starts_at_the_reading_and_learns_what_follows_from_it(table):
    """High readings fall, low ones rise: the level of the curve follows, not only its start."""
    start = np.where(np.arange(len(table)) % 2, 80.0, 200.0)
    rows = table.assign(start_mg_dl=start)
    curves = start[:, None] + (140 - start)[:, None] * 0.5 * SHAPE
    fitted = BoostedFromKnown().fit(rows, curves)
    assert np.abs(fitted.predict(rows) - curves).mean() < 3


@pytest.mark.parametrize(
    ("column", "values"),
    [("mean_mg_dl", (90, 150)), ("sd_mg_dl", (10, 40)), ("hba1c_percent", (5, 7))],
)
@pytest.mark.parametrize("sensor", ["Dexcom", "Libre"])
def test_lightgbm_learns_level_and_rise_from_what_is_known(table, column, values, sensor):
    is_high = np.arange(len(table)) % 2 == 0
    rows = table.assign(**{column: np.where(is_high, values[1], values[0])}, sensor=sensor)
    curves = 100 + 40.0 * is_high[:, None] + (30 + 40.0 * is_high[:, None]) * SHAPE
    sensors = Predictor.load().sensors
    fitted = BoostedFromKnown(known=(column,), sensors=sensors).fit(rows, curves)
    assert np.abs(fitted.predict(rows) - curves).mean() < 3


def test_lightgbm_learns_the_mean_error_of_a_persons_days(table, people):
    """With no shrinkage, the mean error for the known meals is zero; with much, nothing changes."""
    curve = BoostedCurve().fit(table, observed_curves(table))
    known = Known.parse("meals-5d")
    (one,) = known_meals(Predictor.load(), people[0], known)
    meals = one.learned.only(one.learned.is_complete)
    errors = KnowingRival(curve, known).errors_on_days(one)
    assert errors == pytest.approx(
        meals.glucose_mg_dl - curve.predict(meal_rows(one.history, meals))
    )
    assert KnowingRival(curve, known).shrunk(errors) == pytest.approx(errors.mean(axis=0))
    assert np.abs(KnowingRival(curve, known, 1e9, 1e9).shrunk(errors)).max() < 1e-4
    level_only = KnowingRival(curve, known, 0.0, 1e9).shrunk(errors)
    assert level_only == pytest.approx(np.full(9, errors[:, 0].mean()), abs=1e-4)


@pytest.mark.parametrize("text", ["meals-5d", "meals-5d,reading"])
def test_a_persons_days_move_lightgbm_by_what_they_tell(table, people, text):
    """Readings 30 mg/dL higher on the days move the later curves, less than all of it."""
    known, rows = Known.parse(text), table.assign(start_mg_dl=observed_curves(table)[:, 0])
    estimator = BoostedFromKnown() if known.reading else BoostedCurve()
    rival = KnowingRival(estimator.fit(rows, observed_curves(rows)), known, 5.0, 5.0)
    for history in people:
        for one in known_meals(Predictor.load(), history, known):
            higher = one.learned._replace(glucose_mg_dl=one.learned.glucose_mg_dl + 30.0)
            n_meals = len(rival.errors_on_days(one))
            assert n_meals > 4
            before, after = (rival.predict(one._replace(learned=x)) for x in (one.learned, higher))
            moved = np.full_like(before, 30 * n_meals / (n_meals + 5))
            assert after - before == pytest.approx(moved)


@pytest.fixture(scope="module")
def data():
    cohort = synthetic_cohort(n_people=12, n_days=8, seed=5)
    libre = replace(cohort, readings=cohort.readings.assign(sensor="Libre"))
    return TrainingData(meals_table(libre), Predictor.load().sensors, [], list(histories(libre)))


@pytest.fixture(scope="module")
def compared(data, people):
    """A whole comparison on made-up people."""
    knowing = Predictor.load(asset("models/population-4"))
    return compare_rungs(data, knowing, people, COMPARED)["Libre"]


@pytest.mark.reliability
def test_the_comparison_gives_both_the_same_meals(compared):
    assert tuple(compared) == COMPARED
    for one in compared.values():
        assert len({model["n_meals"] for model in one["models"].values()}) == 1


@pytest.mark.reliability
@pytest.mark.parametrize("rung", COMPARED[1:])
def test_both_become_better_if_they_know_more(compared, rung):
    error = "absolute_rmse_mg_dl"
    for name in ("postmeal", "challenger"):
        assert compared[rung]["models"][name][error] < compared["condition"]["models"][name][error]
    assert compared[rung]["paired"]["condition only"]["absolute_high"] < 0


def test_a_model_is_not_compared_by_what_it_cannot_use(data, people):
    assert set(COMPARED) < set(RUNGS)
    assert compare_rungs(data, Predictor.load(), people, ["hba1c", "fasting", "cgm-72h"]) == {}


def test_the_difference_of_correlations_has_an_interval_over_people():
    """The same figures as by drawing the people's meals one draw at a time."""
    random = np.random.default_rng(4)
    person = np.repeat([*"abcdef"], [5, 9, 7, 6, 8, 5])
    size = random.normal(40, 20, len(person))
    observed, own, other = (
        100 + (size + random.normal(0, spread, len(person)))[:, None] * SHAPE
        for spread in (10, 10, 60)
    )
    found = correlation_difference(observed, person, own, other, n_draws=200)
    areas = [iauc_mg_dl_min(curves) for curves in (observed, own, other)]

    def difference(rows):
        seen, first, second = (area[rows] for area in areas)
        return np.corrcoef(seen, first)[0, 1] - np.corrcoef(seen, second)[0, 1]

    assert found["iauc_r_difference"] == pytest.approx(difference(slice(None)))
    names, rows_of = np.unique(person), np.arange(len(person))
    draws = np.random.default_rng(0).integers(0, 6, size=(200, 6))
    drawn = [
        difference(np.concatenate([rows_of[person == names[one]] for one in draw]))
        for draw in draws
    ]
    limits = found["iauc_r_low"], found["iauc_r_high"]
    assert limits == pytest.approx(np.quantile(drawn, [0.025, 0.975]))

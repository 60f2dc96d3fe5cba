"""The estimators keep scikit-learn's contract, on a made-up cohort."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold

from postmeal.errors import InputError
from postmeal.glucose.population.curve import peak_rise_mg_dl
from postmeal.glucose.population.sensors import SensorConstant
from postmeal.training.datasets.meals_table import GLUCOSE_COLUMNS, meals_table
from postmeal.training.evaluation.baselines import (
    CarbLine,
    ConditionMean,
    GlobalMean,
    LinearCurve,
    PersonMean,
)
from postmeal.training.evaluation.lightgbm_challenger import BoostedCurve
from postmeal.training.fit.arrays import INPUT_COLUMNS, OPTIONAL_COLUMNS, observed_curves
from postmeal.training.fit.metrics import rise_rmse_mg_dl
from postmeal.training.fit.population import PostMealCurve
from postmeal.training.fit.priors import PRIORS
from postmeal.training.synthetic.cohort import synthetic_cohort

ESTIMATORS = [
    PostMealCurve(),
    BoostedCurve(n_estimators=10),
    LinearCurve(),
    CarbLine(),
    ConditionMean(),
    GlobalMean(),
]
each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda one: type(one).__name__)


@pytest.fixture(scope="module")
def table():
    return meals_table(synthetic_cohort(n_people=12, n_days=5))


@each
def test_an_estimator_that_is_not_fitted_says_so(estimator, table):
    with pytest.raises(NotFittedError):
        clone(estimator).predict(table)


@each
def test_a_clone_has_the_parameters_and_nothing_learned(estimator, table):
    fitted = clone(estimator).fit(table, observed_curves(table))
    copy = clone(fitted)
    assert copy.get_params() == estimator.get_params()
    assert not [name for name in vars(copy) if name.endswith("_")]
    learned = {name for name in vars(fitted) if name.endswith("_")}
    assert {"level_mg_dl_", "n_features_in_", "feature_names_in_"} <= learned


@each
def test_a_whole_table_is_predicted_in_one_call_in_its_own_order(estimator, table):
    fitted = clone(estimator).fit(table, observed_curves(table))
    curves = fitted.predict(table)
    assert curves.shape == (len(table), 9)
    shuffled = table.sample(frac=1, random_state=0)
    assert np.allclose(fitted.predict(shuffled), curves[table.index.get_indexer(shuffled.index)])


@each
def test_nothing_from_after_the_first_bite_is_a_feature(estimator, table):
    """Row 471: the readings of the meal, and who ate it, change nothing."""
    fitted = clone(estimator).fit(table, observed_curves(table))
    disguised = table.assign(**dict.fromkeys(GLUCOSE_COLUMNS, 0.0), person="nobody", foods="")
    assert np.array_equal(fitted.predict(disguised), fitted.predict(table))
    assert set(INPUT_COLUMNS) <= set(fitted.feature_names_in_)
    assert set(fitted.feature_names_in_) <= {*INPUT_COLUMNS, *OPTIONAL_COLUMNS}


@each
def test_two_fits_on_the_same_data_are_equal(estimator, table):
    """Row 472."""
    one, two = (clone(estimator).fit(table, observed_curves(table)) for _ in range(2))
    assert np.array_equal(one.predict(table), two.predict(table))


def test_grid_search_by_person_finds_the_prior_strength(table):
    """Row 471: the splitter is by person."""
    search = GridSearchCV(
        PostMealCurve(), {"prior_strength": [4.0, 64.0]}, cv=GroupKFold(3), error_score="raise"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        search.fit(table, observed_curves(table), groups=table["person"])
    assert search.best_params_["prior_strength"] in (4.0, 64.0)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_prior_strength_pulls_coefficients_towards_their_priors(table):
    loose, firm = (
        PostMealCurve(strength).fit(table, observed_curves(table)).model_ for strength in (1.0, 1e6)
    )
    prior = PRIORS["fat_per_10_g"].mean / 10
    assert abs(firm.fat_per_g - prior) < 1e-3 * prior
    assert abs(loose.fat_per_g - prior) > abs(firm.fat_per_g - prior)


def test_a_rise_twice_as_high_is_learned_as_twice_as_high(table):
    curves = observed_curves(table)
    doubled = curves[:, :1] + 2 * (curves - curves[:, :1])
    once, twice = (PostMealCurve(1e-3).fit(table, y).predict(table) for y in (curves, doubled))
    rises = [peak_rise_mg_dl(one).mean() for one in (once, twice)]
    assert rises[1] / rises[0] == pytest.approx(2, rel=0.05)


def test_sensors_are_taken_out_before_the_fit_and_put_back_after(table):
    constant = SensorConstant(20.0, 0.8)
    read = table.assign(sensor="Dexcom")
    curves = constant.offset_mg_dl + constant.gain * observed_curves(table)
    blood = PostMealCurve(1e-3).fit(table, observed_curves(table))
    through = PostMealCurve(1e-3, {"Dexcom": constant}).fit(read, curves)
    assert through.level_mg_dl_ == pytest.approx(blood.level_mg_dl_)
    expected = constant.offset_mg_dl + constant.gain * blood.predict(table)
    assert through.predict(read) == pytest.approx(expected, abs=0.5)


def test_the_person_mean_knows_only_people_it_has_seen(table):
    fitted = PersonMean().fit(table, observed_curves(table))
    one = table[table["person"] == table["person"].iloc[0]]
    assert np.allclose(fitted.predict(one)[0], observed_curves(one).mean(axis=0))
    with pytest.raises(KeyError):
        fitted.predict(table.assign(person="a stranger"))


def test_the_formula_beats_the_mean_of_everybody_on_people_it_has_not_seen(table):
    people = table["person"].unique()
    seen = table["person"].isin(people[: len(people) // 2])
    train, test = table[seen], table[~seen]
    errors = {
        type(one).__name__: rise_rmse_mg_dl(
            observed_curves(test), one.fit(train, observed_curves(train)).predict(test)
        )
        for one in (PostMealCurve(), GlobalMean())
    }
    assert errors["PostMealCurve"] < errors["GlobalMean"]


def test_wrong_input_is_refused_by_name(table):
    curves = observed_curves(table)
    with pytest.raises(InputError, match=r"y must have the shape"):
        PostMealCurve().fit(table, curves[:, :5])
    with pytest.raises(InputError, match="y must contain only finite numbers"):
        PostMealCurve().fit(table, np.where(curves > 120, np.nan, curves))
    with pytest.raises(InputError, match=r"table is missing required columns: .*fat_g"):
        PostMealCurve().fit(table.drop(columns="fat_g"), curves)
    with pytest.raises(InputError, match="condition must be one of: normal, prediabetes"):
        PostMealCurve().fit(table.assign(condition="bored"), curves)
    with pytest.raises(InputError, match="sensor must belong to"):
        PostMealCurve(sensors={"Libre": SensorConstant(0.0, 1.0)}).fit(
            table.assign(sensor="crystal ball"), curves
        )

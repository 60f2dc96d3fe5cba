"""The guard of portions: what a person's own model says of more food."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from known_people import PREDICTOR, meal, meals_of, someone

from postmeal.foods.food import Meal, Selection
from postmeal.glucose.personal.features import hourly_terms
from postmeal.glucose.personal.portion_guard import SHARE_EVERY_H, monotone_shares, shares_at
from postmeal.glucose.personal_fit import fit_to_meals
from postmeal.glucose.population.features import food_macronutrients
from postmeal.glucose.population.states import STATES
from postmeal.training.datasets import load_data_set
from postmeal.training.fit.person_history import histories

LARGEST_FALL_MG_DL = 0.5
MOST_CARBS_G = 150.0


@cache
def made_up_models():
    """Models of 40 people who differ in level, gain and noise, few days and many."""
    models = []
    for seed in range(40):
        traits = {"level_mg_dl": 3.0 * (seed % 9) - 12, "gain": 0.3 + 0.25 * (seed % 8)}
        noise, n_days = 5.0 + 5 * (seed % 5), (5, 14)[seed % 2]
        state = STATES[seed % 3]
        found = meals_of(seed, n_days=n_days, state=state, noise_mg_dl=noise, **traits)
        models.append(serving(fit_to_meals(PREDICTOR, found, state, "Libre", n_days)))
    return models


def serving(model):
    """The model, whether or not its gate would let it serve."""
    return replace(model, population_rmse_mg_dl=99.0, personal_rmse_mg_dl=1.0)


def peak(model, grams, hour, **known):
    eaten = meal(grams, hour)
    return PREDICTOR.predict(someone(model.state), eaten, personal=model, **known).peak_mg_dl


def falls(model, chance, n_meals):
    """How far the peak falls at random meals and hours when carbohydrate or the portion grows."""
    found = []
    for _ in range(n_meals):
        hour = chance.uniform(0, 23.99)
        known = chance.choice([{}, {"since_meal_h": chance.uniform(0.3, 6)}])
        known = chance.choice([known, known | {"start_mg_dl": chance.uniform(70, 180)}])
        carbs = chance.uniform(0, MOST_CARBS_G / 2)
        rest = [chance.uniform(0, most) for most in (min(carbs, 12), 50, 50)]
        once = peak(model, (carbs, *rest), hour, **known)
        more = carbs + chance.uniform(0, MOST_CARBS_G - carbs)
        found.append(once - peak(model, (more, *rest), hour, **known))
        factor = chance.uniform(1, 2)
        portion = [factor * grams for grams in (carbs, *rest)]
        found.append(once - peak(model, portion, hour, **known))
    return found


@pytest.mark.parametrize("part", range(4))
def test_more_carbohydrate_or_a_bigger_portion_never_lowers_the_peak(part):
    """Rows 293 and 463: of made-up people, at any hour, after meals and from readings."""
    chance = random.Random(part)
    for model in made_up_models()[part::4]:
        assert max(falls(model, chance, 400)) < LARGEST_FALL_MG_DL


@pytest.mark.parametrize("name", ["bigideas", "shanghai"])
def test_of_real_people_neither_lowers_the_peak(shared_data, name):
    """Rows 293 and 463."""
    chance, n_people = random.Random(293), 0
    for history in histories(load_data_set(name, shared_data / "cgm" / name)):
        days, found = history.valid_days(), history.meals()
        known = found.only(np.isin(found.day, days))
        if len(days) < 5 or known.is_complete.sum() < 5:
            continue
        model = fit_to_meals(PREDICTOR, known, history.state, history.sensor, len(days))
        assert max(falls(serving(model), chance, 200)) < LARGEST_FALL_MG_DL
        n_people += 1
    assert n_people >= 10


def test_a_bigger_portion_of_any_food_never_lowers_the_peak(catalog, foods):
    """Row 293: 400 foods of the catalogue, up to 150 g carbohydrate."""
    chance, models = random.Random(5), made_up_models()
    for line in chance.sample(foods, 400):
        food, model = catalog.food(line.id), chance.choice(models)
        size = food.default_serving.quantity * chance.uniform(0.3, 2)
        pair = [Selection.of(food, quantity) for quantity in (size, size * chance.uniform(1, 2))]
        if food_macronutrients(pair[1:])[:, 0].sum() > MOST_CARBS_G:
            continue
        time = meal((1, 0, 0, 0), chance.uniform(0, 23.9)).time
        one, more = (
            PREDICTOR.predict(someone(model.state), Meal((each,), time), personal=model).peak_mg_dl
            for each in pair
        )
        assert more >= one - LARGEST_FALL_MG_DL, food.name


def test_effects_that_would_lower_the_peak_are_reduced_at_their_hours_only():
    """Here carbohydrate lowers glucose around noon."""
    prior = PREDICTOR.personal_prior
    effects = np.zeros((4, 36))
    hours = np.arange(0, 24, SHARE_EVERY_H)
    assert monotone_shares(PREDICTOR.population, prior, effects, 0) == (1.0,) * 16
    effects[0, 14:25] = -150 * hourly_terms(np.array([12.0]))[0]
    shares = np.array(monotone_shares(PREDICTOR.population, prior, effects, 0))
    assert shares[hours == 12] < 0.5
    assert (shares[np.abs(hours - 12) > 8] == 1).all()
    effects[0, 14:25] *= -1
    assert monotone_shares(PREDICTOR.population, prior, effects, 0) == (1.0,) * 16


def test_a_reading_or_a_meal_before_leaves_a_smaller_share():
    """What they add may make a later point the peak, which falls with the portion."""
    prior = PREDICTOR.personal_prior
    none = (0.0,) * 9
    start = prior.start._replace(slope=none, recent=none, fasting=none)
    alone = replace(prior, start=start)
    random, lost = np.random.default_rng(4), []
    for _ in range(40):
        effects = random.normal(0, 3, (4, 36)) * np.sqrt(prior.variance)
        some, more = effects.copy(), effects.copy()
        some[:, 2], more[:, 2] = 0, [0, 30, -30, 0]
        shares = [
            np.array(monotone_shares(PREDICTOR.population, one, each, 0))
            for one, each in ((alone, some), (prior, some), (alone, more))
        ]
        assert (shares[1] <= shares[0]).all()
        assert (shares[2] <= shares[0]).all()
        lost.append([(shares[0] - one).sum() for one in shares[1:]])
    assert (np.sum(lost, axis=0) > 0).all()


@given(st.lists(st.floats(0, 1), min_size=16, max_size=16), st.floats(0, 23.999))
def test_a_share_lies_between_those_of_the_hours_around(shares, hour):
    before = int(hour / SHARE_EVERY_H)
    around = sorted([shares[before], shares[(before + 1) % 16]])
    between, on = shares_at(np.array([shares] * 2), np.array([hour, SHARE_EVERY_H * before]))
    assert around[0] - 1e-12 <= between <= around[1] + 1e-12
    assert on == pytest.approx(shares[before])


def test_with_nothing_left_of_them_the_population_decides_what_a_meal_does():
    model = replace(made_up_models()[5], shares=(0.0,) * 16)
    for grams in ((20, 2, 5, 5), (90, 2, 30, 20)):
        own, plain = (
            np.array(
                PREDICTOR.predict(
                    someone(model.state), meal(grams), sensor="Libre", personal=each
                ).glucose_mg_dl
            )
            for each in (model, None)
        )
        if grams[0] == 20:
            shift = own - plain
    assert own - plain == pytest.approx(shift, abs=1e-9)

"""A weights file or a personal model that was tampered with is refused, whatever was changed.

The hash beside the content is always renewed, so that only the content can give it away.
"""

import hashlib
import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from postmeal import ModelError, PersonalModel, Predictor
from postmeal.assets import asset
from postmeal.glucose.plausibility import check_plausibility
from postmeal.training.fit.weights_version import distinct_version

RELEASED = asset("models/population/weights.json").read_bytes()
N_FILES = 400

NUMBERS: tuple[Callable[[float], Any], ...] = (
    lambda x: x * 0.5 or 1.0,
    lambda x: x * 2 or 1.0,
    lambda x: x * 1.05 or 0.05,
    lambda x: -x or -1.0,
    lambda x: float("nan"),
    lambda x: float("inf"),
    lambda x: 10**400,
    lambda x: None,
    lambda x: str(x),
    lambda x: [x],
    lambda x: {},
    lambda x: True,
)
"""Ways to change a number."""

OWN_MUTATIONS = ("null", "text", "nan", "missing", "added", "shorter", "longer")
"""Ways to break the structure, whatever the model is called."""


def write(folder, content: bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "weights.json").write_bytes(content)
    pinned = hashlib.sha256(content).hexdigest()
    registry = f'[{folder.name}]\nversion = "3"\nweights = "weights.json"\nsha256 = "{pinned}"\n'
    (folder.parent / "registry.toml").write_text(registry, encoding="utf-8")


def places(value: Any, skipped: tuple[str, ...] = ()) -> list[tuple[Any, Any]]:
    """Return every place of a JSON document as a container and a key."""
    if isinstance(value, dict):
        pairs = [(key, one) for key, one in value.items() if key not in skipped]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return []
    inner = [place for _, one in pairs for place in places(one)]
    return [*((value, key) for key, _ in pairs), *inner]


def tampered(content: bytes, random_: random.Random) -> bytes:
    """Change a number, a text, a list or an object of a document, or cut or garble its text.

    Name and version stay the same: a copy with another version is another model.
    """
    if random_.random() < 0.1:
        cut = random_.randrange(len(content))
        return random_.choice([content[:cut], content[:cut] + b"\xff" + content[cut + 1 :]])
    document = json.loads(content)
    container, key = random_.choice(places(document, skipped=("name", "version")))
    value = container[key]
    if isinstance(value, float):
        container[key] = random_.choice(NUMBERS)(value)
    elif isinstance(value, (str, int)):
        container[key] = random_.choice([None, 7.5, [], value * 2])
    else:
        emptied, extended = (
            type(value)(),
            value * 2 if isinstance(value, list) else {**value, "": 1},
        )
        container[key] = random_.choice([None, 1.0, "x", emptied, extended])
    if random_.random() < 0.1:
        del container[key]
    return json.dumps(document).encode()


@pytest.mark.sampled
@pytest.mark.parametrize("part", range(5))
def test_each_of_many_tampered_weight_files_is_refused(tmp_path, part):
    random_ = random.Random(20261128 + part)
    for number in range(N_FILES):
        content = tampered(RELEASED, random_)
        write(tmp_path / "population", content)
        try:
            Predictor.load(tmp_path / "population")
        except ModelError:
            continue
        (tmp_path / "accepted.json").write_bytes(content)
        pytest.fail(f"file {number} was accepted; see {tmp_path / 'accepted.json'}")


@pytest.mark.parametrize("factor", [0.5, 0.8, 0.99, 1.01, 2.0, -1.0, 0.0])
@pytest.mark.parametrize("key", ["population", "level_mg_dl", "band", "ranges", "personal"])
def test_a_scaled_copy_of_the_shipped_model_is_refused(tmp_path, key, factor):
    """Even if its predictions are credible: the weights of a shipped version are known."""
    weights = json.loads(RELEASED)
    scale(weights[key], factor)
    write(tmp_path / "population", json.dumps(weights).encode())
    with pytest.raises(ModelError):
        Predictor.load(tmp_path / "population")


def scale(document: Any, factor: float) -> None:
    for container, key in places(document):
        if isinstance(container[key], float):
            container[key] *= factor


def own(weights: dict[str, Any]) -> bytes:
    """Return the weights as those of another model, with the version that training gives them."""
    return json.dumps({**weights, "version": distinct_version(weights)}).encode()


@pytest.mark.parametrize("factor", [0.5, 2.0, -1.0, 0.0, 1e6])
def test_a_model_of_ones_own_must_predict_credibly(tmp_path, factor):
    weights = json.loads(RELEASED)
    scale(weights, factor)
    write(tmp_path / "mine", own(weights))
    with pytest.raises(ModelError, match=r"plausibility|cannot predict|must be a number"):
        Predictor.load(tmp_path / "mine")


def test_a_model_of_ones_own_is_loaded(tmp_path):
    weights = json.loads(RELEASED)
    weights["level_mg_dl"]["normal"] += 1.0
    weights["trained_on"] = []
    write(tmp_path / "mine", own(weights))
    mine = Predictor.load(tmp_path / "mine")
    assert mine.version != Predictor.load().version
    assert mine.level_mg_dl["normal"] == weights["level_mg_dl"]["normal"]


@pytest.mark.reliability
def test_a_tampered_model_of_ones_own_is_refused_or_predicts_credibly(tmp_path):
    """Nothing but `ModelError` is ever raised, and a broken structure is always refused."""
    random_ = random.Random(7)
    weights = json.loads(RELEASED)
    weights["level_mg_dl"]["normal"] += 1.0
    content = own(weights)
    for _ in range(300):
        document = json.loads(content)
        container, key = random_.choice(places(document, skipped=("trained_on",)))
        how = random_.choice(OWN_MUTATIONS)
        if how == "missing":
            del container[key]
        elif how == "added" and isinstance(container[key], dict):
            container[key]["added"] = 1.0
        elif how in ("shorter", "longer") and isinstance(container[key], list):
            container[key] = container[key][1:] if how == "shorter" else [*container[key], 1.0]
        elif isinstance(container[key], str):
            container[key] = None
        else:
            container[key] = {"text": "x", "nan": float("nan")}.get(how)
        write(tmp_path / "mine", json.dumps(document).encode())
        with pytest.raises(ModelError):
            Predictor.load(tmp_path / "mine")
    for _ in range(300):
        document = json.loads(content)
        container, key = random_.choice(
            [place for place in places(document) if isinstance(place[0][place[1]], float)]
        )
        container[key] = random_.choice([0.0, -1.0, 1e-300, 1e6, container[key] * 0.1])
        write(tmp_path / "mine", json.dumps(document).encode())
        with suppress(ModelError):
            check_plausibility(Predictor.load(tmp_path / "mine"))


def test_each_of_many_tampered_personal_models_is_refused():
    model = PersonalModel(
        base="population-3",
        state="normal",
        sensor="Libre",
        n_days=5,
        n_meals=9,
        effects=((0.5,) * 36,) * 4,
        shares=(1.0,) * 16,
        drift_mg_dl=0.1,
        last_day=20000,
        scale_mg_dl=17.5,
        low_mg_dl=70.0,
        high_mg_dl=160.0,
        population_rmse_mg_dl=25.0,
        personal_rmse_mg_dl=19.0,
        response_rmse_mg_dl=20.0,
    )
    head, _, body = model.to_bytes().decode().partition("\n")
    random_ = random.Random(3)
    n_tried = 0
    while n_tried < 500:
        values = json.loads(body)
        container, key = random_.choice(places(values))
        value = random_.choice([float("nan"), float("inf"), 10**400, [], {}, "x", True, None])
        if key in ("base", "sensor", "response_rmse_mg_dl") and value in ("x", None):
            continue
        container[key] = value
        if random_.random() < 0.2:
            del container[key]
            if key == "response_rmse_mg_dl":
                continue
        n_tried += 1
        text = json.dumps(values)
        pinned = (
            head[: -len(hashlib.sha256().hexdigest())] + hashlib.sha256(text.encode()).hexdigest()
        )
        with pytest.raises(ModelError):
            PersonalModel.from_bytes(f"{pinned}\n{text}".encode())
    assert PersonalModel.from_bytes(model.to_bytes()) == model

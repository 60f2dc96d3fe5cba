"""The wheel alone: built, installed where there is nothing but NumPy, and used."""

import json
import os
import subprocess
import sys
import zipfile
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import pytest

from postmeal import Catalog, Meal, Profile, parse_meal, predict
from postmeal.assets import asset

ROOT = Path(__file__).parents[2]
NEEDED = ("numpy",)
PREDICT = """
import json
from datetime import datetime
import postmeal
from postmeal import Catalog, Meal, Profile, parse_meal, predict
someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
breakfast = parse_meal("1 cup oatmeal, 1 banana", Catalog.open())
prediction = predict(someone, Meal(tuple(breakfast), datetime(2026, 5, 1, 8)))
print(json.dumps({"from": postmeal.__file__, **prediction.to_dict()}))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it, and beside it what it declares, nothing more."""
    folder = tmp_path_factory.mktemp("elsewhere")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True)
    needed = folder / "needed"
    needed.mkdir()
    for name in NEEDED:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        place = origin.parent if origin.name == "__init__.py" else origin
        (needed / place.name).symlink_to(place)
        libraries = place.with_name(f"{name}.libs")
        if libraries.is_dir():
            (needed / libraries.name).symlink_to(libraries)
    site = next((folder / "env/lib").glob("python*/site-packages"))
    (site / "needed.pth").write_text(f"{needed}\n")
    return folder


def run(installed: Path, *command: str) -> str:
    """Run a program of the environment in its folder, with a home of its own."""
    done = subprocess.run(
        [str(installed / "env/bin" / command[0]), *command[1:]],
        cwd=installed,
        env={"HOME": str(installed / "home"), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_foods_and_model_travel_inside_the_wheel(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        for name in ("data/foods.csv.xz", "models/registry.toml", "models/population/weights.json"):
            assert archive.read(f"postmeal/{name}") == asset(name).read_bytes()
    assert {f"postmeal/restaurants/{name}.csv" for name in ("chains", "demo")} <= names
    assert "postmeal/py.typed" in names
    packages = {name.partition("/")[0] for name in names if not name.startswith("postmeal-")}
    assert packages == {"postmeal"}


def test_the_wheel_predicts_what_the_checkout_predicts_to_the_last_bit(
    installed: Path, catalog: Catalog
) -> None:
    answer = json.loads(run(installed, "python", "-W", "error", "-c", PREDICT))
    assert Path(answer.pop("from")).is_relative_to(installed / "env")
    someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
    breakfast = parse_meal("1 cup oatmeal, 1 banana", catalog)
    meal = Meal(tuple(breakfast), datetime(2026, 5, 1, 8))
    assert answer == json.loads(json.dumps(predict(someone, meal).to_dict()))


def test_the_wheel_brings_the_command(installed: Path) -> None:
    person = [
        "--age",
        "45",
        "--sex",
        "female",
        "--height",
        "66in",
        "--weight",
        "150lb",
        "--at",
        "08:00",
    ]
    printed = run(installed, "postmeal", "predict", "1 cup oatmeal, 1 banana", *person)
    assert "Impact " in printed
    assert "Banana" in run(installed, "postmeal", "foods", "search", "banana")

"""The wheel alone: built, installed with nothing but what it declares, and used."""

import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from api_client import PREDICT as PREDICTIONS
from api_client import Demo
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from postmeal import Catalog, Meal, Profile, parse_meal, predict
from postmeal.assets import asset

ROOT = Path(__file__).parents[2]
SERVE_LOCK = ROOT / ".github" / "requirements-serve.lock"
WEB = {"starlette", "uvicorn", "gunicorn", "sqlalchemy", "pydantic", "httpx2", "prometheus-client"}
CALL = """
import sys
from postmeal_client import Client, v1_1
assert "postmeal" not in sys.modules
print([food.name for food in Client(*sys.argv[1:]).search_foods(query="banana", limit=1).items])
"""
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


def built(kind: str, source: Path, folder: Path) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    return next(folder.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("wheel", ROOT, tmp_path_factory.mktemp("dist"))


def environment(folder: Path, wheel: Path, packages: list[str]) -> Path:
    """Install the wheel in a fresh environment, and put the given packages beside it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True)
    site = next((folder / "env/lib").glob("python*/site-packages"))
    for package in packages:
        files = distribution(package).files or []
        for name in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
            (site / name).symlink_to(distribution(package).locate_file(name))
    return folder


def required(*packages: str) -> set[str]:
    """The packages that these packages need, directly or not, and themselves."""
    names, pending = set(), [*packages]
    while pending:
        name = canonicalize_name(pending.pop())
        if name not in names and is_installed(name):
            names.add(name)
            needed = map(Requirement, distribution(name).requires or [])
            pending += [row.name for row in needed if not row.marker or row.marker.evaluate()]
    return names


def is_installed(package: str) -> bool:
    try:
        return distribution(package) is not None
    except PackageNotFoundError:  # It is for another system or version of Python.
        return False


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and NumPy, nothing more."""
    return environment(tmp_path_factory.mktemp("elsewhere"), wheel, ["numpy"])


@pytest.fixture(scope="module")
def with_service(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel and the packages that are locked for the service."""
    names = re.findall(r"^([a-z0-9-]+)==", SERVE_LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    packages = sorted({name for name in names if is_installed(name)})
    return environment(tmp_path_factory.mktemp("service"), wheel, packages)


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
    assert packages == {"postmeal", "postmeal_serve"}
    assert {
        f"postmeal_serve/web/{name}" for name in ("curve.html", "curve.js", "docs.html")
    } <= names


@pytest.mark.reliability
def test_the_source_distribution_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    sdist = built("sdist", ROOT, tmp_path / "sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    again = built("wheel", tmp_path / sdist.name.removesuffix(".tar.gz"), tmp_path / "again")
    with zipfile.ZipFile(wheel) as first, zipfile.ZipFile(again) as second:
        assert {row.filename: row.CRC for row in first.infolist()} == {
            row.filename: row.CRC for row in second.infolist()
        }


def test_the_links_of_the_package_page_are_absolute(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [file] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        page = archive.read(file).decode()
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert len(links) > 20
    assert all(link.startswith(("https://", "#")) for link in links)


def test_the_library_alone_needs_no_web_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [file] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        lines = archive.read(file).decode().splitlines()
    declared = [Requirement(line.split(":", 1)[1]) for line in lines if "Requires-Dist:" in line]
    alone, serving = (
        {
            canonicalize_name(row.name)
            for row in declared
            if row.marker is None or row.marker.evaluate({"extra": extra})
        }
        for extra in ("", "serve")
    )
    assert not WEB & alone
    assert serving >= WEB


@pytest.mark.reliability
def test_without_the_extra_the_service_says_what_to_install(installed: Path) -> None:
    done = subprocess.run(
        [installed / "env/bin/postmeal-serve", "demo"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert re.fullmatch(r"postmeal-serve: .*; run pip install 'postmeal\[serve\]'\n", done.stderr)


@pytest.mark.reliability
def test_the_installed_service_answers_a_prediction(with_service: Path) -> None:
    with Demo(with_service / "state", with_service / "env/bin/postmeal-serve") as demo:
        headers = {"Authorization": f"Bearer {demo.keys['v1.2']}"}
        [printed, _] = re.findall(r"^curl .* -d '(.*)'$", demo.printed, re.MULTILINE)
        answer = demo.client.post(PREDICTIONS, json=json.loads(printed), headers=headers)
        assert answer.status_code == 200
        assert len(answer.json()["points"]) == 9
        assert demo.client.get("/").headers["content-type"].startswith("text/html")


@pytest.mark.reliability
def test_the_wheel_predicts_what_the_checkout_predicts_to_the_last_bit(
    installed: Path, catalog: Catalog
) -> None:
    answer = json.loads(run(installed, "python", "-W", "error", "-c", PREDICT))
    assert Path(answer.pop("from")).is_relative_to(installed / "env")
    someone = Profile.imperial(age=45, sex="female", height_in=66, weight_lb=150)
    breakfast = parse_meal("1 cup oatmeal, 1 banana", catalog)
    meal = Meal(tuple(breakfast), datetime(2026, 5, 1, 8))
    assert answer == json.loads(json.dumps(predict(someone, meal).to_dict()))


@pytest.mark.reliability
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


@pytest.mark.reliability
def test_the_client_is_a_small_wheel_that_works_alone(tmp_path: Path, demo: Demo) -> None:
    wheel = built("wheel", ROOT / "serve" / "client", tmp_path / "dist")
    assert wheel.stat().st_size < 100_000
    with zipfile.ZipFile(wheel) as archive:
        [metadata] = [name for name in archive.namelist() if name.endswith("/METADATA")]
        lines = archive.read(metadata).decode().splitlines()
        assert {"postmeal_client/py.typed", "postmeal_client/LICENSE"} <= set(archive.namelist())
    needed = [Requirement(line.split(":", 1)[1]).name for line in lines if "Requires-Dist:" in line]
    assert set(needed) == {"httpx2", "pydantic"}
    alone = environment(tmp_path, wheel, sorted(required(*needed)))
    printed = run(alone, "python", "-W", "error", "-c", CALL, demo.address, demo.keys["v1.2"])
    assert "Banana" in printed

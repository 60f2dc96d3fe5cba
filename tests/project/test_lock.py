"""The lock files of ``make setup`` and ``make run``: whole, hashed, and as pyproject.toml asks."""

import re
import subprocess
import tomllib
from pathlib import Path

import audit
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / ".github" / "requirements.lock"
SERVE_LOCK = ROOT / ".github" / "requirements-serve.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

# Versions with a known hole, and the advisory.
HOLES = [
    ("starlette", "1.0.0", "CVE-2026-48710"),
    ("starlette", "1.0.1", "CVE-2026-48818"),
    ("starlette", "1.3.0", "CVE-2026-54283"),
    ("pydantic-settings", "2.14.1", "GHSA-4xgf-cpjx-pc3j"),
    ("mlflow", "3.15.2", "CVE-2026-71211"),
    ("lightgbm", "4.5.0", "CVE-2024-43598"),
    ("pyarrow", "23.0.0", "CVE-2026-25087"),
    ("tqdm", "4.66.2", "CVE-2024-34062"),
    ("distributed", "2025.12.0", "CVE-2026-23528"),
    ("pytest", "9.0.2", "CVE-2025-71176"),
]


def declared() -> list[Requirement]:
    """What pyproject.toml asks for, extras included, this package itself left out."""
    lines = [*PROJECT["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
    found = [Requirement(line) for line in lines]
    return [one for one in found if one.name != PROJECT["name"]]


def locked(lock: Path = LOCK) -> list[tuple[Requirement, list[str]]]:
    """The requirements of a lock file with their hashes."""
    text = re.sub(r"^#.*\n", "", lock.read_text(encoding="utf-8"), flags=re.MULTILINE)
    entries = [one.split() for one in re.sub(r" \\\n\s+", "\t", text).splitlines()]
    found = []
    for entry in entries:
        words = [word for word in entry if not word.startswith("--hash=")]
        found.append((Requirement(" ".join(words)), entry[len(words) :]))
    return found


@pytest.mark.sampled
@pytest.mark.parametrize("wanted", declared(), ids=str)
def test_every_dependency_is_locked_at_a_version_that_it_accepts(wanted):
    versions = [
        next(iter(one.specifier)).version
        for one, _ in locked()
        if canonicalize_name(one.name) == canonicalize_name(wanted.name)
    ]
    assert versions
    assert all(wanted.specifier.contains(version) for version in versions)


def test_every_dependency_of_the_service_is_locked_for_it():
    names = {canonicalize_name(requirement.name) for requirement, _ in locked(SERVE_LOCK)}
    lines = [*PROJECT["dependencies"], *EXTRAS["serve"]]
    assert {canonicalize_name(Requirement(line).name) for line in lines} <= names


def test_the_service_runs_with_the_versions_that_were_tested():
    tested = {str(requirement): hashes for requirement, hashes in locked()}
    served = {str(row): hashes for row, hashes in locked(SERVE_LOCK)}
    assert served.items() <= tested.items()


@pytest.mark.parametrize("lock", [LOCK, SERVE_LOCK], ids=lambda lock: lock.name)
def test_every_locked_version_is_exact_and_has_hashes(lock):
    entries = locked(lock)
    assert len(entries) > 25
    for requirement, hashes in entries:
        assert [one.operator for one in requirement.specifier] == ["=="], requirement
        assert requirement.url is None
        assert hashes, requirement
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in hashes)


@pytest.mark.parametrize("lock", [LOCK, SERVE_LOCK], ids=lambda lock: lock.name)
def test_a_lock_names_no_index_no_folder_and_no_host(lock):
    for line in lock.read_text(encoding="utf-8").splitlines():
        assert re.match(r"#|[a-z0-9]|    --hash=", line), line
        assert not re.search(r"://|file:|index|find-links|/", line), line


def test_setup_installs_by_hash_and_nothing_else_but_this_package():
    command = ["make", "--dry-run", "--always-make", "setup"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    installs = [line for line in told.splitlines() if " install " in line]
    assert len(installs) == 2
    assert "--require-hashes --no-deps --requirement .github/requirements.lock" in installs[0]
    assert "--no-deps --no-build-isolation --editable ." in installs[1]


def test_run_installs_by_hash_and_nothing_but_the_service_needs():
    command = ["make", "--dry-run", "--always-make", "run"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    [install] = [line for line in printed.splitlines() if " install " in line]
    assert "--require-hashes --no-deps --requirement .github/requirements-serve.lock" in install
    assert "--quiet" not in install


@pytest.mark.parametrize(("name", "version", "advisory"), HOLES)
def test_a_version_with_a_known_hole_is_not_accepted(name, version, advisory):
    [wanted] = [one for one in declared() if one.name == name]
    assert not wanted.specifier.contains(version), advisory


def test_uvicorn_has_an_upper_bound_for_its_private_classes_are_used():
    [wanted] = [one for one in declared() if one.name == "uvicorn"]
    assert {one.operator for one in wanted.specifier} == {">=", "<"}


SOME = {"name": "some", "version": "1.0"}
HOLE = {"id": "CVE-2000-1", "fix_versions": ["1.1"]}


@pytest.mark.parametrize(
    ("found", "status", "lines"),
    [
        ([], 0, ["not run here: pip-audit (its database cannot be reached)"]),
        (
            [SOME | {"skip_reason": "not found"}],
            0,
            ["not run here: pip-audit (its database cannot be reached)"],
        ),
        ([SOME | {"vulns": []}], 0, ["1 packages, 0 known vulnerabilities"]),
        (
            [SOME | {"vulns": [HOLE]}, {"name": "own", "skip_reason": "not found"}],
            1,
            [
                "some 1.0: CVE-2000-1, fixed in 1.1",
                "not in the database: own",
                "2 packages, 1 known vulnerabilities",
            ],
        ),
    ],
)
def test_an_audit_tells_holes_and_says_so_where_it_could_not_ask(found, status, lines):
    assert audit.verdict(found) == (status, lines)

"""Making a release: its refusals and its files."""

import json
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
import release
from golden import pairs as golden

from postmeal.glucose.population.weights import read_weights
from postmeal.training.fit.release import write_model

PYPROJECT = '[project]\nname = "postmeal"\nversion = "0.3.0"\n\n[tool.x]\nversion = "9"\n'
CHANGELOG = (
    "# Changelog\n\nWords.\n\n## Unreleased\n\n- A change.\n\n## 0.2.0 – 2026-01-01\n\n- Old.\n"
)
ROOT = Path(__file__).parents[2]


def test_the_version_of_the_project_is_released_first():
    assert release.next_version(PYPROJECT, CHANGELOG, None) == "0.3.0"
    assert release.next_version(PYPROJECT, CHANGELOG, "0.10.0") == "0.10.0"


@pytest.mark.parametrize("version", ["0.2.0", "0.1.9", "1.2", "1.2.3rc1", "v1.2.3"])
def test_a_released_lower_or_malformed_version_is_refused(version):
    with pytest.raises(release.ReleaseError, match=r"VERSION|released already"):
        release.next_version(PYPROJECT, CHANGELOG, version)


def test_only_the_version_of_the_project_changes():
    assert release.with_version(PYPROJECT, "1.0.0") == PYPROJECT.replace("0.3.0", "1.0.0")


def test_the_unreleased_changes_move_under_the_version():
    text = release.with_release(CHANGELOG, "0.3.0", date(2026, 5, 1), "Model: m.")
    assert text == (
        "# Changelog\n\nWords.\n\n## Unreleased\n\n## 0.3.0 – 2026-05-01\n\nModel: m.\n\n"
        "- A change.\n\n## 0.2.0 – 2026-01-01\n\n- Old.\n"
    )
    with pytest.raises(release.ReleaseError, match="nothing under"):
        release.with_release(text, "0.4.0", date(2026, 5, 2), "Model: m.")


def test_a_further_release_of_this_project_can_be_made():
    texts = [
        (ROOT / file).read_text(encoding="utf-8")
        for file in ("pyproject.toml", "docs/changelog.md")
    ]
    version = release.next_version(*texts, "99.0.0")
    texts[1] = texts[1].replace("## Unreleased\n", "## Unreleased\n\n- A change.\n")
    assert "## 99.0.0 – 2026-05-01" in release.with_release(
        texts[1], version, date(2026, 5, 1), release.model_line(ROOT / "models")
    )


def test_the_golden_pairs_of_the_released_model_are_written_again_to_the_byte(tmp_path):
    file = tmp_path / "pairs.json"
    assert release.write_golden_pairs(ROOT / "models" / "population", file) >= 80
    assert file.read_bytes() == golden.FILE.read_bytes()
    assert list(tmp_path.iterdir()) == [file]


def test_another_model_gives_other_golden_pairs(tmp_path):
    weights = json.loads(json.dumps(read_weights()))
    weights["population"]["log_gain"][0] += 0.01
    weights["version"] = "77"
    write_model(weights, tmp_path / "population")
    file = tmp_path / "pairs.json"
    release.write_golden_pairs(tmp_path / "population", file)
    assert golden.read_pairs(file)["model"] == "population-77"
    assert file.read_bytes() != golden.FILE.read_bytes()


def test_a_package_that_differs_from_the_reference_cannot_be_released(tmp_path, monkeypatch):
    monkeypatch.setattr(release.golden, "predicted", _with_a_higher_range)
    file = tmp_path / "pairs.json"
    with pytest.raises(release.ReleaseError, match=r"differ at .*cgp_max: \d+, expected \d+"):
        release.write_golden_pairs(ROOT / "models" / "population", file)
    assert not file.exists()


_predicted = golden.predicted


def _with_a_higher_range(predictor, case):
    found = _predicted(predictor, case)
    return found | {"cgp_max": found["cgp_max"] + 1}


def test_a_tag_must_name_the_version():
    assert release.tagged_version('version = "1.2.3"\n', "v1.2.3") == "1.2.3"
    with pytest.raises(
        release.ReleaseError, match=r"the tag must be v and .* 1\.2\.3, got v1\.2\.4"
    ):
        release.tagged_version('version = "1.2.3"\n', "v1.2.4")


def test_only_a_release_writes_golden_pairs():
    users = [
        file.relative_to(ROOT).as_posix()
        for folder in ("tests", "src", "serve", "benchmarks", "tools")
        for file in (ROOT / folder).rglob("*.py")
        if "write_pairs(" in file.read_text(encoding="utf-8")
    ]
    assert sorted(users) == [
        "tests/project/test_release.py",
        "tests/support/golden/pairs.py",
        "tests/support/release.py",
    ]


def test_the_verb_refuses_on_one_line():
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "support" / "release.py", "--version", "1.2"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert (
        done.stderr == "release refused: VERSION must be three numbers such as 1.2.3, got '1.2'\n"
    )

"""The command ``postmeal train cohort``: what it prints, records and refuses."""

import json
import os
from pathlib import Path

import pytest
from cohort_company import Company

from postmeal.cli import main

N_USERS = 8


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Company:
    return Company.founded(tmp_path_factory.mktemp("company"), N_USERS)


@pytest.fixture
def tracking(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.mark.reliability
def test_the_command_tells_counts_and_records_one_run_for_all(
    company: Company, tmp_path: Path, tracking: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from postmeal.training.registry.mlflow_runs import tracking_client

    words = ["train", "cohort", str(company.folder), "--output", str(tmp_path / "out")]
    words += ["--backend", "serial", "--tracking", tracking]
    for _ in range(2):
        assert main(words) == 0
        printed = capsys.readouterr().out
        assert f"{N_USERS} users: {N_USERS} trained; " in printed
        assert str(tmp_path / "out" / "refused.csv") in printed
    client = tracking_client(tracking)
    (experiment,) = [one for one in client.search_experiments() if one.name == "postmeal"]
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.data.metrics["users"] == run.data.metrics["trained"] == N_USERS
    assert run.data.metrics["gain_percent/p50"] > 0
    assert run.data.metrics["users_per_s"] > 0
    files = {one.path for one in client.list_artifacts(run.info.run_id)}
    assert files == {"outcome.png", "gains.png"}
    assert "u0000" not in json.dumps([run.data.params, run.data.tags])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["train"], "--data is required; to train a cohort, use postmeal train cohort FOLDER"),
        (["train", "cohort", "x"], "the following arguments are required: --output"),
        (["train", "cohort", "/none", "--output", "o"], "has no folder such as readings/bucket=0"),
        (
            ["train", "cohort", "C", "--output", "o", "--backend", "x"],
            "loky, dask, serial; got 'x'",
        ),
        (
            ["train", "cohort", "C", "--output", "o", "--workers", "0"],
            "--workers must be a whole number of 1 or more",
        ),
        (
            ["train", "cohort", "C", "--output", "o", "--chunk-users", "0"],
            "must be a whole number of 1 or more",
        ),
        (
            ["train", "cohort", "C", "--output", "o", "--scheduler", "tcp://x"],
            "scheduler must be omitted for the backend loky",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(
    company: Company,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    os.symlink(company.folder, tmp_path / "C")
    try:
        status = main(words)
    except SystemExit as stopped:
        status = int(str(stopped.code))
    printed = capsys.readouterr()
    assert status == 2
    assert told in printed.err
    assert printed.out == ""
    assert "Traceback" not in printed.err

"""The README is kept true: its Python runs, its commands exist, its figures are the card's."""

import argparse
import gzip
import json
import os
import re
import shlex
import socket
import subprocess
import sys
import time
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from export_files import CLARITY, egv

import postmeal.cli as cli
from postmeal.foods.catalog import Catalog

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODELS = ("population", "challenger", "carb line", "condition mean")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def verbs(parser: argparse.ArgumentParser, prefix: str = "") -> set[str]:
    """Every command with its words, such as "foods search"."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        return {prefix}
    found: set[str] = set()
    for name, inner in groups[0].choices.items():
        found |= verbs(inner, f"{prefix} {name}".strip())
    return found


def write_a_week(folder: Path) -> None:
    """The files of somebody who wore a sensor for a week and ate twice a day."""
    start = datetime(2026, 5, 1)
    times = (start + timedelta(minutes=15 * n) for n in range(96 * 7))
    rows = [egv(f"{time:%Y-%m-%dT%H:%M:%S}", 90 + n % 40) for n, time in enumerate(times)]
    (folder / "clarity.csv").write_text("\n".join([CLARITY, *rows]))
    eaten = [f"2026-05-0{day}T{hour}:00,1 banana" for day in range(1, 8) for hour in ("08", "13")]
    (folder / "meals.csv").write_text("\n".join(["time,meal", *eaten]))


def test_the_python_runs_from_top_to_bottom(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_a_week(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    told = capsys.readouterr().out
    assert "age must be less than or equal to 120, got 200" in told
    assert "7 valid days, 5 needed" in told
    assert len(names["kept"]) < 2000


def test_the_commands_run_as_they_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    lines = re.findall(r"^\$ postmeal ((?:predict|foods) .*)$", README, re.MULTILINE)
    assert len(lines) >= 4
    for line in lines:
        assert cli.main(shlex.split(line)) == 0, line
        assert capsys.readouterr().out


def test_every_other_command_takes_the_options_that_are_shown() -> None:
    lines = re.findall(r"^\$ postmeal ((?:datasets|evaluate|card|train) .*)$", README, re.MULTILINE)
    assert {line.split()[0] for line in lines} == {"datasets", "evaluate", "card", "train"}
    for line in lines:
        assert callable(cli._parser().parse_args(shlex.split(line)).run)


def test_every_command_is_in_the_readme_and_none_else() -> None:
    known = verbs(cli._parser())
    named = {verb for verb in known if re.search(rf"(?:`|postmeal ){verb}\b", README)}
    assert named == known
    said = set(re.findall(r"(?:\$ |`)postmeal ([a-z]+)", README))
    assert said <= {verb.split()[0] for verb in known}


def test_every_verb_of_make_is_in_the_readme_and_none_else() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    known = set(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    said = set(re.findall(r"(?:\$ |`)make ([a-z-]+)", README))
    assert said == known


def test_the_bodies_over_http_are_answered(api: Any) -> None:
    new, old = map(json.loads, blocks("json"))
    answer = api.predict(new)
    assert answer.status_code == 200
    assert len(answer.json()["points"]) == 9
    answer_old = api.predict_old(old)
    assert answer_old.status_code == 200
    assert [value for _, value in answer_old.json()["cgp"]] == [
        point["value"] for point in answer.json()["points"]
    ]


def test_a_partners_first_day_works_as_it_is_written(tmp_path: Path) -> None:
    (script,) = blocks("bash")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"POSTMEAL_STATE_DIR": str(tmp_path), "POSTMEAL_PORT": str(port)}
    paths = {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-m", "-c", script],
        env={**os.environ, **paths, **own},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    assert '"name":"Snack"' in done.stdout
    assert done.stdout.count('"consumed_serving"') == 2  # as it was logged, as it was read
    assert '{"revoked_count":1}' in done.stdout
    assert '"used_credits":0' in done.stdout
    assert "HTTP/1.1 401" in done.stdout
    assert re.search(r"[3-9] requests, 0 credits so far", done.stdout)


def test_a_download_becomes_a_service_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the download itself, whose file is one of a single product here."""
    (script,) = blocks("sh")
    download, take, make, serve = script.splitlines()
    product = "code\tproduct_name\tcarbohydrates_100g\n3017620422003\tHazel spread\t57.5\n"
    monkeypatch.chdir(tmp_path)
    Path(download.rpartition("/")[2]).write_bytes(gzip.compress(product.encode()))
    for command in (take, make):
        assert cli.main(shlex.split(command)[1:]) == 0
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {"POSTMEAL_STATE_DIR": str(tmp_path / "state"), "POSTMEAL_PORT": str(port)}
    setting, program, *words = shlex.split(serve)
    catalogue = dict([setting.split("=", 1)])
    assert program == "python"
    server = subprocess.Popen(
        [sys.executable, *words],
        env={**os.environ, **own, **catalogue, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        for _ in range(3000):
            with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/readyz") as answer:
                assert answer.status == 200
                break
            assert server.poll() is None
            time.sleep(0.1)
        else:
            raise AssertionError("the service is not ready")
    finally:
        server.terminate()
        server.wait()
    with closing(Catalog(Path(catalogue["POSTMEAL_CATALOG_FILE"]))) as catalog:
        assert catalog.barcode("3017620422003").name == "Hazel spread"


def test_the_figures_are_those_of_the_evaluation() -> None:
    metrics = json.loads((ROOT / "models/population/metrics.json").read_text(encoding="utf-8"))
    for wanted in (figures(metrics["frozen"]), personal_figures(metrics["forward"])):
        assert wanted in README, f"the table should be\n{wanted}"


def figures(frozen: dict[str, Any]) -> str:
    """Write the README's table of figures."""
    lines = ["| sensor | model | rise RMSE | iAUC r | r within a person | inside the band |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for sensor, result in frozen.items():
        for model in MODELS:
            one = result["models"][model]
            error, area = f"{one['rise_rmse_mg_dl']:.1f}", f"{one['iauc_r']:.2f}"
            within = f"{one['within_person_iauc_r']:.2f}" if one["within_person_iauc_r"] else "–"
            inside = f"{one['coverage']:.0%}" if "coverage" in one else "–"
            name = {"population": "postmeal", "challenger": "LightGBM"}.get(model, model)
            lines.append(f"| {sensor} | {name} | {error} | {area} | {within} | {inside} |")
    return "\n".join(lines)


def personal_figures(forward: dict[str, Any]) -> str:
    """Write the README's table of what five days are worth."""
    head = ("sensor", "model", "RMSE", "rise RMSE", "iAUC r", "r within a person")
    lines = [f"| {' | '.join((*head, 'inside the band', 'its width'))} |"]
    lines.append("|" + " --- |" * (len(head) + 2))
    names = {"population": "population", "person mean": "person mean", "served": "personal"}
    for sensor, result in forward.items():
        for model, name in names.items():
            one = result["models"][model]
            errors = f"{one['absolute_rmse_mg_dl']:.1f} | {one['rise_rmse_mg_dl']:.1f}"
            area = f"{one['iauc_r']:.2f}"
            within = f"{one['within_person_iauc_r']:.2f}" if one["within_person_iauc_r"] else "–"
            inside = f"{one['coverage']:.0%}" if "coverage" in one else "–"
            width = f"{one['width_mg_dl']:.0f}" if "coverage" in one else "–"
            lines.append(
                f"| {sensor} | {name} | {errors} | {area} | {within} | {inside} | {width} |"
            )
    return "\n".join(lines)


def test_links_lead_to_files() -> None:
    for target in re.findall(r"\]\((?!http)([^)]+)\)", README):
        assert (ROOT / target).exists(), target


def test_the_table_of_reliability_names_every_row_of_its_list() -> None:
    """Sixteen rows of security, S1 to S16, and twenty-two of reliability, R1 to R22."""
    table = README.partition("### Reliability")[2].partition("\n## ")[0]
    named = {
        name
        for cells in re.findall(r"^\| ([SR\d, ]+) \|", table, re.MULTILINE)
        for name in cells.split(", ")
    }
    assert named == {f"S{n}" for n in range(1, 17)} | {f"R{n}" for n in range(1, 23)}

"""The README is kept true: its Python runs, its commands exist, its figures are the card's."""

import argparse
import json
import re
from pathlib import Path
from typing import Any

import postmeal.cli as cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MODELS = ("population", "challenger", "carb line", "condition mean")


def verbs(parser: argparse.ArgumentParser, prefix: str = "") -> set[str]:
    """Every command with its words, such as "foods search"."""
    groups = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not groups:
        return {prefix}
    found: set[str] = set()
    for name, inner in groups[0].choices.items():
        found |= verbs(inner, f"{prefix} {name}".strip())
    return found


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

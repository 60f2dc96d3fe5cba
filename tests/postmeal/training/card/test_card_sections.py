"""The sections of the card show the metrics, and the card is complete without unseen people."""

import json
import re

import pytest

from postmeal.assets import asset
from postmeal.training.card.coefficients import (
    at_the_prior,
    coefficients_section,
    mostly_prior,
)
from postmeal.training.card.comparisons import comparison_table, conclusion
from postmeal.training.card.findings import findings_section
from postmeal.training.card.model_card import write_card
from postmeal.training.card.one_sided_misses import misses_section
from postmeal.training.card.rise_bias import rise_bias_section
from postmeal.training.card.rungs import KNOWN, rungs_section
from postmeal.training.card.standard_loads import standard_loads_section
from postmeal.training.card.wrapping import wrapped

METRICS = json.loads(asset("models/population/metrics.json").read_text(encoding="utf-8"))

KNOWING = json.loads(asset("models/population-4/metrics.json").read_text(encoding="utf-8"))


def rows(section):
    return [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]


def test_the_advantage_is_the_less_favorable_end_of_the_interval():
    table = rows(comparison_table({"challenger": (-0.89, -1.59, -0.27), "other": (0.1, -0.4, 0.6)}))
    assert table[2] == ["LightGBM", "0.27", "-0.89 (-1.59 to -0.27)", "tie"]
    assert table[3] == ["other", "-0.60", "+0.10 (-0.40 to +0.60)", "tie"]


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(-2.0, -0.5, "better"), (-2.0, -0.49, "tie"), (-0.1, 0.1, "tie"), (0.5, 2.0, "worse")],
)
def test_a_comparison_is_a_tie_unless_the_whole_interval_is_beyond_half_a_mg_dl(
    low, high, expected
):
    assert conclusion(low, high) == expected


def test_the_coefficients_at_the_prior_are_those_that_the_rule_marks():
    marked = [
        name
        for name, one in METRICS["coefficients"].items()
        if one["sd"] > 0.9 * one["prior_sd"]
        and abs(one["mean"] - one["prior_mean"]) < 0.5 * one["prior_sd"]
    ]
    assert at_the_prior(METRICS) == marked
    section = coefficients_section(METRICS)
    shown = [row[0].strip("`") for row in rows(section) if row[-1] == "prior"]
    assert shown == marked
    assert f'"Prior" marks the {len(marked)} that the data hardly changed' in " ".join(
        section.split()
    )


def test_the_prior_dominates_where_the_data_add_less_information_than_it_has():
    """Information is the inverse of the variance; that of the data is what the prior lacks."""
    dominated = [
        name
        for name, one in METRICS["coefficients"].items()
        if one["sd"] ** -2 - one["prior_sd"] ** -2 < one["prior_sd"] ** -2
    ]
    assert mostly_prior(METRICS) == dominated
    text = " ".join(findings_section(METRICS).split())
    assert f"For {len(dominated)} of {len(METRICS['coefficients'])} coefficients" in text


def test_the_bias_is_shown_for_every_set_state_and_minute():
    shown = rows(rise_bias_section(METRICS))
    by_group = {(row[0], row[1]): row for row in shown}
    libre = METRICS["frozen"]["Libre Pro"]["bias"]["type_2"]
    row = by_group["CGMacros, Libre Pro", "type 2 diabetes"]
    assert row[2] == str(libre["n_meals"])
    for cell, minute in zip(row[3:7], ("30", "60", "90", "120"), strict=True):
        bias, observed = libre["bias_mg_dl"][minute], libre["observed_mg_dl"][minute]
        assert cell == f"{round(bias) + 0.0:+.0f} ({observed:.0f})"
    assert {name for name, _ in by_group} >= {
        "BIG IDEAs, left out",
        "Hall 2018, left out",
        "ShanghaiT2DM, left out",
        "glucose tolerance tests, left out",
        "CGMacros, Dexcom G6 Pro",
    }


def test_misses_are_shown_for_all_meals_and_for_breakfast():
    shown = {(row[0], row[1]): row[2:] for row in rows(misses_section(METRICS))}
    for sensor, one in METRICS["frozen"].items():
        for meals, part in one["misses"].items():
            expected = [part["n_meals"], part["share_above"], part["share_below"]]
            assert [float(cell) for cell in shown[sensor, meals]] == pytest.approx(
                expected, abs=5e-4
            )


def test_the_predicted_rise_of_a_drink_is_the_observed_one_plus_the_bias():
    drinks = METRICS["standard_loads"]["glucose_drinks"]
    shown = {row[0]: row for row in rows(standard_loads_section(METRICS))}
    one = drinks["prediabetes"]
    observed, predicted = (shown["prediabetes"][column].split(" / ") for column in (3, 4))
    for minute, before, after in zip(("30", "60", "90", "120"), observed, predicted, strict=True):
        difference = float(after) - float(before)
        assert difference == pytest.approx(one["bias_mg_dl"][minute], abs=1.0)
    assert shown["prediabetes"][6] == f"{one['iauc_ratio']:.2f}"


def test_the_findings_name_the_tie_with_lightgbm_and_the_people_under_80_percent():
    text = " ".join(findings_section(METRICS).split())
    assert "The two models tie with the Dexcom G6 Pro and the Libre Pro." in text
    for sensor, one in METRICS["frozen"].items():
        share = one["models"]["population"]["people_under_80_percent"]
        assert f"{share:.0%} of people ({sensor})" in text
        assert f"{one['misses']['breakfast']['share_above']:.1%} ({sensor})" in text
    shanghai = METRICS["forward_left_out"]["shanghai"]["by_age"]["days 8-14"]
    before, after = (shanghai[name]["absolute_rmse_mg_dl"] for name in ("population", "served"))
    assert f"{before:.1f} → {after:.1f} (days 8-14)" in text


def test_the_card_shows_each_state_of_knowledge_and_its_differences():
    figures, plain, rival = (
        {(row[0], row[1]): row[2:] for row in rows(part)}
        for part in re.split(r"\nCompared with ", rungs_section(KNOWING))
    )
    for sensor, rungs in KNOWING["rungs"].items():
        assert list(rungs) == list(KNOWN)
        for name, one in rungs.items():
            own, key = one["models"]["postmeal"], (KNOWN[name], sensor)
            assert figures[key][0] == str(own["n_meals"])
            assert figures[key][1] == f"{own['absolute_rmse_mg_dl']:.1f}"
            assert figures[key][3] == f"{own['iauc_r']:.3f}"
            less = one["paired"]["challenger"]
            assert f"({less['rise_low']:+.2f} to {less['rise_high']:+.2f})" in rival[key][2]
            assert rival[key][3] == conclusion(less["rise_low"], less["rise_high"])
            assert (key in plain) == (name != "condition")


def test_a_card_can_be_written_without_unseen_people(tmp_path):
    metrics = {
        key: value
        for key, value in METRICS.items()
        if key not in ("unseen", "frozen", "with_reading", "forward", "rungs")
    }
    weights = asset("models/population/weights.json").read_bytes()
    (tmp_path / "weights.json").write_bytes(weights)
    write_card(tmp_path, metrics)
    card = (tmp_path / "card.md").read_text(encoding="utf-8")
    page = (tmp_path / "evaluation.md").read_text(encoding="utf-8")
    assert "CGMacros" not in card + page
    assert "## Protocol 1" in page
    assert "## Protocol 2" not in page


def test_the_card_links_to_its_own_headings():
    card = asset("models/population/card.md").read_text(encoding="utf-8")
    personal = asset("models/population/personal.md").read_text(encoding="utf-8")
    for page, text in (("", card), ("personal.md", personal)):
        anchors = {
            re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        }
        links = set(re.findall(rf"\]\({page}#([\w-]+)\)", card))
        assert links
        assert links <= anchors


@pytest.mark.parametrize(
    "stale",
    ["all taken as normal", "holds no HbA1c", "glycemic index of the foods changes nothing"],
)
def test_the_card_makes_no_claim_of_earlier_versions(stale):
    card = " ".join(asset("models/population/card.md").read_text(encoding="utf-8").split())
    assert stale not in card


def test_generated_lines_have_at_most_100_characters_except_in_tables_and_pictures():
    for name in ("card", "evaluation", "personal"):
        text = asset(f"models/population/{name}.md").read_text(encoding="utf-8")
        long = [line for line in text.splitlines() if len(line) > 100]
        assert all(line.startswith(("|", "!")) for line in long), name


def test_new_line_breaks_change_no_word():
    for name in ("card", "evaluation", "personal"):
        text = asset(f"models/population/{name}.md").read_text(encoding="utf-8")
        assert wrapped(text).split() == text.split()
        assert wrapped(text) == text.removesuffix("\n") or wrapped(text) == text

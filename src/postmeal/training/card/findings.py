"""Section of the model card with the most important findings, in sentences with figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from postmeal.training.card.coefficients import at_the_prior, mostly_prior
from postmeal.training.card.comparisons import conclusion
from postmeal.training.card.worn_test import WORN_TEST
from postmeal.training.datasets import SHORT_NAMES


def findings_section(metrics: dict[str, Any]) -> str:
    """Write the section with the most important findings, favorable or not."""
    findings = [
        *([WORN_TEST, *_unseen_findings(metrics)] if "frozen" in metrics else []),
        _drinks(metrics),
        _type_1(metrics),
        _age(metrics),
        _coefficients(metrics),
    ]
    return "## In short\n\n" + "\n".join(f"- {finding}" for finding in findings)


def _unseen_findings(metrics: dict[str, Any]) -> Iterator[str]:
    frozen = metrics["frozen"]
    intervals = {name: one["paired"]["challenger"] for name, one in frozen.items()}
    advantages = _listed(
        {name: f"{round(-one['high'], 2) + 0.0:.2f}" for name, one in intervals.items()}
    )
    verdicts = {name: conclusion(one["low"], one["high"]) for name, one in intervals.items()}
    ties = [name for name, verdict in verdicts.items() if verdict == "tie"]
    summary = (
        f"The two models tie with the {' and the '.join(ties)}."
        if ties
        else f"Conclusion: {_listed(verdicts)}."
    )
    yield (
        "**LightGBM.** For unseen people, the advantage in rise RMSE over LightGBM with the same "
        f"inputs is {advantages} mg/dL at the less favorable end of the 95% interval over people. "
        f"{summary}"
    )
    above = {name: f"{one['misses']['all']['share_above']:.1%}" for name, one in frozen.items()}
    mornings = {
        name: f"{one['misses']['breakfast']['share_above']:.1%}"
        for name, one in frozen.items()
        if "breakfast" in one["misses"]
    }
    yield (
        f"**One-sided misses.** Instead of 5%, the share of readings above the band is "
        f"{_listed(above)}; at breakfast, it is {_listed(mornings)}."
    )
    under = {
        name: f"{one['models']['population']['people_under_80_percent']:.0%}"
        for name, one in frozen.items()
    }
    yield f"**People under 80%.** The band holds less than 80% of the readings of {_of(under)}."


def _drinks(metrics: dict[str, Any]) -> str:
    drinks = metrics["standard_loads"]["glucose_drinks"]
    ratios = ", ".join(
        f"{drinks[state]['iauc_ratio']:.2f} in {name}"
        for state, name in (
            ("normal", "normal regulation"),
            ("prediabetes", "prediabetes"),
            ("type_2", "type 2 diabetes"),
        )
        if state in drinks
    )
    return (
        f"**Standard loads.** After 75 g of glucose, the predicted area is the observed one times "
        f"{ratios}, if these tests are left out of the fit."
    )


def _type_1(metrics: dict[str, Any]) -> str:
    models = metrics["forward_left_out"]["t1d_uom"]["models"]
    own, personal = models["population"], models["served"]
    return (
        f"**Type 1 diabetes.** For people who were left out, iAUC r is {own['iauc_r']:.2f} and "
        f"macro-F1 {own['macro_f1']:.2f}, and {personal['iauc_r']:.2f} and "
        f"{personal['macro_f1']:.2f} with personal models. The impact score is not informative."
    )


def _age(metrics: dict[str, Any]) -> str:
    parts = []
    for name, one in metrics["forward_left_out"].items():
        changes = [
            f"{models['population']['absolute_rmse_mg_dl']:.1f} → "
            f"{models['served']['absolute_rmse_mg_dl']:.1f} ({age})"
            for age, models in one["by_age"].items()
        ]
        parts.append(f"{SHORT_NAMES[name]} {', '.join(changes)}")
    return (
        "**Age of personal models.** Absolute RMSE in mg/dL without and with a personal model, by "
        f"days after the last training day: {'; '.join(parts)}."
    )


def _coefficients(metrics: dict[str, Any]) -> str:
    n_coefficients = len(metrics["coefficients"])
    return (
        f"**Coefficients.** For {len(mostly_prior(metrics))} of {n_coefficients} coefficients, the "
        "prior contains more information than the data; "
        f"{len(at_the_prior(metrics))} hardly changed ([table](#prior-and-posterior))."
    )


def _listed(values: dict[str, str]) -> str:
    return " and ".join(f"{value} ({name})" for name, value in values.items())


def _of(shares: dict[str, str]) -> str:
    return " and ".join(f"{share} of people ({name})" for name, share in shares.items())

"""Section of the model card about the priors and posteriors of the coefficients."""

from __future__ import annotations

from typing import Any

from postmeal.training.card.tables import table
from postmeal.training.fit.coefficient_posterior import LEAST_MOVE_SD, LEAST_NARROWING


def at_the_prior(metrics: dict[str, Any]) -> list[str]:
    """Return the names of the coefficients that the data hardly moved from their priors."""
    return [name for name, one in metrics["coefficients"].items() if one["is_prior"]]


def mostly_prior(metrics: dict[str, Any]) -> list[str]:
    """Return the names of the coefficients whose prior contains more information than the data.

    Information is the inverse of the variance. The information of the posterior is the sum of the
    information of the prior and of the data.
    """
    return [
        name
        for name, one in metrics["coefficients"].items()
        if one["sd"] ** 2 > one["prior_sd"] ** 2 / 2
    ]


def coefficients_section(metrics: dict[str, Any]) -> str:
    """Write the section about priors and posteriors from ``metrics["coefficients"]``."""
    coefficients = metrics["coefficients"]
    rows = table(
        ("coefficient", "prior", "posterior", "moved by, prior SD", "SD ratio", ""),
        (_row(name, one) for name, one in coefficients.items()),
    )
    return f"""## Prior and posterior

Mean ± standard deviation (SD) of each fitted coefficient. The prior is the one that the fit uses:
its SD is divided by 4, the square root of the prior strength, or by 2 for coefficients without
physiological knowledge. The posterior is a normal approximation (Laplace) from the curvature of the
log posterior at its maximum. The readings of a meal are correlated, and the fit allows for this
with a noise of 80 mg/dL per reading; the SDs depend on that choice. Published responses count as
data.

For {len(mostly_prior(metrics))} of {len(coefficients)} coefficients, the prior contains more
information than the data (SD ratio above 0.71). "Prior" marks the {len(at_the_prior(metrics))} that
the data hardly changed: the posterior SD is more than {LEAST_NARROWING:g} of the prior SD, and the
mean moved by less than {LEAST_MOVE_SD:g} prior SD. The weights of glucose and of sugary foods are
not in the table, because they were set after separate fits.

{rows}"""


def _row(name: str, one: dict[str, Any]) -> tuple[object, ...]:
    moved = (one["mean"] - one["prior_mean"]) / one["prior_sd"]
    return (
        f"`{name}`",
        f"{one['prior_mean']:.3g} ± {one['prior_sd']:.2g}",
        f"{one['mean']:.3g} ± {one['sd']:.2g}",
        f"{moved:+.1f}",
        f"{one['sd'] / one['prior_sd']:.2f}",
        "prior" if one["is_prior"] else "",
    )

"""Plot of search times by the number of foods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.food_search_figures import Cost, Scale

__all__ = ["plot"]

_COLORS = ("#1b6ca8", "#2a9d8f", "#7b5ea7", "#e08e1d", "#6c757d")


def plot(
    scales: Sequence[Scale],
    peers: Mapping[str, Cost],
    aims: Mapping[str, tuple[float, float | None]],
    path: Path,
) -> None:
    """Plot p50 and p99 of each kind of query; crosses show PostgreSQL, dotted lines show aims."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, sides = pyplot.subplots(1, 2, figsize=(11, 4.6), sharex=True, sharey=True)
    for side, name, title, at in zip(
        sides, ("p50_ms", "p99_ms"), ("p50", "p99"), (0, 1), strict=True
    ):
        for color, kind in zip(_COLORS, aims, strict=True):
            rows = [scale.rows for scale in scales]
            times_ms = [getattr(scale.costs[kind], name) for scale in scales]
            side.plot(rows, times_ms, "o-", color=color, label=kind)
            if kind in peers:
                side.plot(rows[0], getattr(peers[kind], name), "x", color=color, markersize=9)
            if (aim_ms := aims[kind][at]) is not None:
                side.axhline(aim_ms, color=color, linestyle=":", linewidth=1)
        side.set(xscale="log", yscale="log", xlabel="foods", title=title)
        side.grid(alpha=0.3, which="both", linewidth=0.4)
    sides[0].set_ylabel("ms")
    sides[0].plot([], [], "kx", label="PostgreSQL full text")
    sides[0].plot([], [], "k:", label="aim")
    sides[0].legend(fontsize=8, loc="upper left")
    figure.tight_layout()
    figure.savefig(path, dpi=130)
    pyplot.close(figure)

"""Models promoted, rolled back and broken while predictions are asked for."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from itertools import count
from pathlib import Path

import pytest
from api_client import PREDICT, Api, changed
from few_foods import few_foods
from raw_client import RawClient
from real_server import RealServer
from stored_models import break_promotion, curve_of, store_with, version_after, weights_as

from postmeal.glucose.model_store import ModelStore
from postmeal.training.registry.promotion import promote, rollback

NAMES = tuple(version_after(steps) for steps in (1, 2, 3, 4))
CLIENTS, WORKERS, BODIES = 8, 2, 20

pytestmark = pytest.mark.reliability


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("asked", [10_000, pytest.param(200_000, marks=pytest.mark.soak)])
def test_every_answer_is_of_one_model_while_models_come_and_go(tmp_path: Path, asked: int):
    """R15: every curve is one model's, and each process goes forth and back."""
    store = store_with(tmp_path / "store", *NAMES)
    pinned = store.registry().sha256
    predictors = {name: store.load(name, sha256) for name, sha256 in pinned.items()}
    with Api(tmp_path / "library") as api:
        bodies = [changed(api.body(), "foods.0.quantity", 0.1 + n / 4) for n in range(BODIES)]
        curves = [
            {tuple(curve_of(one, body, api.service)): name for name, one in predictors.items()}
            for body in bodies
        ]
    assert {len(one) for one in curves} == {len(predictors)}

    given = {"model_store": tmp_path / "store", "workers": WORKERS, "log_level": "error"}
    given["food_table"] = few_foods(tmp_path)
    with RealServer(tmp_path / "server", **given) as server:
        answered, swaps = asyncio.run(ask_meanwhile(server, store, bodies, curves, asked))
    assert sum(answered.values()) >= asked
    assert set(answered) == set(predictors)
    print(f"\nR15: {sum(answered.values())} answers, each one model's; {dict(swaps)}")


async def ask_meanwhile(
    server: RealServer,
    store: ModelStore,
    bodies: list[dict[str, object]],
    curves: list[dict[tuple[float, ...], str]],
    asked: int,
) -> tuple[Counter[str], Counter[str]]:
    """Ask with clients while models are swapped: the model of each answer, and the swaps."""
    answered: Counter[str] = Counter()
    turns = count()

    async def ask() -> None:
        async with RawClient(server.port, server.keys["v1.2"]) as client:
            while sum(answered.values()) < asked or len(answered) < len(NAMES) + 1:
                which = next(turns) % BODIES
                answer = await client.ask("POST", PREDICT, bodies[which])
                assert answer.status == 200, answer.body
                curve = tuple(point["value"] for point in answer.body["points"])
                answered[curves[which][curve]] += 1

    swapping = asyncio.create_task(swap_without_end(store.folder, swaps := Counter()))
    try:
        await asyncio.gather(*(ask() for _ in range(CLIENTS)))
    finally:
        swapping.cancel()
    return answered, swaps


async def swap_without_end(folder: Path, swaps: Counter[str]) -> None:
    """Promote, roll back and break, by chance, a few times a second."""
    chance = random.Random(15)
    while True:
        await asyncio.sleep(chance.uniform(0, 0.6))
        registry = ModelStore(folder).registry()
        kind = chance.choice(("promoted", "promoted", "rolled back", "broken"))
        if kind == "promoted":
            await asyncio.to_thread(promote, folder, weights_as(chance.choice(NAMES)))
        elif kind == "rolled back" and registry.earlier:
            await asyncio.to_thread(rollback, folder)
        elif kind == "broken":
            break_promotion(folder)
            await asyncio.sleep(chance.uniform(0, 0.6))
            (folder / "new").write_bytes(registry.content())
            (folder / "new").replace(folder / "registry.toml")
        swaps[kind] += 1

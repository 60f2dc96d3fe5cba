"""The catalogue's file is replaced while foods are asked for."""

from __future__ import annotations

import asyncio
from itertools import count
from pathlib import Path

import pytest
from raw_client import RawClient
from real_server import RealServer
from stored_catalogs import FOODS, catalogue_of, generations

CLIENTS, WORKERS, SWAPS = 8, 2, 20

pytestmark = pytest.mark.reliability


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("swaps", [SWAPS, pytest.param(500, marks=pytest.mark.soak)])
def test_every_answer_is_of_one_catalogue_while_the_file_is_replaced(tmp_path: Path, swaps: int):
    """R15 of the catalogue: no 5xx, no answer of two catalogues, and the last one is served."""
    file = catalogue_of(1, tmp_path / "foods.sqlite3")
    given = {"catalog_file": file, "workers": WORKERS, "log_level": "error"}
    with RealServer(tmp_path / "server", **given) as server:
        seen, answers = asyncio.run(ask_meanwhile(server, file, swaps))
        assert server.lines("request") == []
    assert 1 in seen
    assert swaps + 1 in seen
    print(f"\n{answers} answers during {swaps} replacements, of {len(seen)} catalogues")


async def ask_meanwhile(server: RealServer, file: Path, swaps: int) -> tuple[set[int], int]:
    """Search, complete, look up and scan until every client was served the last catalogue."""
    seen: set[int] = set()
    turns = count()
    answers = 0

    async def ask() -> None:
        nonlocal answers
        async with RawClient(server.port, server.keys["v1.2"]) as client:
            mine: set[int] = set()
            while swaps + 1 not in mine:
                turn = next(turns)
                if turn % 3:
                    path = f"/v1.2/foods?query=biscuit&limit=20&offset={turn % FOODS}"
                else:
                    path = f"/v1.2/foods/{100_000_000 + turn % FOODS}"
                answer = await client.ask("GET", path)
                assert answer.status == 200, (path, answer.body)
                answers += 1
                mine = generations(answer.body.get("items", [answer.body]))
                assert len(mine) <= 1, mine
                seen.update(mine)

    async def replace() -> None:
        for generation in range(2, swaps + 2):
            await asyncio.sleep(0.3)
            await asyncio.to_thread(catalogue_of, generation, file)

    await asyncio.gather(replace(), *(ask() for _ in range(CLIENTS)))
    return seen, answers

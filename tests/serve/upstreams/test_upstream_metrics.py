"""Metrics about questions to services outside."""

from collections import Counter
from pathlib import Path

import httpx2
import pytest
from real_server import RealServer, free_port
from upstream_server import COOKIE, UpstreamServer, cookie


@pytest.mark.reliability
def test_questions_outside_are_counted_by_how_they_went(tmp_path: Path):
    """Row 481: which service and which outcome, never what was asked."""
    port = free_port()
    barcodes = {"live_barcodes": '["open_food_facts"]', "live_barcodes_within_s": 3}
    meals = {"meal_reader_model": "small", "meal_reader_within_s": 30}
    with UpstreamServer(products=[cookie()], reply=lambda _: '{"foods": 7}') as outside:
        addresses = {"open_food_facts_url": outside.address}
        addresses["meal_reader_url"] = f"{outside.address}/v1"
        with RealServer(tmp_path, metrics_port=port, **barcodes, **meals, **addresses) as server:
            statuses: Counter[int] = Counter()
            for outside.fault in ("500", "silence", "429", "another product", ""):
                path = f"/v1.2/foods/barcode/{COOKIE}"
                statuses[server.client.get(path, headers=server.headers()).status_code] += 1
            meal = "/v1.1/search/foods/nlp?query=2+canaries"
            assert server.client.get(meal, headers=server.headers("v1.1")).status_code == 200
            text = httpx2.get(f"http://127.0.0.1:{port}/metrics", verify=False, timeout=60).text
    assert statuses == {502: 2, 504: 1, 503: 1, 200: 1}
    told = [line for line in text.splitlines() if line.startswith("postmeal_upstream")]
    found = {line.partition("{")[2].partition("}")[0]: line.split()[-1] for line in told}
    assert found == {
        'outcome="failed",upstream="open_food_facts"': "1.0",
        'outcome="too slow",upstream="open_food_facts"': "1.0",
        'outcome="busy",upstream="open_food_facts"': "1.0",
        'outcome="answered",upstream="open_food_facts"': "2.0",
        'outcome="unusable",upstream="open_food_facts"': "1.0",
        'outcome="answered",upstream="meal_reader"': "1.0",
        'outcome="unusable",upstream="meal_reader"': "1.0",
    }
    assert COOKIE not in text
    assert "canar" not in text

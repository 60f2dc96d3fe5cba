"""Every fenced block of README.md and of the pages in docs runs, or says why it does not."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from doc_blocks import ROOT, blocks_of, pages
from doc_runner import PageRun, environment, write_samples

PAGES = pages()


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_blocks_of_a_page_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    blocks = blocks_of(page)
    if not blocks:
        return
    write_samples(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)

    def send(method: str, path: str, body: Any) -> tuple[int, Any]:
        api = request.getfixturevalue("api")
        partner = api.partner("documentation")
        headers = partner.headers(path) | {
            "Service-End-User-ID": page.stem,
            "x-partner-user-id": page.stem,
            "x-partner-timezone": "America/New_York",
        }
        options = {} if body is None else {"json": body}
        response = api.client.request(method, path, headers=headers, **options)
        return response.status_code, response.json() if response.content else None

    PageRun(page, tmp_path, send).run(blocks)


def test_blocks_that_do_not_run_give_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """Prints how many are not run and why; they are few."""
    reasons = Counter(
        (name_of(page), block.not_run)
        for page in PAGES
        for block in blocks_of(page)
        if block.not_run
    )
    with capsys.disabled():
        for (page, reason), number in sorted(reasons.items()):
            print(f"\n{page}: {number} blocks not run: {reason}", end="")
    total = sum(len(blocks_of(page)) for page in PAGES)
    assert sum(reasons.values()) <= max(3, total // 10)

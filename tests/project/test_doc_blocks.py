"""Every fenced block of README.md and of the pages in docs runs, or says why it does not."""

from pathlib import Path
from typing import Any

import pytest
from doc_blocks import ROOT, blocks_not_run, blocks_of, pages
from doc_runner import PageRun, environment, write_samples

PAGES = pages()


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.sampled
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


def test_few_blocks_do_not_run() -> None:
    """The end of a run lists them with their reasons; see `skip_report`."""
    total = sum(len(blocks_of(page)) for page in PAGES)
    assert blocks_not_run().total() <= max(3, total // 10)

"""The documentation site: it builds strictly, works offline, and its reference is complete."""

import fcntl
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import postmeal
from postmeal.foods.sources.own_csv import OWN_COLUMNS
from postmeal.foods.table import COLUMNS
from postmeal.frames import INPUT_COLUMNS, TIDY_COLUMNS
from postmeal.glucose.history.exports import FORMATS
from postmeal.restaurants.sources.menu_table import MENU_COLUMNS
from postmeal.restaurants.sources.place_table import PLACE_COLUMNS
from postmeal.training.cohorts.results import USER_COLUMNS
from postmeal.training.datasets import DATA_SETS
from postmeal.training.evaluation.released_model import PREDICTION_COLUMNS
from postmeal_serve.app import OPERATIONS
from postmeal_serve.settings import Settings
from postmeal_serve.wire.errors import STATUS

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"


class Page(HTMLParser):
    """The anchors, links, resources and text of one page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.pieces: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attributes}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag != "a":
            self.resources += [values[name] for name in ("src", "href") if name in values]

    def handle_data(self, data: str) -> None:
        self.pieces.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str) -> Path:
    """The built site; all workers of a run share it."""
    folder = tmp_path_factory.getbasetemp().parent / f"site-{testrun_uid}"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            build(folder)
    return folder


def build(folder: Path) -> None:
    command = ["-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(
        [sys.executable, *command, "--config-file", str(SITE / "mkdocs.yml")],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(folder: Path) -> dict[str, Page]:
    """The pages of the site by their paths."""
    return {file.relative_to(folder).as_posix(): Page(file) for file in folder.rglob("*.html")}


@pytest.mark.reliability
def test_every_link_leads_to_a_page_and_an_anchor(site: dict[str, Page]) -> None:
    """The builder checks links in Markdown; this one checks those of generated HTML, too."""
    dead = []
    for name, page in site.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or name == "404.html":
                continue
            path = os.path.normpath(os.path.join(os.path.dirname(name), unquote(parts.path)))
            target = site.get(path if parts.path else name)
            anchor = unquote(parts.fragment)
            is_file = target is None and path.startswith("repository/")
            if not is_file and (target is None or (anchor and anchor not in target.anchors)):
                dead.append(f"{name}: {link}")
    assert dead == []


def test_pages_load_nothing_from_elsewhere(site: dict[str, Page]) -> None:
    resources = {each for page in site.values() for each in page.resources}
    assert {each for each in resources if urlsplit(each).scheme not in ("", "data")} == set()
    assert not [each for each in resources if each.startswith("//")]


def test_every_setting_is_in_the_reference_with_its_effect(site: dict[str, Page]) -> None:
    from reference_pages.settings_page import effects_of_settings

    page = site["reference/settings.html"]
    for name in Settings.model_fields:
        variable = f"POSTMEAL_{name.upper()}"
        assert variable in page.text
        assert variable.lower() in page.anchors
    assert set(effects_of_settings()) == set(Settings.model_fields)
    assert all(effects_of_settings().values())
    secrets = [name for name, field in Settings.model_fields.items() if "Secret" in str(field)]
    assert page.text.count("secret") >= len(secrets) == 6


def test_every_error_code_is_in_the_reference(site: dict[str, Page]) -> None:
    from reference_pages.error_occasions import NOT_IN_V1_1, OCCASIONS
    from reference_pages.http_page import document_of

    page = site["reference/errors.html"]
    assert set(OCCASIONS) == set(STATUS)
    assert set(STATUS) > NOT_IN_V1_1
    advice = {entry["code"]: entry["help"] for entry in document_of("v1.2")["x-error-codes"]}
    for code, status in STATUS.items():
        assert f"{code}{status}" in page.text
        assert advice[code].replace("`", "") in page.text
        assert code in page.anchors


def test_every_operation_is_in_the_reference_with_a_curl_line(site: dict[str, Page]) -> None:
    for operation in OPERATIONS:
        page = site[f"reference/http_{operation.version.name.replace('.', '_')}.html"]
        assert operation.operation_id in page.anchors
        assert f"{operation.method} {operation.path}" in page.text
        for parameter in operation.parameters:
            assert parameter.name in page.text
    for name in ("v1_1", "v1_2"):
        count = sum(each.operation_id.startswith(name) for each in OPERATIONS)
        assert (
            len(re.findall(r"\bcurl (?:-X|\")", site[f"reference/http_{name}.html"].text)) == count
        )


def test_every_command_and_option_is_in_the_reference(site: dict[str, Page]) -> None:
    from reference_pages.command_line_page import commands

    page = site["reference/command_line.html"]
    assert len(commands()) > 30
    for command in commands():
        assert command.words.replace(" -", "-").replace(" ", "-") in page.anchors
        assert command.words in page.text
        for argument in command.arguments:
            assert argument.help, f"{command.words} {argument.dest}"
            for option in argument.option_strings:
                assert option in page.text


def test_every_public_name_is_in_the_reference(site: dict[str, Page]) -> None:
    from reference_pages.python_pages import PAGES, names_of

    anchors = {
        anchor
        for name, page in site.items()
        if name.startswith("reference/python/")
        for anchor in page.anchors
    }
    assert {f"postmeal.{name}" for name in postmeal.__all__} <= anchors
    for page in PAGES:
        for module in page.modules:
            assert names_of(module), module
            for name in names_of(module):
                assert {f"{module}.{name}", f"postmeal.{name}"} & anchors, f"{module}.{name}"


def test_every_column_of_every_file_is_in_the_reference(site: dict[str, Page]) -> None:
    text = site["reference/files.html"].text
    columns = {
        *OWN_COLUMNS,
        *PLACE_COLUMNS,
        *(other for others in PLACE_COLUMNS.values() for other in others),
        *MENU_COLUMNS,
        *COLUMNS,
        *INPUT_COLUMNS,
        *TIDY_COLUMNS,
        *PREDICTION_COLUMNS,
        *USER_COLUMNS.names,
        *DATA_SETS,
        *FORMATS,
    }
    assert [name for name in sorted(columns) if name not in text] == []


def test_the_search_index_can_be_read_without_a_server(folder: Path) -> None:
    content = (folder / "search" / "search_index.js").read_text(encoding="utf-8")
    index = json.loads(content.removeprefix("var __index = "))
    assert any("POSTMEAL_WORKERS" in each["text"] for each in index["docs"])
    assert (folder / "assets" / "site" / "iframe-worker.js").exists()

"""The documentation page: its script, run on the documents that it shows."""

import json
import re
import shlex
import shutil
import subprocess
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from api_client import ROOT
from browser import ELEMENTS

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.examples import example_of
from postmeal_serve.wire.errors import STATUS

SCRIPT = ROOT / "serve" / "postmeal_serve" / "web" / "docs.js"
ORIGIN = "https://glucose.example"
# The documents are read from standard input; what the page shows is printed.
DOCUMENTS = """
const main = document.getElementById("main");
document.getElementById = () => main;
const shown = [];
main.replaceChildren = (...parts) => shown.push(...parts);
main.append = (...parts) => shown.push(...parts);
globalThis.matchMedia = () => ({ matches: true });
globalThis.location = { origin: ORIGIN, hash: "" };
const documents = JSON.parse(require("fs").readFileSync(0, "utf8"));
globalThis.fetch = async (path) => ({ json: async () => documents[path] });
process.once("beforeExit", () => {
  if (main.textContent) throw new Error(main.textContent);
  const page = new Element("page");
  page.append(...shown);
  const all = (element) => [element, ...element.parts.filter((part) => part.find).flatMap(all)];
  const elements = all(page);
  const withClass = (name) => elements.filter((each) => each.className === name);
  console.log(JSON.stringify({
    text: page.text,
    ids: elements.map((each) => each.id).filter(Boolean),
    links: elements.map((each) => each.href).filter(Boolean),
    sections: Object.fromEntries(withClass("operation").map((each) => [each.id, each.text])),
    curls: Object.fromEntries(withClass("operation").map((each) =>
      [each.id, all(each).find((part) => part.className === "curl").text])),
  }));
});
"""


@pytest.fixture(scope="module")
def page(api) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node runs the script")
    paths = [f"/{version}/openapi.json" for version in ("v1.1", "v1.2")]
    documents = {path: api.client.get(path).json() for path in paths}
    setup = DOCUMENTS.replace("ORIGIN", json.dumps(ORIGIN))
    run = subprocess.run(
        [node, "-e", ELEMENTS + setup + SCRIPT.read_text(encoding="utf-8")],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    shown: dict[str, Any] = json.loads(run.stdout)
    return shown


def test_the_page_describes_every_operation(page):
    """Row 478: those that answer 201 or 204, and those without a scope, too."""
    assert set(page["sections"]) == {each.operation_id for each in OPERATIONS}
    for operation in OPERATIONS:
        text = page["sections"][operation.operation_id]
        assert operation.summary in text
        assert f"{operation.method} {operation.path}" in text
        assert f"Response {operation.status_code}" in text
        assert all(str(status) in text for status in operation.statuses)
        for parameter in operation.parameters:
            assert parameter.name in text
        for field in operation.body.model_fields if operation.body else {}:
            assert field in text
    assert "undefined" not in page["text"]
    assert "a client token with the scope food_logs:write." in page["text"]


def test_every_response_has_an_example(page):
    for operation in OPERATIONS:
        example = example_of(operation.operation_id).body
        text = page["sections"][operation.operation_id]
        blocks = [json.dumps(example, ensure_ascii=False)] if example is not None else ["No body."]
        assert all(compact(block) in compact(text) for block in blocks), operation.operation_id


def test_every_error_code_is_there_with_its_status(page):
    for code, status in STATUS.items():
        assert f"error-{code}" in page["ids"]
        assert f"{code} {status}" in page["text"]


def test_every_link_within_the_page_leads_somewhere(page):
    """The ids are unique, and the contents list every operation."""
    assert len(page["ids"]) == len(set(page["ids"]))
    html = (ROOT / "serve/postmeal_serve/web/docs.html").read_text(encoding="utf-8")
    ids = {*page["ids"], *re.findall(r'id="([\w-]+)"', html)}
    within = {link[1:] for link in page["links"] if link.startswith("#")}
    assert within <= ids
    assert {each.operation_id for each in OPERATIONS} <= within


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.operation_id)
def test_the_curl_command_sends_the_request_of_the_example(page, operation):
    words = shlex.split(page["curls"][operation.operation_id].replace("\\\n", " "))
    assert words.pop(0) == "curl"
    options: dict[str, list[str]] = {"-X": ["GET"], "-H": [], "-d": []}
    urls = []
    while words:
        word = words.pop(0)
        if word == "-X":
            options["-X"] = [words.pop(0)]
        elif word in options:
            options[word].append(words.pop(0))
        else:
            urls.append(word)
    [url] = [urlsplit(each) for each in urls]
    assert f"{url.scheme}://{url.netloc}" == ORIGIN
    assert options["-X"] == [operation.method]
    sent = dict(header.split(": ", 1) for header in options["-H"])
    assert sent.pop("Authorization") == "Bearer $POSTMEAL_KEY"
    places: dict[str, dict[str, str]] = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.parameters:
        values = example_of(operation.operation_id).parameters
        if parameter.name in values:
            places[parameter.place][parameter.name] = str(values[parameter.name])
    assert unquote(url.path) == operation.path.format(**places["path"])
    assert dict(parse_qsl(url.query)) == places["query"]
    if operation.body is not None:
        assert sent.pop("Content-Type") == "application/json"
        assert [json.loads(body) for body in options["-d"]] == [operation.example]
    assert sent == places["header"]


def test_the_page_loads_nothing_from_elsewhere(api):
    answer = api.client.get("/docs")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for path in ("/docs", "/web/docs.css", "/web/docs.js"):
        answer = api.client.get(path)
        assert answer.status_code == 200
        assert not re.search(r"https?://|\burl\(|@import| style=| onclick=\"", answer.text)


def compact(text: str) -> str:
    return re.sub(r"\s+|(?<=\d)\.0(?=\D)", "", text)

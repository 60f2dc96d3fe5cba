"""The page of documentation: its script, run on the documents that it draws."""

import json
import shutil
import subprocess

import pytest
from api_client import ROOT
from browser import ELEMENTS

from serve.app import OPERATIONS

SCRIPT = ROOT / "serve" / "web" / "docs.js"
# The documents are read from standard input; what was drawn of them is printed.
DOCUMENTS = """
const main = document.getElementById("main");
document.getElementById = () => main;
const documents = JSON.parse(require("fs").readFileSync(0, "utf8"));
globalThis.fetch = async (path) => ({ json: async () => documents[path] });
process.on("exit", () => console.log(JSON.stringify({
  text: main.text, summaries: main.find("summary").map((each) => each.text),
})));
"""


def test_the_page_describes_every_operation(api):
    """Row 478: those that answer 201 or 204, and those without a scope, too."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node runs the script")
    paths = [f"/{version}/openapi.json" for version in ("v1.1", "v1.2")]
    documents = {path: api.client.get(path).json() for path in paths}
    ran = subprocess.run(
        [node, "-e", ELEMENTS + DOCUMENTS + SCRIPT.read_text(encoding="utf-8")],
        input=json.dumps(documents),
        capture_output=True,
        text=True,
        check=True,
    )
    page = json.loads(ran.stdout)
    starts = [f"{method}{each.path} — " for each in OPERATIONS for method in (each.method,)]
    for start in starts:
        assert any(summary.startswith(start) for summary in page["summaries"]), page["text"][:200]
    assert len(page["summaries"]) == len(starts)
    assert "undefined" not in page["text"]
    assert "a client token with the scope food_logs:write." in page["text"]

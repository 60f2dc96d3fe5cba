"""The page that draws a curve: its script, run against a real server."""

import json
import shutil
import subprocess

import pytest
from api_client import ROOT
from browser import ELEMENTS

from postmeal.people import ACTIVITY_LEVELS, HEALTH_CONDITIONS

SCRIPT = ROOT / "serve" / "postmeal_serve" / "web" / "curve.js"
# What a person does, and what the page then shows.
BEFORE = """
const { address, key } = JSON.parse(require("fs").readFileSync(0, "utf8"));
const direct = globalThis.fetch;
const asked = [];
globalThis.location = { hash: `#key=${key}`, pathname: "/" };
globalThis.history = { replaceState: () => { location.hash = ""; } };
globalThis.fetch = async (path, options) => {
  asked.push(path);
  return direct(address + path, options);
};
const person = { age: "45", sex: "female", height: "168", weight: "68" };
for (const [id, value] of Object.entries(person)) document.getElementById(id).value = value;
"""
AFTER = """
const settled = async (is) => {
  for (let turn = 0; turn < 200 && !is(); turn++) await new Promise((done) => setTimeout(done, 25));
};
const buttons = () => at("found").find("button");
(async () => {
  const shown = {};
  await settled(() => at("figures").parts.length);
  shown.begun = at("meal").text;
  shown.hash = location.hash;
  at("query").value = "lasag";
  at("query").oninput();
  await settled(() => buttons().length);
  shown.typed = buttons().map((each) => each.text);
  const before = buttons()[0];
  at("query").value = "lasagna";
  at("query").onkeydown({ key: "x" });
  at("query").onkeydown({ key: "Enter" });
  await settled(() => buttons()[0] !== before);
  shown.searched = buttons().map((each) => each.text);
  at("figures").replaceChildren();
  buttons()[0].onclick();
  await settled(() => at("figures").parts.length);
  shown.meal = at("meal").text;
  shown.left = [at("query").value, buttons().length];
  shown.figures = at("figures").text;
  shown.lines = at("chart").find("polyline").length;
  at("query").value = " ";
  at("query").oninput();
  shown.problem = at("problem").text;
  console.log(JSON.stringify({ ...shown, asked }));
})();
"""


@pytest.mark.reliability
def test_foods_are_suggested_while_one_types_and_eaten_with_a_click(demo):
    """Rows 176, 478: Enter searches, recipes too."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node runs the script")
    ran = subprocess.run(
        [node, "-e", ELEMENTS + BEFORE + SCRIPT.read_text(encoding="utf-8") + AFTER],
        input=json.dumps({"address": demo.address, "key": demo.keys["v1.2"]}),
        capture_output=True,
        text=True,
        check=True,
    )
    shown = json.loads(ran.stdout)
    assert "anana" in shown["begun"]
    assert shown["hash"] == ""
    assert all("asagn" in each and "kcal" in each for each in shown["typed"])
    headers = {"Authorization": f"Bearer {demo.keys['v1.2']}"}
    found = demo.client.get("/v1.2/foods?limit=8&query=lasagna", headers=headers).json()["items"]
    assert [
        each.startswith(food["name"]) for each, food in zip(shown["searched"], found, strict=True)
    ]
    assert found[0]["type"] == "generic"
    assert found[0]["name"] in shown["meal"]
    assert shown["left"] == ["", 0]
    assert "mg/dL" in shown["figures"]
    assert shown["lines"] == 1
    assert shown["problem"] == ""
    searches = [path for path in shown["asked"] if "lasag" in path]
    assert searches == [
        "/v1.2/foods/autocomplete?query=lasag",
        "/v1.2/foods?limit=8&query=lasagna",
    ]


def test_the_page_offers_every_activity_level_and_health_condition(api):
    page = api.client.get("/").text
    assert "<!--" not in page
    for name in (*ACTIVITY_LEVELS, *HEALTH_CONDITIONS):
        assert f'<option value="{name}">' in page

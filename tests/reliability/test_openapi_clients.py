"""Generated clients: the OpenAPI documents lead to programs that compile and that work."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from api_client import ROOT
from openapi_clients import PACKAGES, PYTHON_PACKAGES, typescript_program
from real_server import RealServer

from postmeal_serve.app import OPERATIONS
from postmeal_serve.http.openapi import openapi_document

pytestmark = pytest.mark.reliability

GUIDE = ROOT / "docs/how-to/use_the_python_client.md"
DOCUMENTS = ["", "v1.1", "v1.2"]
CALL = """
import sys
import time
from postmeal_v1_2_client import AuthenticatedClient
from postmeal_v1_2_client.api.v1_2 import v1_2_predict_glucose, v1_2_search_foods
from postmeal_v1_2_client.models import FoodPage, PredictionResponse, PredictionRequest
address, key, body = sys.argv[1:]
import json
with AuthenticatedClient(base_url=address, token=key) as client:
    found = v1_2_search_foods.sync(client=client, query="banana")
    assert isinstance(found, FoodPage) and found.items[0].name, found
    sent = PredictionRequest.from_dict(json.loads(body))
    answer = v1_2_predict_glucose.sync(client=client, body=sent)
    assert isinstance(answer, PredictionResponse) and len(answer.points) == 9, answer
print("works")
"""


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def install(*command: object, cwd: Path) -> None:
    """Install packages; a registry may fail to answer once or twice."""
    for _ in range(4):
        done = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, check=False)
        if not done.returncode:
            return
        time.sleep(5)
    raise AssertionError(done.stderr.decode()[-2000:])


@pytest.fixture(scope="module")
def registries() -> None:
    """npm and its registry, and that of Python."""
    if shutil.which("npm") is None:
        pytest.skip("no npm on this machine")
    look = ["npm", "view", "openapi-typescript", "version"]
    if subprocess.run(look, capture_output=True, check=False).returncode:
        pytest.skip("npm's registry cannot be reached")


@pytest.fixture(scope="module")
def node(registries, tmp_path_factory) -> Path:
    """A folder with the npm packages."""
    folder = tmp_path_factory.mktemp("node")
    install("npm", "install", "--no-audit", "--no-fund", *PACKAGES, cwd=folder)
    (folder / ".spectral.yaml").write_text('extends: ["spectral:oas"]\n')
    return folder


@pytest.fixture(scope="module")
def python(registries, tmp_path_factory) -> Path:
    """The folder of the programs of an environment with the generator for Python."""
    folder = tmp_path_factory.mktemp("python")
    run(sys.executable, "-m", "venv", folder, cwd=folder)
    install(folder / "bin" / "pip", "install", "--quiet", *PYTHON_PACKAGES, cwd=folder)
    return folder / "bin"


@pytest.fixture
def document(request, tmp_path) -> Path:
    operations = [each for each in OPERATIONS if request.param in ("", each.version.name)]
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(openapi_document(request.param, operations)))
    return file


@pytest.mark.parametrize("document", DOCUMENTS, indirect=True)
def test_linters_report_no_error(node: Path, document: Path):
    run(node / "node_modules/.bin/redocly", "lint", document, cwd=node)
    run(node / "node_modules/.bin/spectral", "lint", "--fail-severity", "error", document, cwd=node)


@pytest.mark.parametrize("document", DOCUMENTS, indirect=True)
def test_a_typescript_program_of_every_call_compiles(node: Path, document: Path):
    folder = node / f"program-{document.parent.name}"
    folder.mkdir()
    bin_ = node / "node_modules" / ".bin"
    run(bin_ / "openapi-typescript", document, "-o", folder / "schema.ts", cwd=node)
    program = folder / "program.ts"
    program.write_text(typescript_program(json.loads(document.read_text())))
    compile_typescript(node, program)


@pytest.mark.parametrize("document", ["v1.2"], indirect=True)
def test_the_documented_typescript_compiles(node: Path, document: Path):
    folder = node / "documented"
    folder.mkdir()
    run(node / "node_modules/.bin/openapi-typescript", document, "-o", folder / "schema.d.ts",
        cwd=node)  # fmt: skip
    blocks = re.findall(r"```text\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    [block] = [block for block in blocks if "createClient" in block]
    program = folder / "program.ts"
    program.write_text(f"{block}declare const token: string;\n")
    compile_typescript(node, program)


def compile_typescript(node: Path, program: Path) -> None:
    options = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022")
    run(node / "node_modules/.bin/tsc", *options, "--moduleResolution", "bundler", "--module",
        "es2022", program, cwd=node)  # fmt: skip


def generate(python: Path, document: Path, client: Path) -> str:
    """Write a Python client, without the linters that the generator finds on the PATH."""
    settings = client.parent / "generator.yml"
    settings.write_text("post_hooks: []\n")
    return run(python / "openapi-python-client", "generate", "--path", document, "--config",
               settings, "--output-path", client, "--meta", "none", cwd=client.parent)  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS, indirect=True)
def test_a_generated_python_client_passes_the_type_checker(python, document, tmp_path):
    client = tmp_path / "client"
    made = generate(python, document, client)
    assert "WARNING" not in made
    assert "Unable" not in made
    run(python / "mypy", "--no-error-summary", client, cwd=tmp_path)


@pytest.mark.parametrize("document", ["v1.2"], indirect=True)
def test_a_generated_python_client_works(python, document, tmp_path):
    client = tmp_path / "postmeal_v1_2_client"
    generate(python, document, client)
    with RealServer(tmp_path / "server") as server:
        key, body = server.headers()["Authorization"].split()[1], json.dumps(server.body)
        shown = run(python / "python", "-c", CALL, server.address, key, body, cwd=tmp_path)
    assert shown == "works\n"

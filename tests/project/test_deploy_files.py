"""The files of serve/deploy: valid, secure, and their steps executed without a container engine."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from doc_blocks import blocks_of
from real_server import free_port
from release import NAMED_IN

from postmeal_serve.settings import Settings
from postmeal_serve.storage.database import Database

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "serve" / "deploy"
PAGES = ROOT / "docs" / "how-to"
SEVERAL = (PAGES / "run_on_several_machines.md").read_text(encoding="utf-8")
CONTAINERFILE = (DEPLOY / "Containerfile").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
MANIFESTS = {
    document["kind"]: document
    for document in yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
}
DIGEST = re.compile(r"[\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}")


def instructions() -> list[tuple[str, str]]:
    """Return the instructions of the Containerfile: names and arguments."""
    text = re.sub(r"^#.*\n", "", CONTAINERFILE, flags=re.MULTILINE).replace("\\\n", " ")
    return [tuple(line.split(maxsplit=1)) for line in text.splitlines() if line]  # type: ignore[misc]


def environment_of(container: dict[str, Any]) -> set[str]:
    """Return the names of the variables of a container in a manifest."""
    return {row["name"] for row in container["env"]}


def test_the_manifests_fit_the_schema_of_kubernetes() -> None:
    command = ["kubernetes-validate", "--strict", str(DEPLOY / "kubernetes.yaml")]
    done = run_tool(*command)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("passed for resource") == len(MANIFESTS) == 4


def test_the_compose_file_fits_the_schema_of_compose() -> None:
    schema = ["--builtin-schema", "vendor.compose-spec"]
    done = run_tool("check-jsonschema", *schema, str(DEPLOY / "compose.yaml"))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("tool", "file", "old", "new"),
    [
        ("kubernetes-validate --strict", "kubernetes.yaml", "readinessProbe", "readyProbe"),
        (
            "check-jsonschema --builtin-schema vendor.compose-spec",
            "compose.yaml",
            "healthcheck:",
            "health:",
        ),
    ],
)
def test_the_validators_find_a_misspelled_name(
    tmp_path: Path, tool: str, file: str, old: str, new: str
) -> None:
    text = (DEPLOY / file).read_text(encoding="utf-8")
    (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    assert run_tool(*tool.split(), str(tmp_path / file)).returncode != 0


def run_tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name(name)
    return subprocess.run(
        [tool, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


def test_the_unit_is_the_one_that_the_page_shows() -> None:
    [unit] = [
        block.text
        for block in blocks_of(PAGES / "deploy_behind_a_proxy.md")
        if block.text.startswith("[Unit]")
    ]
    assert unit == (DEPLOY / "postmeal.service").read_text(encoding="utf-8")


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = (DEPLOY / "postmeal.service").read_text(encoding="utf-8")
    [command] = re.findall(r"^ExecStart=(\S+)", unit, re.MULTILINE)
    file = tmp_path / "postmeal.service"
    file.write_text(unit.replace(command, shutil.which("true") or ""), encoding="utf-8")
    try:
        done = subprocess.run(
            ["systemd-analyze", "verify", file], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("no systemd-analyze on this machine")
    assert (done.returncode, done.stderr) == (0, "")


def test_every_image_of_others_is_pinned_by_its_digest() -> None:
    bases = [words.split()[0] for name, words in instructions() if name == "FROM"]
    images = [
        service["image"] for service in COMPOSE["services"].values() if "build" not in service
    ]
    assert len(bases) == len(images) == 2
    assert all(DIGEST.fullmatch(image) for image in [*bases, *images])


def test_the_service_runs_without_privileges_and_on_a_read_only_file_system() -> None:
    assert [words for name, words in instructions() if name == "USER"] == ["10001:10001"]
    for name in ("api-1", "api-2", "proxy"):
        service = COMPOSE["services"][name]
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
    pod = MANIFESTS["Deployment"]["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["runAsUser"] == 10001
    assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_no_secret_is_in_a_file_and_every_setting_exists() -> None:
    known = {f"POSTMEAL_{name.upper()}" for name in Settings.model_fields}
    [container] = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["containers"]
    composed = COMPOSE["x-service"]["environment"]
    assert environment_of(container) | set(composed) <= known
    referenced = {row["name"] for row in container["env"] if "valueFrom" in row}
    assert referenced == {"POSTMEAL_DATABASE", "POSTMEAL_KEY_PEPPER"}
    assert all("${" in composed[name] for name in referenced)


def test_probes_ask_what_the_service_answers_and_updates_keep_a_pod() -> None:
    deployment = MANIFESTS["Deployment"]["spec"]
    [container] = deployment["template"]["spec"]["containers"]
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert container["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert deployment["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert MANIFESTS["PodDisruptionBudget"]["spec"]["minAvailable"] < deployment["replicas"]
    labels = deployment["template"]["metadata"]["labels"]
    assert MANIFESTS["Service"]["spec"]["selector"] == labels


def test_the_page_lists_every_command_that_is_not_executed() -> None:
    text = "\n".join(block.text for block in blocks_of(PAGES / "run_on_several_machines.md"))
    text += (PAGES / "deploy_behind_a_proxy.md").read_text(encoding="utf-8")
    used = set(re.findall(r"\b(docker compose \w+|kubectl \w+|systemctl enable)", text))
    listed = SEVERAL.split("are not executed:")[1].split("\n\n")[0]
    named = {" ".join(name.split()) for name in re.findall(r"`([^`]+)`", listed)}
    assert named == used | {"docker build"}


def test_the_page_states_how_many_connections_the_replicas_need() -> None:
    database = Database("postgresql://postmeal@127.0.0.1/postmeal")  # It does not connect yet.
    per_worker = database.engine.pool.size()  # type: ignore[attr-defined]
    database.close()
    [container] = MANIFESTS["Deployment"]["spec"]["template"]["spec"]["containers"]
    variables = {row["name"]: row.get("value") for row in container["env"]}
    composed = 2 * int(COMPOSE["x-service"]["environment"]["POSTMEAL_WORKERS"])
    updating = (MANIFESTS["Deployment"]["spec"]["replicas"] + 1) * int(
        variables["POSTMEAL_WORKERS"]
    )
    text = " ".join(SEVERAL.split())
    assert f"up to {per_worker} connections" in text
    assert f"need {per_worker * composed}." in text
    assert f"need {per_worker * updating}," in text


@pytest.mark.reliability
@pytest.mark.timeout(900)
def test_the_steps_of_the_containerfile_make_a_service(tmp_path: Path, package_index: None) -> None:
    """The image is a folder here: its paths begin there, and python is that of the tests."""
    root, folder, variables = tmp_path, tmp_path, dict(os.environ)
    for name in [key for key in variables if key.startswith(("POSTMEAL_", "PYTHON", "VIRTUAL_"))]:
        del variables[name]
    python = f"{Path(sys.base_prefix) / 'bin' / 'python3'} "

    def inside(text: str) -> str:
        return re.sub(r"(?<![\w.])(/(?:opt|build|var)/?)", rf"{root}\1", text)

    for name, words in instructions():
        if name == "WORKDIR":
            folder = Path(inside(words))
            folder.mkdir(parents=True, exist_ok=True)
        elif name == "ENV":
            for variable, value in re.findall(r"(\w+)=(\S+)", inside(words)):
                variables[variable] = value.replace("$PATH", variables["PATH"])
        elif name == "COPY" and not words.startswith("--from"):  # The stages share the folder.
            *sources, target = words.split()
            for source in sources:
                copy(ROOT / source, folder / target)
        elif name == "RUN":
            command = re.sub(r"^python ", python, inside(words))
            if os.geteuid() != 0:
                command = re.sub(r"--(owner|group) \d+ ", "", command)
            done = subprocess.run(
                command, shell=True, cwd=folder, env=variables, capture_output=True, text=True,
                check=False,
            )  # fmt: skip
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    [entry] = [words for name, words in instructions() if name == "ENTRYPOINT"]
    [arguments] = [words for name, words in instructions() if name == "CMD"]
    port = free_port()
    installed = shutil.which(*yaml.safe_load(entry), path=variables["PATH"])
    assert installed == str(root / "opt/postmeal/bin/postmeal-serve")
    before = files_of(root / "opt")
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [installed, *yaml.safe_load(arguments)],
            cwd=folder,
            env=variables | {"POSTMEAL_PORT": str(port), "TMPDIR": str(tmp_path)},
            stdout=log,
            stderr=subprocess.STDOUT,
        ) as process,
    ):
        try:
            wait_until_ready(process, port, tmp_path / "log")
        finally:
            process.terminate()
    assert process.returncode == 0
    assert files_of(root / "opt") == before
    assert list((root / "opt/postmeal/cache/postmeal").glob("foods-*.sqlite3"))


def copy(source: Path, target: Path) -> None:
    if source.is_file():
        shutil.copy(source, target)
    else:
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))


def files_of(folder: Path) -> dict[Path, int]:
    """Return the files and their times; a service on a read-only file system changes none."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}


def wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    while process.poll() is None:
        try:
            if httpx2.get(f"http://127.0.0.1:{port}/readyz", timeout=60).status_code == 200:
                return
        except httpx2.TransportError:
            pass
    raise AssertionError(log.read_text())


@pytest.fixture
def package_index() -> None:
    """Skip the test if packages cannot be downloaded."""
    command = [sys.executable, "-m", "pip", "index", "versions", "idna"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("no package index")


def test_files_that_state_the_version_state_the_released_one() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for file, pattern in NAMED_IN.items():
        assert re.findall(pattern, file.read_text(encoding="utf-8")) == [version], file.name

"""Probes for the conditions in `skips.toml`, which some tests require of the machine.

The probes check the conditions directly and do not share code with the tests, so that a test that
is skipped by mistake is found.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
# SSLRequest, the first message of PostgreSQL's protocol; the server sends one letter back.
_SSL_REQUEST = bytes.fromhex("0000000804d2162f")


@dataclass(frozen=True)
class Condition:
    """Tests, named by function or by fixture, that may be skipped if `needs` is missing."""

    name: str
    needs: str
    tests: tuple[str, ...] = ()
    fixtures: tuple[str, ...] = ()

    def covers(self, function: str, fixtures: list[str]) -> bool:
        """Return whether a test, given as ``file::function`` and its fixtures, may be skipped."""
        return function in self.tests or not set(self.fixtures).isdisjoint(fixtures)

    @property
    def is_met(self) -> bool:
        """Whether this machine meets the condition."""
        return PROBES[self.name]()


def read_conditions(file: Path) -> tuple[Condition, ...]:
    """Read a list of allowed skips.

    Raises
    ------
    KeyError
        There is no probe with the name of a section.
    TypeError
        A section has an unknown key, or does not have the key ``needs``.
    """
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    if unknown := sections.keys() - PROBES.keys():
        raise KeyError(f"{file.name}: no probe is named {', '.join(sorted(unknown))}")
    return tuple(
        Condition(
            name,
            section.pop("needs"),
            **{key: tuple(values) for key, values in section.items()},
        )
        for name, section in sections.items()
    )


def _has_data() -> bool:
    folder = Path(os.environ.get("POSTMEAL_DATA") or ROOT.parent / "shared" / "data")
    return any(file.is_file() for file in folder.glob("cgm/*/*"))


def _has_exports() -> bool:
    folder = Path(os.environ.get("POSTMEAL_DATA") or ROOT.parent / "shared" / "data")
    return (folder / "exports" / "expected.json").is_file()


def _has_specification() -> bool:
    folder = Path(os.environ.get("POSTMEAL_SPEC") or ROOT.parent / "shared" / "spec")
    return any(folder.glob("acceptance.md"))


def _has_literature_model() -> bool:
    caches = [ROOT / "var", *Path(tempfile.gettempdir()).glob("postmeal-*")]
    has_model = any((each / "literature-model" / "model.onnx").is_file() for each in caches)
    return has_model and _runs(sys.executable, "-c", "import onnxruntime")


def _has_archives() -> bool:
    return bool(os.environ.get("POSTMEAL_ARCHIVES"))


def _has_dish_model() -> bool:
    user = os.getuid() if hasattr(os, "getuid") else 0
    folders = (ROOT / "var", Path(tempfile.gettempdir()) / f"postmeal-{user}")
    return any(file.is_file() for folder in folders for file in folder.glob("food-v1-*.tflite"))


def _has_postgresql() -> bool:
    server = urlsplit(os.environ.get("POSTMEAL_TEST_POSTGRES", "postgresql://127.0.0.1:5432"))
    try:
        with socket.create_connection((server.hostname, server.port or 5432), 5) as connection:
            connection.sendall(_SSL_REQUEST)
            return connection.recv(1) in (b"S", b"N")
    except OSError:
        return False


def _may_read_postgresql() -> bool:
    """Return whether a PostgreSQL server on this machine has a data folder that can be read."""
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"postgres") and b"-D" in words:
            folder = Path(words[words.index(b"-D") + 1].decode())
            return os.access(folder, os.R_OK) and os.access(folder / "base", os.R_OK)
    return False


def _runs(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    except OSError:
        return False


def _may_attach() -> bool:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        command = ["strace", "-o", os.devnull, "-p", str(other.pid)]
        try:
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as strace:
                while not (attached := _is_traced(other.pid)) and strace.poll() is None:
                    time.sleep(0.01)
                strace.terminate()
        except OSError:
            return False
        finally:
            other.kill()
    return attached


def _is_traced(process: int) -> bool:
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return re.search(r"^TracerPid:\s+[1-9]", status, re.MULTILINE) is not None


def _may_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        mounted = _runs("mount", "-t", "tmpfs", "tmpfs", folder)
        return mounted and _runs("umount", folder)


def _has_pipes() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return _runs("mkfifo", f"{folder}/pipe")


PROBES: dict[str, Callable[[], bool]] = {
    "data": _has_data,
    "exports": _has_exports,
    "specification": _has_specification,
    "postgresql": _has_postgresql,
    "postgresql_files": _may_read_postgresql,
    "archives": _has_archives,
    "literature_model": _has_literature_model,
    "node": lambda: _runs("node", "--version"),
    "dish_model": _has_dish_model,
    "chat_model": lambda: bool(os.environ.get("POSTMEAL_TEST_CHAT_URL")),
    "npm": lambda: _runs("npm", "view", "openapi-typescript", "version"),
    "curl": lambda: _runs("curl", "--version"),
    "strace": _may_attach,
    "mount": _may_mount,
    "pipes": _has_pipes,
    "nginx": lambda: _runs("nginx", "-v"),
    "package_index": lambda: _runs(sys.executable, "-m", "pip", "index", "versions", "idna"),
    "systemd": lambda: _runs("systemd-analyze", "--version"),
}

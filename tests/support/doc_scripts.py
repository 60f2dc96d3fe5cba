"""Run the bash blocks of a page as one script, with a free port and a separate state folder."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from doc_blocks import ROOT

_ENDING = "trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT\n"
"""Stops the servers that a script has started."""


def run_script(script: str, folder: Path, state: Path | None = None) -> str:
    """Run a script and return its output.

    Parameters
    ----------
    script : str
        Text of the blocks.
    folder : Path
        Working directory.
    state : Path, optional
        State folder of the service. Defaults to a subfolder of `folder`.

    Raises
    ------
    AssertionError
        A command of the script failed.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    own = {
        "POSTMEAL_STATE_DIR": str(state or folder / "script"),
        "POSTMEAL_PORT": str(port),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-m", "-c", _ENDING + script],
        env={**os.environ, **own},
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout

"""From a fresh clone to a first curve, as the README describes it."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from real_server import free_port

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]
MOST_S, MOST_MB = 60, 250
CALL = re.compile(r"^curl(?:.*\\\n)*.*$", re.MULTILINE)


def megabytes(folder: Path) -> float:
    sizes = (file.lstat().st_size for file in folder.rglob("*") if not file.is_dir())
    return sum(sizes) / 1e6


def test_a_fresh_clone_gives_a_curve_within_a_minute(tmp_path: Path) -> None:
    """`make run` installs the service, and the printed command gets a curve."""
    clone = tmp_path / "postmeal"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{ROOT}", clone], check=True)
    own = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
    began = time.monotonic()
    with (tmp_path / "output").open("w+") as output:
        command = ["make", "run", f"PORT={free_port()}"]
        service = subprocess.Popen(
            command, cwd=clone, env=own, stdout=output, stderr=subprocess.STDOUT, process_group=0
        )
        try:
            printed = ""
            while not (calls := CALL.findall(printed)):
                assert service.poll() is None, printed
                time.sleep(0.1)
                printed = Path(output.name).read_text(encoding="utf-8")
            answer = subprocess.run(
                calls[0], shell=True, check=True, capture_output=True, text=True
            ).stdout
            elapsed_s = time.monotonic() - began
        finally:
            os.killpg(service.pid, 15)
            service.wait(timeout=30)
    size_mb = megabytes(clone / ".run")
    print(f"\nfresh clone to first curve: {elapsed_s:.0f} s, {size_mb:.0f} MB installed")
    assert len(json.loads(answer)["points"]) == 9
    assert elapsed_s <= MOST_S
    assert size_mb <= MOST_MB

"""The service as it runs in production: ``python -m serve run`` in processes of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
from api_client import CHECKED, ROOT, Api


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


class RealServer:
    """A server with a key of each version; its log is a file in the folder of its state."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        given = {"state_dir": folder, "port": self.port, "require_https": False, **settings}
        self.environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
            **{f"POSTMEAL_{name.upper()}": str(value) for name, value in given.items()},
        }

    def __enter__(self) -> RealServer:
        with Api(self.folder) as api:
            self.keys, self.body, self.old_body = api.keys, api.body(), api.old_body()
        self.client = httpx2.Client(base_url=self.address, event_hooks=CHECKED, timeout=30)
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()
        if self.process.poll() is None:
            self.stop()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "serve", "run"],
                env=self.environment,
                cwd=ROOT,
                stdout=log,
                stderr=log,
            )
        for _ in range(600):
            assert self.process.poll() is None, self.log()
            try:
                if httpx2.get(f"{self.address}/readyz").status_code == 200:
                    return
            except httpx2.TransportError:
                time.sleep(0.05)
        raise AssertionError(self.log())

    def stop(self) -> int:
        """Tell it to stop; its exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=40)

    def headers(self, version: str = "v1.2") -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[version]}"}

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def lines(self, event: str = "request") -> list[dict[str, Any]]:
        """What was logged of one event."""
        lines = [json.loads(line) for line in self.log().splitlines()]
        return [line for line in lines if line["event"] == event]

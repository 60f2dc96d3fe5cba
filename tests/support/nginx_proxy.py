"""The proxy of ``serve/deploy/nginx.conf`` on this machine, in front of servers of a test."""

from __future__ import annotations

import re
import ssl
import subprocess
import time
from pathlib import Path

import pytest
from api_client import ROOT
from real_server import RealServer, free_port

CONFIGURATION = ROOT / "serve" / "deploy" / "nginx.conf"


class NginxProxy:
    """nginx with TLS on a free port; only addresses, ports and paths differ from the file."""

    def __init__(self, folder: Path, hosts: list[RealServer]) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"https://localhost:{self.port}"
        text = CONFIGURATION.read_text(encoding="utf-8")
        replaced = {
            "/tmp": str(folder),
            "/etc/postmeal/tls": str(folder),
            "listen 8443": f"listen 127.0.0.1:{self.port}",
            "listen 8080": f"listen 127.0.0.1:{free_port()}",
        }
        for old, new in replaced.items():
            text = text.replace(old, new)
        names = re.findall(r"server (api-\d:8000)", text)
        for name, host in zip(names, hosts, strict=True):
            text = text.replace(name, f"127.0.0.1:{host.port}")
        self.configuration = folder / "nginx.conf"
        self.configuration.write_text(text, encoding="utf-8")

    def __enter__(self) -> NginxProxy:
        openssl = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        files = ["-keyout", str(self.folder / "key.pem"), "-out", str(self.folder / "cert.pem")]
        names = ["-addext", "subjectAltName=DNS:localhost"]
        subprocess.run([*openssl.split(), *names, *files], check=True, capture_output=True)
        self.tls = ssl.create_default_context(cafile=self.folder / "cert.pem")
        command = ["nginx", "-e", str(self.folder / "errors"), "-c", str(self.configuration)]
        try:
            subprocess.run([*command, "-t"], check=True, capture_output=True)
        except FileNotFoundError:
            pytest.skip("no nginx on this machine")
        self._process = subprocess.Popen(
            [*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL, start_new_session=True
        )
        while not (self.folder / "nginx.pid").is_file():
            assert self._process.poll() is None
            time.sleep(0.02)
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)

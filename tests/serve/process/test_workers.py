"""Workers that die are replaced, at a pace that others do not feel."""

import signal
import subprocess
import sys
import time

import pytest
from api_client import ROOT

DYING = """
import os, signal, socket, time
from postmeal_serve.process.supervisor import Supervisor

def serve(worker):
    os.write(1, b"started\\n")  # in one piece: processes share the pipe
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    if worker.number:
        os._exit(1)
    worker.notify()
    while True:
        time.sleep(0.5)
        worker.notify()

def ended(worker, reason):
    if reason is None:
        os.write(1, b"stopped\\n")

Supervisor(2, socket.create_server(("127.0.0.1", 0)), serve, ended=ended).run()
"""


@pytest.mark.reliability
def test_a_worker_that_dies_again_and_again_starts_at_a_growing_pause():
    """At once, after 1 s, after 2 s more; a stop does not wait for the next, and others live on."""
    command = [sys.executable, "-c", DYING]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        for _ in range(4):  # one that lives; one that dies, at once its successor, and one more
            assert supervisor.stdout.readline() == "started\n"
        begun_s = time.monotonic()
        assert supervisor.stdout.readline() == "started\n"
        assert time.monotonic() - begun_s > 1.5
        begun_s = time.monotonic()
        supervisor.send_signal(signal.SIGTERM)  # in the middle of the pause of 4 s
        assert supervisor.stdout.readline() == "stopped\n"
        assert supervisor.wait(60) == 0
        assert time.monotonic() - begun_s < 3.5


FAILING = """
import socket, sys
from postmeal_serve.process.supervisor import Supervisor
Supervisor(1, socket.create_server(("127.0.0.1", 0)), lambda worker: sys.exit(3)).run()
"""


def test_a_worker_that_cannot_start_stops_the_service_with_status_3():
    command = [sys.executable, "-c", FAILING]
    assert subprocess.run(command, cwd=ROOT, timeout=60, capture_output=True).returncode == 3

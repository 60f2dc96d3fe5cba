"""Workers that die are replaced, at a pace that others do not feel."""

import signal
import subprocess
import sys
import time

from api_client import ROOT

DYING = """
import multiprocessing, os, signal, socket, sys, time
from serve.process.workers import run_workers

def live():
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    time.sleep(600)

def start():
    number = len(started)
    process = context.Process(target=os._exit if number else live, args=(1,) * bool(number))
    process.start()
    started.append(process)
    print("started", flush=True)
    return process

if __name__ == "__main__":
    context, started = multiprocessing.get_context("fork"), []
    listener = socket.create_server(("127.0.0.1", 0))
    status = run_workers(2, listener, start, lambda pid: None)
    print("stopped", started[0].exitcode, flush=True)
    sys.exit(status)
"""


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
        assert supervisor.stdout.readline() == "stopped -15\n"
        assert supervisor.wait(60) == 0
        assert time.monotonic() - begun_s < 3.5

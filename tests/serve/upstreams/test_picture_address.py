"""Pictures at addresses: only the public Internet is reached, whatever the address says."""

import asyncio
import ipaddress
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from stopwatch import Stopwatch

from postmeal_serve.upstreams.global_address import is_global
from postmeal_serve.upstreams.picture_address import MAX_BYTES, PictureAddress
from postmeal_serve.wire.errors import Refusal

LOCAL = [
    "127.0.0.1", "127.1.2.3", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "100.100.100.200", "169.254.169.254", "169.254.170.2", "192.0.0.1", "192.0.0.192",
    "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
]  # fmt: skip
LOCAL_V6 = [
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe",
    "64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "100::1",
    "2001::1", "2001:0:7f00:1::", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1",
    "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1",
    "ff02::1",
]  # fmt: skip
ODD = [
    "http://2130706433/", "http://0x7f000001/", "http://0x7f.0.0.1/", "http://0177.0.0.1/",
    "http://017700000001/", "http://127.1/", "http://0/", "http://2852039166/",
    "http://0xa9fea9fe/", "http://localhost/", "http://LOCALHOST./", "http://127.0.0.1./",
    "http://[::1%25lo]/", "http://[fe80::1%25eth0]/", "http://user@127.0.0.1/",
    "http://1.1.1.1@127.0.0.1/", "http://1.1.1.1:80@127.0.0.1/", "http://127.0.0.1:80@1.1.1.1/",
    "http://1.1.1.1\\@127.0.0.1/", "http://127.0.0.1\\.example.com/", "http://127。0。0。1/",
    "http://①②⑦.0.0.1/", "http://loc%61lhost/", "http://127.0.0.1%2f.example.com/",
    "http://127.0.0.1:22/", "http://1.1.1.1:22/", "http://1.1.1.1:8080/", "http://1.1.1.1:99999/",
    "http://1.1.1.1:-1/", "http://1.1.1.1:0x50/", "http:///", "http://", "http:127.0.0.1",
    "//127.0.0.1/", "file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1:80/_GET",
    "dict://127.0.0.1/", "unix:///run/docker.sock", "data:text/plain,a", "jar:http://127.0.0.1!/",
    "http://127.0.0.1\t/", "http://127.0.0.1\r\nHost: x/", " http://127.0.0.1/", "http://1.1.1.1/\0",
    "http://[::ffff:7f00:1/", "http://[127.0.0.1]/", "http://" + "a" * 3_000 + "/",
    "http://metadata.google.internal/", "http://xn--/",
]  # fmt: skip
VECTORS = [
    *(f"{scheme}://{each}/a.jpg" for scheme in ("http", "https") for each in LOCAL),
    *(f"http://[{each}]/a.jpg" for each in LOCAL_V6),
    *ODD,
]

_reached: list[Any] = []
_watching = False


def _watch(event: str, given: tuple[Any, ...]) -> None:
    if _watching and event in ("socket.connect", "socket.sendto"):
        _reached.append(given[1])


sys.addaudithook(_watch)


@contextmanager
def watched() -> Iterator[list[Any]]:
    """Record the addresses to which any socket of this process connects."""
    global _watching
    _reached.clear()
    _watching = True
    try:
        yield _reached
    finally:
        _watching = False


def not_global(reached: list[Any]) -> list[Any]:
    return [each for each in reached if not isinstance(each, tuple) or not is_global(each[0])]


def resolved(*answers: list[str]) -> Callable[[str, int], Any]:
    """Return a resolver that gives these answers in turn, the last one again and again."""
    left = list(answers)

    async def resolve(host: str, port: int) -> list[str]:
        return left.pop(0) if len(left) > 1 else left[0]

    return resolve


def fetched(url: str, **options: Any) -> bytes:
    return asyncio.run(PictureAddress(lambda *_: None, **options).fetch("a key", url))


def refused(url: str, **options: Any) -> str:
    with pytest.raises(Refusal) as caught:
        fetched(url, **options)
    assert (caught.value.code, caught.value.status) == ("image_unreachable", 400)
    return caught.value.message


def test_there_are_at_least_sixty_vectors() -> None:
    assert len(set(VECTORS)) >= 60


@pytest.mark.parametrize("address", [*LOCAL, *LOCAL_V6])
def test_an_address_of_no_public_host_is_not_global(address: str) -> None:
    assert not is_global(address)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.215.14", "2606:4700:4700::1111"])
def test_a_public_address_is_global(address: str) -> None:
    assert is_global(address)
    assert ipaddress.ip_address(address).is_global


@pytest.mark.parametrize("url", VECTORS, ids=lambda url: url[:40])
def test_no_vector_reaches_an_address_that_is_not_global(url: str) -> None:
    """S6, rows 258, 261 and 381: seen at the socket; and all refusals have the same text."""
    with watched() as reached:
        message = refused(
            url, resolve=None if "metadata" not in url else resolved(["169.254.169.254"])
        )
    assert reached == []
    assert message == refused("file:///")


@pytest.mark.parametrize("address", [*LOCAL, *LOCAL_V6])
def test_a_name_that_resolves_to_a_local_address_is_not_reached(address: str) -> None:
    with watched() as reached:
        refused("https://pictures.example/", resolve=resolved([address]))
        refused("https://pictures.example/", resolve=resolved(["1.1.1.1", address]))
        refused("https://pictures.example/", resolve=resolved([address, "1.1.1.1"]))
    assert reached == []


def test_a_name_without_addresses_is_refused() -> None:
    async def unknown(host: str, port: int) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, "unknown")

    assert refused("https://a.example/", resolve=unknown) == refused(
        "https://a.example/", resolve=resolved([])
    )


class _Pictures(BaseHTTPRequestHandler):
    """The paths: /N redirects N times; others say what they answer."""

    def do_GET(self) -> None:
        self.server.seen.append(self.headers["host"])
        name = self.path.strip("/")
        if name.isdigit() and int(name):
            self._head(302, Location=f"/{int(name) - 1}")
        elif name.startswith("to="):
            self._head(302, Location=name.removeprefix("to="))
        elif name == "large":
            self._head(200)
            for _ in range(MAX_BYTES // 2**16 + 2):
                self.wfile.write(bytes(2**16))
        elif name == "packed":
            self._head(200, **{"Content-Encoding": "gzip"})
        elif name == "missing":
            self._head(404)
        elif name == "slow":
            self._head(200)
            self.server.stopped.wait(30)
        elif name == "half":
            self._head(200, **{"Content-Length": "100"})
            self.wfile.write(b"half")
        else:
            self._head(200)
            self.wfile.write(b"picture")

    def _head(self, status: int, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Do not log requests."""


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pictures) as server:
        server.daemon_threads = True
        server.seen, server.stopped = [], threading.Event()
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.stopped.set()
        server.shutdown()


def from_server(server: ThreadingHTTPServer, path: str, **options: Any) -> bytes:
    """Fetch a path of a server that is allowed although it is on this machine."""
    port = server.server_address[1]
    options = {"resolve": resolved(["127.0.0.1"]), **options}
    return fetched(
        f"http://pictures.example:{port}/{path}",
        ports=(port,),
        is_allowed=lambda address: address == "127.0.0.1",
        **options,
    )


@pytest.mark.parametrize("redirects", range(4))
def test_a_picture_is_fetched_from_the_address_that_was_checked(server, redirects) -> None:
    with watched() as reached:
        assert from_server(server, str(redirects)) == b"picture"
    assert {each[0] for each in reached} == {"127.0.0.1"}
    assert set(server.seen) == {f"pictures.example:{server.server_address[1]}"}
    assert len(server.seen) == redirects + 1


@pytest.mark.parametrize(
    "path",
    [
        "4", "large", "packed", "missing", "half", "to=http://127.0.0.2/", "to=file:///etc/passwd",
        "to=http://[::1]/", "to=//169.254.169.254/", "to=http://127.0.0.1:22/", "to=",
        "to=http://[::1", "to=//[/",
    ],
)  # fmt: skip
def test_what_is_not_a_picture_of_anyone_is_unreachable(server, path) -> None:
    """Row 261: redirects are checked again, and a fourth one is not followed."""
    options = {"resolve": None} if path.startswith("to=") else {}
    if options:
        options["resolve"] = named_or_literal
    with watched() as reached, pytest.raises(Refusal, match="must be the https"):
        from_server(server, path, **options)
    assert {each[:2] for each in reached} == {("127.0.0.1", server.server_address[1])}


async def named_or_literal(host: str, port: int) -> list[str]:
    return ["127.0.0.1" if host == "pictures.example" else host]


def test_a_name_that_changes_its_address_is_resolved_once_for_each_request(server) -> None:
    """DNS rebinding: the second answer is only used for a redirect, where it is refused."""
    changing = resolved(["127.0.0.1"], ["127.0.0.2"])
    with watched() as reached:
        assert from_server(server, "0", resolve=changing) == b"picture"
    assert {each[0] for each in reached} == {"127.0.0.1"}
    changing = resolved(["127.0.0.1"], ["127.0.0.2"])
    with watched() as reached, pytest.raises(Refusal):
        from_server(server, "1", resolve=changing)
    assert {each[0] for each in reached} == {"127.0.0.1"}


def test_a_slow_server_is_left_in_time(server, monkeypatch) -> None:
    monkeypatch.setattr("postmeal_serve.upstreams.picture_address._WITHIN_S", 0.3)
    with Stopwatch() as watch, pytest.raises(Refusal):
        from_server(server, "slow")
    assert watch.elapsed_s < 3


def test_slow_servers_of_one_credential_leave_room_for_the_others(server) -> None:
    """Its ninth picture is refused with 503; another credential gets its picture meanwhile."""
    port = server.server_address[1]
    address = PictureAddress(
        lambda *_: None,
        resolve=resolved(["127.0.0.1"]),
        is_allowed=lambda each: each == "127.0.0.1",
        ports=(port,),
    )

    async def work() -> bytes:
        slow = f"http://pictures.example:{port}/slow"
        waiting = [asyncio.create_task(address.fetch("many", slow)) for _ in range(8)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="too many pictures") as caught:
            await address.fetch("many", slow)
        assert (caught.value.status, caught.value.headers["Retry-After"]) == (503, "5")
        try:
            return await address.fetch("another", f"http://pictures.example:{port}/0")
        finally:
            for each in waiting:
                each.cancel()
            await asyncio.gather(*waiting, return_exceptions=True)

    assert asyncio.run(work()) == b"picture"
    assert not address._fetching


@pytest.mark.reliability
def test_slow_names_of_one_credential_delay_no_other(server) -> None:
    """Its names are resolved one at a time, and each of its pictures waits for 2 s at most."""
    begun: list[str] = []
    port = server.server_address[1]

    async def work() -> tuple[list[float], float]:
        silent = asyncio.Event()

        async def resolve(host: str, port: int) -> list[str]:
            if host != "pictures.example":
                begun.append(host)
                await silent.wait()
            return ["127.0.0.1"]

        address = PictureAddress(
            lambda *_: None, resolve=resolve, ports=(port,), is_allowed=lambda _: True
        )

        async def wait_s(credential: str, host: str) -> float:
            begun_s = time.monotonic()
            with suppress(Refusal):
                picture = await address.fetch(credential, f"http://{host}:{port}/0")
                assert (picture, host) == (b"picture", "pictures.example")
            return time.monotonic() - begun_s

        waiting = [asyncio.create_task(wait_s("slow", f"{n}.example")) for n in range(8)]
        await asyncio.sleep(0)
        other_s = await wait_s("another", "pictures.example")
        waits = await asyncio.gather(*waiting)
        waits.append(await wait_s("slow", "later.example"))
        assert begun == ["0.example"]  # It keeps the turn of its credential.
        silent.set()
        await wait_s("slow", "pictures.example")
        return waits, other_s

    waits, other_s = asyncio.run(work())
    assert min(waits) > 1.9
    assert max(waits) < 4
    assert other_s < 1


def test_the_environment_names_no_proxy(server, monkeypatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.2:1")
    assert from_server(server, "0") == b"picture"

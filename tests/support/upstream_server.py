"""A real HTTP server that replaces the external services and can simulate faults.

It implements the endpoints of Open Food Facts (``/api/v2/product/…``), FoodData Central
(``/fdc/v1/foods/search``), an OpenAI-compatible API (``/v1/chat/completions``), an Overpass API
(``/api/interpreter``), the E-utilities of NCBI (``/eutils/esearch.fcgi`` and ``efetch.fcgi``),
Europe PMC (``/europepmc/search``) and a host of pictures (``/pictures/…``). The products are
synthetic; their barcodes begin with 952, which GS1 reserves for examples.
"""

from __future__ import annotations

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

COOKIE = "9521234543213"
"""Barcode of a synthetic cookie."""

FAULTS = (
    "unreachable", "reset", "half an answer", "garbage", "wrong types", "another product",
    "50 MB", "packed", "500", "503", "403", "redirect", "not http",
)  # fmt: skip
"""Faults that lead to 502. The other faults are "silence", "dripping" and "429"."""

FIFTY_MB = 50_000_000

_MEDLINE = (
    '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle,'
    ' 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n'
    "<PubmedArticleSet>"
)


@dataclass(frozen=True)
class Asked:
    """A received request."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


def cookie(**changes: Any) -> dict[str, Any]:
    """Return a product in the format of Open Food Facts."""
    nutriments = {
        "energy-kcal_100g": 480,
        "fat_100g": 21.5,
        "saturated-fat_100g": 9.5,
        "carbohydrates_100g": 64,
        "sugars_100g": 30.5,
        "fiber_100g": 3.2,
        "proteins_100g": 6.5,
        "salt_100g": 0.75,
        "sodium_100g": 0.3,
    }
    return {
        "code": COOKIE,
        "product_name": "Oat cookies",
        "brands": "Example Bakery",
        "serving_size": "2 cookies (25 g)",
        "serving_quantity": 25,
        "ingredients_text": "oats, wheat flour, butter (milk), sugar",
        "allergens_tags": ["en:gluten", "en:milk"],
        "traces_tags": ["en:nuts"],
        "labels_tags": ["en:vegetarian"],
        "categories_tags": ["en:snacks", "en:biscuits"],
        "image_url": "https://images.openfoodfacts.org/images/products/952/123/454/3213/front_en.4.400.jpg",
        "nutriments": nutriments,
        **changes,
    }


def cracker(**changes: Any) -> dict[str, Any]:
    """Return a product in the format of FoodData Central."""
    amounts = {1008: 428, 1003: 9.5, 1004: 9.1, 1005: 77.3, 2000: 18.2, 1079: 9.1, 1093: 523}
    return {
        "fdcId": 123456,
        "description": "GRAHAM CRACKERS",
        "dataType": "Branded",
        "gtinUpc": COOKIE[1:] if COOKIE.startswith("0") else COOKIE,
        "publishedDate": "2024-04-01",
        "brandOwner": "Example Bakery",
        "brandName": "EXAMPLE",
        "ingredients": "WHOLE WHEAT FLOUR, SUGAR, SOYBEAN OIL, HONEY.",
        "foodCategory": "Cookies & Biscuits",
        "servingSizeUnit": "g",
        "servingSize": 22.0,
        "householdServingFullText": "2 crackers",
        "foodNutrients": [
            {"nutrientId": number, "nutrientName": "-", "unitName": "G", "value": amount}
            for number, amount in amounts.items()
        ],
        **changes,
    }


@dataclass
class UpstreamServer:
    """The server, whose port remains the same after `stop` and `start`.

    Attributes
    ----------
    products, branded : list of dict
        The products of Open Food Facts and of FoodData Central.
    elements : list of dict
        The elements of the Overpass API.
    pmids : list of str
        What a search of the E-utilities finds.
    records : dict of str to str
        XML of each record that the E-utilities have, by its PMID.
    results : list of dict
        What a search of Europe PMC finds.
    pictures : dict of str to bytes
        The pictures, by name.
    remark : str
        Remark of the Overpass API, which it adds if a query ran out of time.
    reply : callable
        Returns the reply of the language model to a text.
    fault : str
        Fault of every response: one of `FAULTS`, "silence", "dripping" or "429"; empty for none.
    delay_s : float
        Delay of every response, in seconds.
    asked : list of Asked
        All received requests.
    """

    products: list[dict[str, Any]] = field(default_factory=list)
    branded: list[dict[str, Any]] = field(default_factory=list)
    elements: list[dict[str, Any]] = field(default_factory=list)
    pmids: list[str] = field(default_factory=list)
    records: dict[str, str] = field(default_factory=dict)
    results: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, bytes] = field(default_factory=dict)
    remark: str = ""
    reply: Callable[[str], str] = lambda text: '{"foods": []}'
    fault: str = ""
    delay_s: float = 0.0
    asked: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0

    def __enter__(self) -> UpstreamServer:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._gone = threading.Event()
        self._counting = threading.Lock()
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        self._gone.clear()
        self._server = _Server(("127.0.0.1", self.port), _Handler)
        self._server.upstream = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def stop(self) -> None:
        """Stop the server and abort its open requests; connections are refused from then on."""
        if not self._gone.is_set():
            self._gone.set()
            self._server.shutdown()
            self._server.server_close()
            for connection in list(self._server.connections):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._thread.join()

    def wait(self, seconds: float) -> None:
        self._gone.wait(seconds)

    def came(self, step: int) -> None:
        with self._counting:
            self.at_once += step
            self.most_at_once = max(self.most_at_once, self.at_once)

    def answer(self, asked: Asked) -> tuple[int, Any]:
        if asked.path.startswith("/api/v2/product/"):
            code = asked.path.rpartition("/")[2].removesuffix(".json").lstrip("0")
            for product in self.products:
                if self.fault == "another product":
                    product = {**product, "code": "9521234543220"}
                elif product["code"].lstrip("0") != code:
                    continue
                return 200, {"code": code, "status": 1, "product": product}
            return 404, {"code": code, "status": 0, "status_verbose": "product not found"}
        if asked.path == "/fdc/v1/foods/search":
            words = {word.lstrip("0") for word in asked.query["query"].split()}
            found = [food for food in self.branded if food["gtinUpc"].lstrip("0") in words]
            if self.fault == "another product":
                found = [{**food, "gtinUpc": "9521234543220"} for food in self.branded]
            return 200, {"totalHits": len(found), "foods": found}
        if asked.path == "/v1/chat/completions":
            said = asked.body["messages"][-1]["content"]
            message = {"role": "assistant", "content": self.reply(said)}
            return 200, {"choices": [{"index": 0, "message": message}]}
        if asked.path == "/api/interpreter":
            found = [each for each in self.elements if _is_in_areas(each, asked.query["data"])]
            more = {"remark": self.remark} if self.remark else {}
            return 200, {"version": 0.6, "generator": "Overpass API", "elements": found, **more}
        if asked.path == "/eutils/esearch.fcgi":
            found = {"count": str(len(self.pmids)), "idlist": self.pmids}
            return 200, {"header": {"type": "esearch"}, "esearchresult": found}
        if asked.path == "/eutils/efetch.fcgi":
            texts = (self.records.get(pmid, "") for pmid in asked.query["id"].split(","))
            return 200, f"{_MEDLINE}{''.join(texts)}</PubmedArticleSet>".encode()
        if asked.path == "/europepmc/search":
            results = {"hitCount": len(self.results), "resultList": {"result": self.results}}
            return 200, results
        if asked.path.startswith("/pictures/"):
            picture = self.pictures.get(asked.path.rpartition("/")[2])
            if picture is not None:
                return 200, picture
        return 404, {"error": "nothing here"}


def areas_of(query: str) -> list[tuple[float, ...]]:
    """Return the areas of a query in Overpass QL: south, west, north and east in degrees."""
    found = re.findall(r"\]\((-?[\d.]+),(-?[\d.]+),(-?[\d.]+),(-?[\d.]+)\);", query)
    return [tuple(map(float, area)) for area in found]


def _is_in_areas(element: dict[str, Any], query: str) -> bool:
    """Return whether an area touches an element; a building reaches 0.001 degrees to each side."""
    center = element.get("center", element)
    size = 0.001 if "center" in element else 0.0
    return any(
        south - size <= center["lat"] <= north + size
        and west - size <= center["lon"] <= east + size
        for south, west, north, east in areas_of(query)
    )


class _Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128
    upstream: UpstreamServer

    def __init__(self, address: tuple[str, int], handler: type[_Handler]) -> None:
        super().__init__(address, handler)
        self.connections: set[socket.socket] = set()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore callers that disconnect, which is common in the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self) -> None:
        self.server.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        self._answer(None)

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["content-length"]))
        self._answer(json.loads(content))

    def log_message(self, *args: Any) -> None:
        """Do not log requests."""

    def _answer(self, body: Any) -> None:
        parts, upstream = urlsplit(self.path), self.server.upstream
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, parts.path, dict(parse_qsl(parts.query)), headers, body)
        upstream.asked.append(asked)
        upstream.came(1)
        try:
            upstream.wait(upstream.delay_s)
            self._send(upstream, asked)
        finally:
            upstream.came(-1)

    def _send(self, upstream: UpstreamServer, asked: Asked) -> None:
        fault = upstream.fault
        if fault == "silence":
            upstream.wait(3600)
            self.close_connection = True
            return
        if fault == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return
        if fault == "not http":
            self.wfile.write(b"\x16\x03\x01 SSH-2.0 hello\r\n\r\n")
            self.close_connection = True
            return
        if fault == "redirect":
            self._head(302, 0, Location=f"http://localhost:{upstream.port}/elsewhere")
            return
        if fault in ("403", "429", "500", "503"):
            self._whole(int(fault), b'{"error": "no"}')
            return
        if fault == "50 MB":
            self._head(200, FIFTY_MB)
            with suppress(OSError):
                for _ in range(FIFTY_MB // 100_000):
                    self.wfile.write(b" " * 100_000)
            return
        status, answer = upstream.answer(asked)
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        if fault == "garbage":
            content = b"<html>\xff\xfe sorry" + content
        if fault == "wrong types":
            content = (
                b'{"status": [1], "product": "x", "foods": {"0": 1}, "choices": 7, "elements": 5}'
            )
        if fault == "packed":
            self._whole(status, content, **{"Content-Encoding": "gzip"})
        elif fault == "half an answer":
            self._head(status, len(content))
            self.wfile.write(content[: len(content) // 2])
            self.close_connection = True
        elif fault == "dripping":
            self._head(status, len(content))
            for place in range(len(content)):
                if upstream._gone.is_set():
                    break
                self.wfile.write(content[place : place + 1])
                time.sleep(0.05)
        else:
            self._whole(status, content)

    def _head(self, status: int, length: int, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _whole(self, status: int, content: bytes, **headers: str) -> None:
        self._head(status, len(content), **headers)
        self.wfile.write(content)

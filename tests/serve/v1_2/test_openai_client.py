"""The chat with OpenAI's own client, as the documentation shows it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import openai
import pytest
from api_client import ROOT, Partner
from real_server import RealServer

from postmeal.literature import Literature

GUIDE = ROOT / "docs/how-to/chat_with_the_openai_client.md"
QUESTION = "Does eating vegetables first lower glucose?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory):
    with RealServer(tmp_path_factory.mktemp("server")) as server:
        yield server


def client_of(server: RealServer, partner: Partner, **options: object):
    address = f"http://127.0.0.1:{server.port}/v1.2"
    return openai.OpenAI(base_url=address, api_key=partner.keys["v1.2"], **options)


@pytest.mark.reliability
def test_the_documented_block_runs(server, tmp_path):
    """Row 90: and its reference is in the index."""
    [block] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    script = tmp_path / "block.py"
    script.write_text(block, encoding="utf-8")
    environment = os.environ | {
        "API": f"http://127.0.0.1:{server.port}",
        "KEY": server.partner("documented").keys["v1.2"],
    }
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "[1]" in done.stdout
    cited = done.stdout.strip().splitlines()[-1]
    found = Literature.open().search(QUESTION, limit=50).passages
    assert any(each.citation.title == cited for each in found)


def test_errors_are_those_of_the_client(server):
    """Rows 2, 91."""
    messages = [{"role": "user", "content": QUESTION}]
    client = client_of(server, server.partner("errors"), max_retries=0)
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model="gpt-4", messages=messages)
    error = caught.value
    assert (error.param, error.type, error.code) == (
        "model", "invalid_request_error", "invalid_request",
    )  # fmt: skip
    with pytest.raises(openai.BadRequestError, match="stream"):
        client.chat.completions.create(model="service", messages=messages, stream=True)
    spent = client_of(server, server.partner("spent", monthly_credits=0), max_retries=0)
    with pytest.raises(openai.RateLimitError) as refused:
        spent.chat.completions.create(model="service", messages=messages)
    assert refused.value.code == "credit_limit_exceeded"
    nobody = client.with_options(api_key="sk-nobody")
    with pytest.raises(openai.AuthenticationError):
        nobody.chat.completions.create(model="service", messages=messages)


@pytest.mark.reliability
def test_options_of_the_client_are_ignored(server):
    """Row 90."""
    client = client_of(server, server.partner("options"))
    completion = client.chat.completions.create(
        model="service",
        messages=[{"role": "user", "content": QUESTION, "name": "ann"}],
        temperature=0.2,
        max_tokens=5,
        n=1,
        user="u-1",
        extra_headers={"Service-End-User-ID": "u-1"},
    )
    assert "[1]" in completion.choices[0].message.content
    assert completion.usage.total_tokens > 0
    assert completion.citations[0]["title"]

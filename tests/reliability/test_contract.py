"""The OpenAPI documents at length: what they say is what the service does."""

import subprocess
import sys

import pytest
from api_client import ROOT

pytestmark = [pytest.mark.reliability, pytest.mark.timeout(14_000)]


@pytest.mark.parametrize("examples", [200, pytest.param(5000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("version", ["v1.1", "v1.2"])
def test_schemathesis_finds_nothing(demo, tmp_path, version, examples):
    """R1: every check but one, every phase; 0 failures, 0 undocumented statuses.

    That a body which fits the schema is accepted is not asked: no schema can say which foods there
    are, which names the time zone database knows, or that a person's height is possible.
    """
    address = f"{demo.address}/{version}/openapi.json"
    options = [
        "--checks=all",
        "--exclude-checks=positive_data_acceptance",
        f"--max-examples={examples}",
        "--generation-database=none",
        "--warnings=off",
        "--no-color",
    ]
    header = f"Authorization: Bearer {demo.keys[version]}"
    config = f"--config-file={ROOT / 'tests' / 'support' / 'schemathesis.toml'}"
    program = [sys.executable, "-m", "schemathesis.cli", config, "run"]
    command = [*program, address, "-H", header, *options]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    assert "Stateful" in run.stdout
    print(run.stdout[-1500:])

"""The inventory of what the service answers: inventory.txt, changed on purpose alone."""

from pathlib import Path

from api_client import Api

from postmeal_serve.app import OPERATIONS, VERSIONS

FOLDER = Path(__file__).parent
LINES = (FOLDER / "inventory.txt").read_text(encoding="utf-8").splitlines()
METHODS = {"get", "post", "put", "patch", "delete"}


def known_by_key_and_scope(method: str, path: str, deprecated: bool, scopes: list[str]) -> str:
    who = f"key or token with {scopes[0]}" if scopes and not deprecated else "key"
    return f"{method} {path} | {who}"


def test_the_inventory_is_what_is_served():
    """S8."""
    served = [
        known_by_key_and_scope(
            each.method,
            each.path,
            each.version.deprecated,
            [each.scope] if each.scope else [],
        )
        for each in OPERATIONS
    ]
    assert sorted(served) == sorted(LINES)


def test_the_inventory_is_what_is_documented(api: Api):
    """S8: and version 1.1 is marked as deprecated."""
    documented = []
    for version in VERSIONS:
        document = api.client.get(f"/{version.name}/openapi.json").json()
        for path, entries in document["paths"].items():
            for method in METHODS & set(entries):
                entry = entries[method]
                deprecated = entry.get("deprecated", False)
                assert deprecated == (version.name == "v1.1")
                scopes = entry["security"][0]["bearer"]
                documented.append(known_by_key_and_scope(method.upper(), path, deprecated, scopes))
    assert sorted(documented) == sorted(LINES)


def test_every_endpoint_of_the_inventory_has_tests_of_its_own():
    """S8: its path stands in a file of tests other than those that go through all endpoints."""
    general = {"test_inventory.py", "test_api_operations.py"}
    files = [*FOLDER.parent.glob("serve/**/test_*.py"), *FOLDER.glob("test_*.py")]
    written = "".join(
        file.read_text(encoding="utf-8") for file in files if file.name not in general
    )
    for line in LINES:
        path = line.split()[1].split("/{")[0]
        assert f"{path}" in written, path

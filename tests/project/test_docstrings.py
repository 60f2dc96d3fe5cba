"""Docstrings: numpydoc sections for public names, a sentence for the names inside the packages.

Public are the names in the Python reference, those that the Python client or a package of the
library exports, the commands, the settings, and the handlers of the API.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import postmeal
from reference_pages.python_pages import PAGES

ROOT = Path(__file__).parents[2]
SECTION = re.compile(
    r"^ *(?:Parameters|Returns|Yields|Raises|Attributes|Notes|Examples)\n *-{3,}$", re.M
)
DEFINITIONS = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
DOCUMENTED = {module for page in PAGES for module in page.modules}


def module_of(file: Path) -> str:
    """The dotted name of a module in `src` or `serve`."""
    parts = file.with_suffix("").relative_to(ROOT).parts[1:]
    return ".".join(part for part in parts if part != "__init__")


def exported() -> set[str]:
    """Names in `__all__` of the client, a package of the library, or a page of the reference."""
    names = set(postmeal.__all__)
    library, client = (ROOT / "src").rglob("*.py"), set((ROOT / "serve" / "client").rglob("*.py"))
    for file in (*library, *client):
        if file.name == "__init__.py" or file in client or module_of(file) in DOCUMENTED:
            for node in ast.parse(file.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                    names |= {ast.literal_eval(item) for item in getattr(node.value, "elts", [])}
    return names


PUBLIC = exported() | {"Settings"}


def with_sections(file: Path) -> Iterator[str]:
    """The internal functions and classes of a file whose docstrings have sections."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    handlers = {
        ast.unparse(keyword.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Operation"
        for keyword in node.keywords
    }
    for node in tree.body:
        if isinstance(node, DEFINITIONS) and node.name not in PUBLIC | handlers:
            for inner in ast.walk(node):
                text = ast.get_docstring(inner) if isinstance(inner, DEFINITIONS) else None
                if text and SECTION.search(text):
                    yield getattr(inner, "name", "")


def internal_files() -> list[Path]:
    """The files of the library and the service, except the commands and the migrations."""
    files = [*(ROOT / "src").rglob("*.py"), *(ROOT / "serve").rglob("*.py")]
    return [file for file in files if not {"cli", "migrations"} & set(file.parts)]


def test_internal_names_have_a_sentence() -> None:
    long = {
        f"{file.relative_to(ROOT)}: {', '.join(names)}"
        for file in internal_files()
        if (names := list(with_sections(file)))
    }
    assert long == set()


@pytest.mark.parametrize("name", postmeal.__all__)
def test_public_names_have_sections_or_refer_to_them(name: str) -> None:
    documented = getattr(postmeal, name)
    if not (isinstance(documented, type) and issubclass(documented, Exception)):
        assert SECTION.search(documented.__doc__) or "See `" in documented.__doc__

"""Make a release: golden pairs, version, changelog, wheel, sdist and SBOM.

If data is given, the model is trained first. Nothing is committed; the commands to commit and tag
are printed at the end. A release is refused if its version exists, the changelog has no entries, or
the predictions of the package differ from those of the reference implementation.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import venv
from datetime import date
from pathlib import Path

from golden import pairs as golden

from postmeal import Predictor
from postmeal.glucose.population.weights import read_weights

ROOT = Path(__file__).resolve().parents[2]
_VERSION = re.compile(r'^version = "(.*)"$', re.MULTILINE)
_NUMBERS = re.compile(r"\d+\.\d+\.\d+")
_UNRELEASED = re.compile(r"^## Unreleased\n+(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_UNSEEN = "cgmacros_dev"
NAMED_IN = {
    ROOT / "CITATION.cff": r"(?<=\nversion: )\S+",
    ROOT / "serve" / "deploy" / "kubernetes.yaml": r"(?<=/postmeal:v)\S+",
}
"""Other files that state the version, each with the pattern of its version."""


class ReleaseError(Exception):
    """The release cannot be made, because it would be inconsistent."""


def next_version(pyproject: str, changelog: str, asked: str | None) -> str:
    """Return the requested version or, without one, the unreleased version in pyproject.toml."""
    match = _VERSION.search(pyproject)
    if match is None:
        raise ReleaseError('pyproject.toml has no line version = "…"')
    version = asked or match[1]
    if not _NUMBERS.fullmatch(version):
        raise ReleaseError(f"VERSION must be three numbers such as 1.2.3, got {version!r}")
    released = re.findall(r"^## (\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    if newer := [one for one in released if _key(one) >= _key(version)]:
        raise ReleaseError(f"version {newer[0]} is released already; set VERSION to a higher one")
    return version


def tagged_version(pyproject: str, tag: str) -> str:
    """Return the version in pyproject.toml if the tag names it."""
    match = _VERSION.search(pyproject)
    if match is None or tag != f"v{match[1]}":
        version = match[1] if match else "missing"
        raise ReleaseError(
            f"the tag must be v and the version in pyproject.toml, {version}, got {tag}"
        )
    return match[1]


def with_version(pyproject: str, version: str) -> str:
    """Return the content of pyproject.toml with another version."""
    return _VERSION.sub(f'version = "{version}"', pyproject, count=1)


def with_release(changelog: str, version: str, day: date, model: str) -> str:
    """Return the changelog with the unreleased entries moved to the new version."""
    match = _UNRELEASED.search(changelog)
    if match is None or not match[1].strip():
        raise ReleaseError("docs/changelog.md has nothing under '## Unreleased'")
    entry = f"## Unreleased\n\n## {version} – {day:%Y-%m-%d}\n\n{model}\n\n{match[1].strip()}\n\n"
    return (changelog[: match.start()] + entry + changelog[match.end() :]).rstrip() + "\n"


def model_line(folder: Path) -> str:
    """Return the changelog line with the version of the model and the hash of its weights."""
    weights = folder / "population" / "weights.json"
    sha256 = hashlib.sha256(weights.read_bytes()).hexdigest()
    return f"Model: {Predictor.load(weights.parent).version}, sha256 `{sha256}`."


def train(data: Path, model: Path) -> None:
    """Train the model and write its card, as `make train` and `postmeal card` do."""
    _postmeal("train", "--data", data, "--output", model)
    unseen = data / _UNSEEN
    _postmeal("card", "--data", data, "--model", model, *(["--unseen", unseen] * unseen.is_dir()))


def write_golden_pairs(model: Path, file: Path) -> int:
    """Write the golden pairs of a model if the package and the reference make the same predictions.

    Return the number of pairs.
    """
    part = file.with_suffix(".part")
    golden.write_pairs(golden.pairs_of(read_weights(model)), part)
    predictor = Predictor.load(model)
    pairs = golden.read_pairs(part)["pairs"]
    for pair in pairs:
        found = golden.predicted(predictor, pair["input"])
        for difference in golden.differences(found, pair["expected"]):
            raise ReleaseError(
                f"package and reference differ at {pair['name']!r}: {difference}; "
                f"find out which of the two is wrong (the reference's pairs are in {part.name})"
            )
    part.replace(file)
    return len(pairs)


def build(root: Path, version: str) -> tuple[Path, Path, Path]:
    """Build the wheels and the sdist, install the wheel, and write the SBOM of its environment."""
    dist = root / "dist"
    _run(sys.executable, "-m", "hatchling", "build", "--directory", dist, cwd=root)
    wheel_of_client = ("hatchling", "build", "-t", "wheel", "--directory", dist)
    _run(sys.executable, "-m", *wheel_of_client, cwd=root / "serve" / "client")
    wheel = dist / f"postmeal-{version}-py3-none-any.whl"
    sdist = dist / f"postmeal-{version}.tar.gz"
    sbom = dist / f"postmeal-{version}.cdx.json"
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        _run(python, "-m", "pip", "install", "--quiet", f"{wheel}[serve,train]")
        _run(python, "-c", "import postmeal; postmeal.Predictor.load()", cwd=folder)
        _run(python, "-c", "import postmeal_serve.app", cwd=folder)
        _run(python, "-m", "pip", "uninstall", "--quiet", "--yes", "pip", "setuptools")
        _run(
            *(sys.executable, "-m", "cyclonedx_py", "environment", python),
            *("--pyproject", root / "pyproject.toml", "--mc-type", "library"),
            *("--output-reproducible", "--output-file", sbom),
        )
    return wheel, sdist, sbom


def main(arguments: list[str] | None = None) -> int:
    """Make the release; if it is refused, print the reason and return 1."""
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument(
        "--version", help="version, such as 1.2.3 (default: the one in pyproject.toml)"
    )
    parser.add_argument(
        "--tag", help="only build what this tag, such as v1.2.3, publishes, without other changes"
    )
    parser.add_argument("--data", type=Path, help="folder with the data sets, to retrain the model")
    options = parser.parse_args(arguments)
    pyproject, changelog = ROOT / "pyproject.toml", ROOT / "docs" / "changelog.md"
    try:
        if options.tag is not None:
            print(*build(ROOT, tagged_version(pyproject.read_text("utf-8"), options.tag)))
            return 0
        texts = [file.read_text(encoding="utf-8") for file in (pyproject, changelog)]
        version = next_version(*texts, options.version or None)
        with_release(texts[1], version, date.today(), "")  # refuse before hours of training
        if options.data is not None:
            train(options.data, ROOT / "models" / "population")
        number = write_golden_pairs(ROOT / "models" / "population", golden.FILE)
        print(f"wrote {number} golden pairs to {golden.FILE.relative_to(ROOT)}")
        entry = with_release(texts[1], version, date.today(), model_line(ROOT / "models"))
        before = {file: file.read_text(encoding="utf-8") for file in (pyproject, *NAMED_IN)}
        pyproject.write_text(with_version(texts[0], version), encoding="utf-8")
        for file, pattern in NAMED_IN.items():
            file.write_text(re.sub(pattern, version, before[file]), encoding="utf-8")
        try:
            files = build(ROOT, version)
        except BaseException:
            for file, text in before.items():
                file.write_text(text, encoding="utf-8")
            raise
        changelog.write_text(entry, encoding="utf-8")
    except (ReleaseError, subprocess.CalledProcessError) as error:
        print(f"release refused: {error}", file=sys.stderr)
        return 1
    print("wrote", *(file.relative_to(ROOT) for file in files))
    print("run the tests, then commit and tag:")
    print(f'  git commit --all -m "Release {version}" && git tag v{version}')
    return 0


def _key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _postmeal(*words: object) -> None:
    _run(sys.executable, "-m", "postmeal", *words)


def _run(*words: object, cwd: str | Path | None = None) -> None:
    subprocess.run([str(word) for word in words], check=True, cwd=cwd)


if __name__ == "__main__":
    sys.exit(main())

"""Select random commits, for testing whether contributors find files by their names.

``python tests/support/draw_requests.py 20 --seed 1 --until f657e2f`` prints the hash, the subject
and the changed code files of each commit. Files that have been moved since are listed with their
current names. Merges, commits that change more than five code files, and commits that do not change
behavior are excluded. A Python file does not count if only its docstrings and comments changed.
Recorded examples, which a command writes, do not count either.
"""

import argparse
import ast
import random
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 5
RECORDED = "serve/http/examples/"


def git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def moved(since: str) -> dict[str, str]:
    """Return the current names of files that have been moved."""
    lines = git("diff", "--name-status", "-M40%", "--diff-filter=R", since, "HEAD").splitlines()
    return {old: new for _, old, new in (line.split("\t") for line in lines)}


def changed_code(commit: str) -> list[str]:
    """Return the files of the library and the service whose behavior a commit changes."""
    files = git("diff-tree", "--no-commit-id", "--name-only", "-r", commit).split()
    code = [each for each in files if each.startswith(("src/", "serve/"))]
    code = [each for each in code if not each.startswith(RECORDED)]
    return [each for each in code if program(f"{commit}^", each) != program(commit, each)]


def program(commit: str, path: str) -> str:
    """Return the syntax tree of a Python file without docstrings, or the hash of any other file.

    If the commit does not contain the file, return an empty string.
    """
    entry = git("ls-tree", commit, path)
    if not entry or not path.endswith(".py"):
        return entry
    tree = ast.parse(git("show", f"{commit}:{path}"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not is_text(each)]  # type: ignore[attr-defined]
    return ast.dump(tree)


def is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("number", type=int)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--until", required=True, help="the last commit that may be drawn")
    options = parser.parse_args()
    commits = git("log", "--no-merges", "--format=%H", options.until).split()
    chance = random.Random(options.seed)
    chance.shuffle(commits)
    drawn = 0
    for commit in commits:
        files = changed_code(commit)
        names = moved(commit)
        today = sorted({names.get(each, each) for each in files})
        if not 0 < len(today) <= MOST_FILES or not all((ROOT / each).is_file() for each in today):
            continue
        drawn += 1
        print(f"{commit[:7]} {git('log', '-1', '--format=%s', commit).strip()}")
        print(*(f"    {each}" for each in today), sep="\n")
        if drawn == options.number:
            return


if __name__ == "__main__":
    main()

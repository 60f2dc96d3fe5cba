"""Search for regular expressions that a hostile text makes slow.

``python slow_patterns.py PACKAGE LENGTH [MODULE=LENGTH …]`` imports all modules of a package,
repeats parts of every pattern that they compile up to the given length, and prints a JSON object
with the number of patterns and a line for each slow one. The length is that of the longest text
that reaches the patterns; the longest prefix of the name of a module counts.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import json
import math
import pkgutil
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any

__all__ = ["Use", "problem_of", "pumped", "uses_of"]

MOST_S = 0.05
"""CPU time that no text may take."""

_LONG_S, _EXPONENT = 0.005, 1.2  # from this time on, the time may not grow faster than n^1.2
_STOPPED_S = 0.2
_TRIES = 5
_MOST_PARTS = 16
_LONGEST_PART = 200
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
_GROUPS = {codes.SUBPATTERN: 3, codes.ASSERT: 1, codes.ASSERT_NOT: 1}
_OF_CATEGORY = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_WORD: "-",
}
_METHODS = "search|match|fullmatch|split|findall|finditer|sub|subn"
_BLANK = re.compile(r"\s{3,}")
_CALLED = re.compile(rf"\b(\w+)(?:\([^()]*\))?\.({_METHODS})\(")

Use = tuple[re.Pattern[Any], str, str]
"""A pattern, the name of a method that is called, and the module that compiles it."""


def problem_of(
    pattern: re.Pattern[Any], method: str, length: int, plain: Callable[[str], str] = str
) -> str | None:
    """Return the part whose repetition makes a pattern slow, with the time, or None.

    Parameters
    ----------
    pattern : re.Pattern
        Pattern to test.
    method : str
        Name of the method that is called.
    length : int
        Number of characters of the text.
    plain : callable, optional
        Normalization of texts before they reach the pattern.
    """
    signal.signal(signal.SIGVTALRM, _stop)
    for part in pumped(pattern):
        text = plain((part * (length // len(part) + 1))[: length - 1] + "\0")
        if all(_is_slow(pattern, method, text) for _ in range(_TRIES)):
            return f"{part!r} takes {1000 * _cpu_s(pattern, method, text):.0f} ms"
    return None


def _is_slow(pattern: re.Pattern[Any], method: str, text: str) -> bool:
    whole_s = _cpu_s(pattern, method, text)
    if not _LONG_S < whole_s < MOST_S:
        return whole_s >= MOST_S
    half_s = min(_cpu_s(pattern, method, text[len(text) // 2 :]) for _ in range(_TRIES))
    whole_s = min(_cpu_s(pattern, method, text) for _ in range(_TRIES))
    return whole_s > _LONG_S and math.log2(whole_s / half_s) > _EXPONENT


def _cpu_s(pattern: re.Pattern[Any], method: str, text: str) -> float:
    """Return the CPU time of a method for a text, which a signal stops after 0.2 s."""
    given: Any = text if isinstance(pattern.pattern, str) else text.encode(errors="replace")
    arguments = (given[:0], given) if method in ("sub", "subn") else (given,)
    began_s = time.thread_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, _STOPPED_S)
    try:
        result = getattr(pattern, method)(*arguments)
        if method == "finditer":
            list(result)
    except _Stopped:
        pass
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.thread_time() - began_s


class _Stopped(BaseException):
    """The CPU time of a pattern was used up."""


def _stop(number: int, frame: FrameType | None) -> None:
    raise _Stopped


def pumped(pattern: re.Pattern[Any]) -> list[str]:
    """Return texts to repeat: beginnings and repeated parts of a pattern, literals and classes."""
    draw = random.Random(str(pattern.pattern))
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    whole = list(parser.parse(pattern.pattern, flags))
    main, others = [], []
    picks: list[Callable[[Sequence[Any]], Any]] = [lambda each: each[0], draw.choice]
    for pick in picks:
        main += [_text(whole[:end], pick) for end in range(1, len(whole) + 1)]
    for items in _sequences(whole):
        for code, argument in items:
            if code in _REPEATS and argument[1] > 2:
                main += [_text(argument[2], pick) for pick in picks]
        others += [_text(items[:end], draw.choice) for end in range(1, len(items) + 1)]
        others += [_text([item], draw.choice) for item in items]
        literals = [chr(item[1]) if item[0] is codes.LITERAL else "\0" for item in items]
        others += "".join(literals).split("\0")
    parts: list[str] = []
    for found, most in ((main, _MOST_PARTS // 2), (others, _MOST_PARTS)):
        found = [part for part in dict.fromkeys(found) if 0 < len(part) <= _LONGEST_PART]
        draw.shuffle(found)
        parts += [part for part in found if part not in parts][: most - len(parts)]
    return [text for part in parts for text in (part, f"{part} ")]


def _sequences(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield all sequences of a parsed pattern."""
    yield items
    for code, argument in items:
        if code is codes.BRANCH:
            inner = argument[1]
        elif code in _REPEATS:
            inner = [argument[2]]
        elif code in _GROUPS:
            inner = [argument[_GROUPS[code]]]
        else:
            inner = [argument] if code is codes.ATOMIC_GROUP else []
        for each in inner:
            yield from _sequences(list(each))


def _text(items: Sequence[Any], pick: Callable[[Sequence[Any]], Any]) -> str:
    """Return a text that a sequence of a parsed pattern matches, apart from its assertions."""
    return "".join(_item_text(code, argument, pick) for code, argument in items)


def _item_text(code: Any, argument: Any, pick: Callable[[Sequence[Any]], Any]) -> str:
    if code is codes.LITERAL:
        return chr(argument)
    if code in (codes.NOT_LITERAL, codes.ANY):
        return "b" if argument == ord("a") else "a"
    if code is codes.IN:
        return _member(list(argument), pick)
    if code is codes.BRANCH:
        return _text(pick(argument[1]), pick)
    if code is codes.SUBPATTERN:
        return _text(argument[3], pick)
    if code is codes.ATOMIC_GROUP:
        return _text(argument, pick)
    if code in _REPEATS:
        least, most, body = argument
        return "".join(_text(body, pick) for _ in range(max(least, min(1, most))))
    return ""


def _member(members: list[Any], pick: Callable[[Sequence[Any]], Any]) -> str:
    if members[0][0] is codes.NEGATE:
        outside = re.compile("|".join(map(_class_of, members[1:])))
        return next((sign for sign in "a 1,-.x~中" if not outside.match(sign)), "a")
    code, argument = pick(members)
    if code is codes.CATEGORY:
        return _OF_CATEGORY.get(argument, "a")
    return chr(argument if code is codes.LITERAL else argument[0])


def _class_of(member: Any) -> str:
    code, argument = member
    if code is codes.LITERAL:
        return re.escape(chr(argument))
    if code is codes.RANGE:
        return f"[{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}]"
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[str(argument).split("_")[-1]]
    return "\\" + (letter.upper() if "_NOT_" in str(argument) else letter)


def _with_short_blanks(text: str) -> str:
    return _BLANK.sub("  ", text)


def uses_of(package: str) -> list[Use]:
    """Import a package and return the patterns that it compiles, with the methods that it calls.

    Patterns are compiled on import, by functions without parameters that cache their result, and
    from literals in calls such as ``re.sub(r"\\s+", …)``.
    """
    compiled: dict[re.Pattern[Any], tuple[str, str, str]] = {}
    original = re._compile  # type: ignore[attr-defined]

    def observed(pattern: Any, flags: Any) -> re.Pattern[Any]:
        result: re.Pattern[Any] = original(pattern, flags)
        frame, called = sys._getframe(1), "compile"
        while frame.f_back and frame.f_globals["__name__"] in ("re", "functools"):
            called, frame = frame.f_code.co_name, frame.f_back
        module = frame.f_globals["__name__"]
        if f"{module}.".startswith(f"{package}."):
            compiled.setdefault(result, (module, called, frame.f_code.co_name))
        return result

    re._compile = observed  # type: ignore[attr-defined]
    try:
        modules = [importlib.import_module(package)]
        for each in pkgutil.walk_packages(getattr(modules[0], "__path__", ()), package + "."):
            if not each.name.endswith("__main__") and "migrations" not in each.name:
                modules.append(importlib.import_module(each.name))
        for module in modules:
            _compile_later_patterns(module)
    finally:
        re._compile = original  # type: ignore[attr-defined]
    sources = {module.__name__: inspect.getsource(module) for module in modules}
    return [
        (pattern, method, module)
        for pattern, (module, called, function) in compiled.items()
        for method in (
            [called] if called != "compile" else _methods(pattern, module, function, sources)
        )
    ]


def _compile_later_patterns(module: ModuleType) -> None:
    for name, value in list(vars(module).items()):
        is_cached = isinstance(value, functools._lru_cache_wrapper)
        if is_cached and value.__module__ == module.__name__:
            if not inspect.signature(value).parameters:
                value()
            elif (module.__name__, name) == ("postmeal.chat.patterns", "pattern"):
                for key in module._table():
                    value(key)
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        match node:
            case ast.Call(ast.Attribute(ast.Name("re"), called), [pattern, *_]):
                if called == "compile" or re.fullmatch(_METHODS, called):
                    with suppress(NameError, AttributeError):  # It contains local variables.
                        text = eval(ast.unparse(pattern), vars(module))
                        rest = {"compile": [], "sub": [text[:0]] * 2, "subn": [text[:0]] * 2}
                        getattr(re, called)(text, *rest.get(called, [text[:0]]))


def _methods(
    pattern: re.Pattern[Any], module: str, function: str, sources: dict[str, str]
) -> set[str]:
    """Return the methods that are called on a pattern: by its name, or else by any variable."""
    variables = vars(sys.modules[module]).items()
    names = {name for name, value in variables if value is pattern} | {function}
    folder = module.rpartition(".")[0]
    near = "".join(source for name, source in sources.items() if name.startswith(folder))
    is_private = all(name.startswith(("_", "<")) for name in names)
    called = _CALLED.findall(sources[module] if is_private else "".join(sources.values()))
    local = [(name, method) for name, method in _CALLED.findall(sources[module]) if name != "re"]
    return (
        {method for name, method in called if name in names}
        or {method for name, method in local if name.islower() and method != "split"}
        or {method for name, method in _CALLED.findall(near) if name == "pattern"}
        or {"search"}
    )


def main() -> None:
    """Print the slow patterns of a package."""
    package, longest, *exceptions = sys.argv[1:]
    lengths = {package: int(longest)}
    lengths |= {name: int(length) for name, length in (each.split("=") for each in exceptions)}
    uses = uses_of(package)
    plain = _with_short_blanks
    if package == "postmeal.chat":
        plain = importlib.import_module("postmeal.chat.plain_text").plain
    slow = []
    for pattern, method, module in uses:
        length = lengths[max((name for name in lengths if module.startswith(name)), key=len)]
        if problem := problem_of(pattern, method, length, plain):
            slow.append(f"{module}: {method}({pattern.pattern!r}): {problem}")
    json.dump({"patterns": len(uses), "slow": slow}, sys.stdout)


if __name__ == "__main__":
    main()

"""Structure of stored models: which keys, lists and types a JSON document must contain."""

from __future__ import annotations

LARGEST_NUMBER = 1e9
"""Largest magnitude of a number in a stored model. Larger numbers overflow in predictions."""


def structure_problem(value: object, like: object, path: str = "") -> str:
    """Compare the structure of a JSON value with that of a valid one."""
    if isinstance(like, dict):
        if not isinstance(value, dict) or value.keys() != like.keys():
            keys = sorted(value) if isinstance(value, dict) else value
            return f"{path or 'it'} must have the keys {', '.join(sorted(like))}, got {keys!s:.99}"
        parts = [(value[key], like[key], f"{path}.{key}".lstrip(".")) for key in like]
    elif isinstance(like, list):
        if not isinstance(value, list) or len(value) != len(like):
            return f"{path} must be a list of {len(like)}, got {value!s:.99}"
        parts = [(*pair, f"{path}[{n}]") for n, pair in enumerate(zip(value, like, strict=True))]
    elif isinstance(like, (int, float)):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if is_number and -LARGEST_NUMBER <= value <= LARGEST_NUMBER:  # type: ignore[operator]
            return ""
        limits = f"between {-LARGEST_NUMBER:g} and {LARGEST_NUMBER:g}"
        return f"{path} must be a number {limits}, got {value!r:.99}"
    else:
        accepted = "null" if like is None else "text"
        return "" if type(value) is type(like) else f"{path} must be {accepted}, got {value!r:.99}"
    return next(filter(None, (structure_problem(*part) for part in parts)), "")

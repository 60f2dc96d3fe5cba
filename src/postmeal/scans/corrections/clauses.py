"""Interpret clauses of a correction as operations on the foods of a scan.

Each rule is a regular expression over the marks of `postmeal.scans.corrections.marks`, with a
function that returns the next state, or None if the meaning of the clause is uncertain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from postmeal.scans.corrections.marks import Part
from postmeal.scans.corrections.operations import KeepOnly, Scale, SwapAmounts
from postmeal.scans.corrections.sharing import share_kept
from postmeal.scans.corrections.state import Item, State, Subject
from postmeal.scans.corrections.targets import is_whole, items_in, targets_of

__all__ = ["RULES", "Meaning", "Rule", "removed"]

Meaning = Callable[[Sequence[Part], str, State, Subject], State | None]

_CORRECT = frozenset({"right", "fine", "correct", "ok", "okay", "same", "unchanged", "accurate"})
_EXCHANGES = frozenset(
    ("change", "changed", "convert", "rename", "replace", "replaced", "sub", "substitute",
     "substituted", "turn")
)  # fmt: skip
_ITEM = r"(?:(?:[FQ]|XM?)v?)?[TPANZ](?:,?Q(?!v?[TPANZ]))*"
_LIST = rf"{_ITEM}(?:[,&]+{_ITEM})*"
_TARGET = r"[TPA]"
_PLACED = re.compile(r"\w (?:on|in|with|at|for) \w")  # "salt on fries"


class Rule(NamedTuple):
    """Pattern of a clause and the function that interprets it."""

    name: str
    pattern: re.Pattern[str]
    meaning: Meaning


def removed(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Return the state after a clause that removes foods, or parts of them."""
    after: State | None = state
    if marks[0] == "A" and "T" in marks:
        parts, marks = parts[1:], marks[1:]  # "both the egg and the pork"
    if marks[0] == "n" and parts[0].text.startswith("not") and not {"E", "H"} & set(marks):
        return state  # "double the naan, not the rice"
    if marks[0] == "x" and parts[0].text != "but not":
        return None
    absent = "n" in marks or parts[0].text == "without"
    items = items_in(parts)
    if not _is_certain(parts, marks, items, subject):
        return None
    for item in items:
        if after is None:
            return None
        if "N" in item.core.marks:
            if any("T" in part.marks for part in parts):
                return None
            if not absent or not subject.foods.is_food(item.core.text) or not item.is_bare:
                return None
            continue  # "no sugar" changes nothing if the scan contains no sugar
        targets = targets_of(item.core, after, subject, of_all=False)
        if "P" in item.core.marks and parts[0].text in ("threw", "throw") and state.operations:
            continue  # "a third of the sauce, threw it away"
        if (item.is_bare and "A" in item.core.marks) or ("Z" in item.core.marks and "U" in marks):
            return None
        if not targets or (item.core.targets and item.is_bare and not is_whole(item.core, subject)):
            return None
        if item.share is not None:
            after = after.scaled(targets, 1 - item.share) if item.share < 1 else None
        elif item.amount is not None:
            after = (
                after.with_more(targets[0], item.amount, -1, subject) if len(targets) == 1 else None
            )
        elif len(targets) >= len(subject) > 1 and "P" in item.core.marks and not state.last:
            return None
        else:
            after = after.without(targets)
    return after


def _is_certain(parts: Sequence[Part], marks: str, items: Sequence[Item], subject: Subject) -> bool:
    """Return whether a clause can only mean that these items were not eaten."""
    if "n" in marks and (any(item.amounts for item in items) or parts[0].text == "never"):
        return False  # "I didn't have 200 g of rice", "I never finish my coffee"
    bare = [item.is_bare for item in items]
    if not all(bare):
        first = next((m for m in marks if m in "TPANZQFX"), "")
        if any(bare[: bare.index(False)]) or first not in "QF" or "X" in marks:
            return False  # "no broccoli, 100 g of rice"
        if "," in marks and bare.count(False) > 1:
            return False
    return not any(
        _PLACED.search(item.core.text) and subject.names.named(item.core.text) is None
        for item in items
    )


def _keep_only(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    items = items_in(parts)
    if any(not item.is_bare for item in items):
        return _eat(parts, marks, state, subject) if "x" not in marks and "R" not in marks else None
    targets = [t for i in items for t in targets_of(i.core, state, subject, of_all=False)]
    if not targets or any("T" not in item.core.marks for item in items):
        return None
    return state.then(KeepOnly(tuple(sorted(set(targets)))), last=tuple(targets))


def _all_but(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    start = next(n for n, mark in enumerate(marks) if mark == "x")
    head = marks[:start]
    while marks[start + 1 : start + 2] in ("L", "n", "E", "R"):
        start += 1
    rest = parts[start + 1 :]
    if "R" in head:
        return _keep_only(rest, marks[start + 1 :], state, subject)
    before: State | None = state
    shares = [part.value for part in parts[:start] if part.marks in ("F", "X")]
    if shares and shares[0] != 1:
        kept = [t for i in items_in(rest) for t in i.core.targets]
        return state.scaled([n for n in range(len(subject)) if n not in kept], shares[0])
    return removed(rest, marks[start + 1 :], before, subject) if before else None


def _eat(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause about eaten amounts, such as "ate half of the rice and 200 g of beans".

    A food without an amount does not change.
    """
    after: State | None = state
    if marks[0] == "C" and parts[0].text in _EXCHANGES:
        return None  # "replace the milk" does not name the replacement
    if marks.startswith("CP") and marks[2:3] not in ("", ",", "&"):
        parts = parts[2:]  # "make it 50 g of cheese"
    for item in items_in(parts):
        if after is None:
            return None
        after = _eaten(item, after, subject, has_left="L" in marks)
    return after


def _eaten(item: Item, state: State, subject: Subject, *, has_left: bool) -> State | None:
    core = item.core
    if "each" in core.text.split() and item.share is None:
        return None  # "2 naan, 80 g each"
    if "N" in core.marks:
        return _named(item, state, subject)
    if "Z" in core.marks:
        return state if item.is_bare else None
    targets = targets_of(core, state, subject, of_all=item.share is not None)
    if not targets:
        return None
    if item.share is not None:
        return state.scaled(targets, 1 - item.share if has_left else item.share)
    if item.amount is not None:
        if has_left:
            return (
                state.with_more(targets[0], item.amount, -1, subject) if len(targets) == 1 else None
            )
        if len(targets) > 1:
            return None  # "the meal was 500 g" does not state the amount of one food
        return state.with_amount(targets[0], item.amount, subject, follows=item.follows)
    return state.without(targets) if has_left else state.then(last=targets)


def _named(item: Item, state: State, subject: Subject) -> State | None:
    """Interpret a name with an amount: a variety of a food in the scan, or a food to add."""
    bases = [n for n in subject.names.bases(item.core.text) if not state.removed(n)]
    if item.share is not None:
        return None
    if len(bases) == 1 and not state.adds:
        after = state.renamed(bases[0], item.core.text, subject)
        if after is None or item.amount is None:
            return after
        return after.with_amount(bases[0], item.amount, subject)
    if item.amount is None and not state.adds:
        return None
    return state.with_food(item.core.text, item.added, subject)


def _add(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    after: State | None = state
    if "T" in marks and marks.startswith("nE"):
        return None  # "I didn't have 200 g of rice"
    for item in items_in(parts):
        if after is None or item.share is not None or "P" in item.core.marks:
            return None
        core, amount = item.core, item.amount
        if "T" in core.marks and core.is_sure:
            if amount is None or len(core.targets) != 1 or state.removed(core.targets[0]):
                return None
            after = after.with_more(core.targets[0], amount, 1, subject)
        else:
            after = after.with_food(core.text, item.added, subject)
    return after


def _there(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    after: State | None = state
    for item in items_in(parts):
        if after is None:
            return None
        if "T" in item.core.marks:
            after = _eaten(item, after, subject, has_left=False)
        elif "N" in item.core.marks:
            after = after.with_food(item.core.text, item.added, subject)
        else:
            return None
    return after


def _wrong(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    cores = [part for part in parts if not set("TPN").isdisjoint(part.marks)]
    named = next((part for part in cores if "T" in part.marks), cores[0])
    targets = targets_of(named, state, subject, of_all=False)
    if len(targets) != 1:
        return None
    grows = marks[-1] == "m" if marks[-1] in "ml" else None
    return state.waiting(targets[0], grows=grows)


def _swap(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    named = [target for part in parts if "T" in part.marks for target in part.targets]
    places = named or list(range(len(subject)))
    if len(places) != 2 or len(set(places)) != 2:
        return None
    if state.operations[-1:] == (SwapAmounts(places[0], places[1]),):
        return state
    return state.then(SwapAmounts(places[0], places[1]), last=tuple(places))


def _share(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    kept = share_kept(parts, marks)
    if kept is None:
        return None
    items = items_in(parts)
    if any(not item.is_bare and item.share is None for item in items):
        items = [Item(item.core, None, ()) for item in items]
    if not items:
        return state.scaled(targets_of(Part("P", "it"), state, subject, of_all=True), kept)
    each = [targets_of(item.core, state, subject, of_all=True) for item in items]
    targets = tuple(dict.fromkeys(target for one in each for target in one))
    return state.scaled(targets, kept) if all(each) else None


def _repeat(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause that repeats the previous one: "the fries I did not eat, remove them"."""
    if "D" in marks:
        return state if state.adds else None
    reduced = state.operations and isinstance(state.operations[-1], Scale)
    if "P" in marks and reduced and set(marks) & {"k", "R"}:
        return state  # "a third of the sauce, threw it away"
    if state.removes and state.last and all(state.removed(one) for one in state.last):
        return state
    if not state.last or "P" in marks:
        return None
    return state.without(state.last)


def _remove_from(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret "there were no croutons in my salad", which removes only the croutons."""
    return removed(parts[:-2], marks[:-2], state, subject)


def _keep_right(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret "only the lettuce is right" after a clause that changes every food."""
    targets = [target for part in parts for target in part.targets]
    kept = tuple(one for one in state.operations if getattr(one, "target", None) not in targets)
    said = next(part.text for part in parts if "j" in part.marks)
    if len(kept) == len(state.operations) or _CORRECT.isdisjoint(said.split()):
        return _nothing(parts, marks, state, subject)
    return State(kept, tuple(targets))


def _nothing(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    if marks[0] == "q" and any(part.amount for part in parts):
        return None
    targets = tuple(target for part in parts for target in part.targets)
    return state.then(last=targets or None) if state.pending is None else None


def _leave(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "the rice I left" or "of the rice I left a third"."""
    target = next(part for part in parts if "T" in part.marks)
    if not is_whole(target, subject):
        return None
    share = next((part.value for part in parts if part.marks == "F"), 1.0)
    return state.scaled(target.targets, 1 - share)


def _off(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    return removed(parts[:1], "T", state, subject) if parts[1].text in ("off", "out") else None


def _eat_only(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "ate the soup only"."""
    if state.operations or "only" not in [part.text for part in parts]:
        return None
    return _keep_only(parts, marks, state, subject)


_RULES: tuple[tuple[str, str, Meaning], ...] = (
    ("remove", r"(?:R|Hn|n|nE|En|nH)T(?:[,&]+T)*[tv]T", _remove_from),
    ("remove", rf"[RO]{_LIST}p?", removed),
    ("remove", rf"R[QFX]v?{_TARGET}", removed),
    ("not eaten", rf"(?:nE|En|Hn|n|RE|nH|Bn|x){_LIST}(?:\|{_ITEM})*", removed),
    ("not eaten", rf"(?:[kLd]){_LIST}p", removed),
    ("none of it", r"E?F[vB]?[TPA]", _eat),
    ("not there", r"[TP]B?a", removed),
    ("not eaten", r"T(?:[,&]+T)*[,&]*P?(?:nE|En|nk|B?a)[PZ]?", removed),
    ("removed", r"(?:R|nE|kp)P?|[kR]Pp?|LP?(?:t(?:U|g)|p)", _repeat),
    ("not eaten", r"Tp", _off),
    ("removed", r"A?T(?:[,&]+T)*BR", removed),
    ("part removed", r"kFv?[TPA]", removed),
    ("untouched", rf"q{_LIST}", _nothing),
    ("added", r"DP", _repeat),
    ("not theirs", r"[TP][,&]*BU", removed),
    ("others ate", rf"U&?E{_LIST}", removed),
    ("left", rf"Lo?{_LIST}", _eat),
    ("left", rf"L{_TARGET}p?", _eat),
    ("left", r"v?T,?L[FA]?p?", _leave),
    ("unfinished", r"h[TPA]", _wrong),
    ("left", r"TBL", removed),
    ("given", rf"L{_LIST}t(?:U|g)", _eat),
    ("given", rf"LU{_LIST}", _eat),
    ("only", rf"(?:oEo?|Eo|EO[x&]|EAB|o|AEBo?|oBo?|AEo|EoE|oH|Ho){_LIST}E?", _keep_only),
    ("all but", rf"(?:E?R?(?:Fv?)?A|RA|EO|L?A|XA|[dC]A(?:tF|X)|AB?X)x{_LIST}", _all_but),
    ("all but", rf"Rx{_LIST}", _all_but),
    ("all but", rf"EAx(?:L|nE|R|En){_LIST}", _all_but),
    ("eat", rf"(?:o?E?o?|BE|CP?){_LIST}", _eat),
    ("eat", rf"o{_LIST}E", _eat),
    ("only", rf"E?{_LIST}oE?", _eat_only),
    ("there", rf"(?:PB)?(?:Ho?|HE){_LIST}", _there),
    ("add", rf"(?:[EHB]?D[EHBD]?|w|DH|ED|mE|Em){_LIST}D?", _add),
    ("add", rf"E{_LIST}D", _add),
    ("add", r"(?:Qv?)?NBD(?:,?Q)*", _add),
    ("not included", rf"n(?:D|H|E){_LIST}", _add),
    ("wrong", r"E?[TP]B?W|AB?o?jxT", _wrong),
    ("wrong", r"[TP]B[lm]", _wrong),
    ("wrong", r"[TP]Bn[TN]", _wrong),
    ("swap", r"[Cc](?:[TP](?:[&tw,]+T)?)?G(?:v?(?:T&T|[AP]))?Y?", _swap),
    ("swap", r"[Cc](?:T&T|P|A)?Y", _swap),
    ("swap", r"c(?:T[&wt]T|P|A)", _swap),
    ("swap", r"(?:G(?:v(?:T&T|[AP]))?|E?T&TG?|PG?|A)B?Y", _swap),
    ("share", r"(?:U?&?|[TP]B|H|BQg)?S(?:[TPA](?:[,&]+[TPA])*)?[wUgeQFtv,&X]*", _share),
    ("right", r"o?T(?:[,&]+T)*B?o?j", _keep_right),
    ("nothing", r"D|U&?EZ", _nothing),
    ("nothing", r"(?:[TPAZN]B?|B)?n?j", _nothing),
    ("nothing", r"(?:E|o|L|nE|nL|E?n)Z|Zn|[MG]B?j|T[,]?o?j", _nothing),
    ("nothing", r"ZB?[jL]|[LE]ZE?", _nothing),
)

RULES: tuple[Rule, ...] = tuple(
    Rule(name, re.compile(pattern), meaning) for name, pattern, meaning in _RULES
)
"""Rules for clauses about foods. Those about amounts are in `AMOUNT_RULES`."""

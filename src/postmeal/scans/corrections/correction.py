"""Apply corrections in plain English to a scan.

If any part of a correction is not understood, the scan does not change.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from postmeal.arguments import check_type
from postmeal.errors import InputError
from postmeal.foods.catalog import Catalog
from postmeal.scans.corrections.amount_clauses import AMOUNT_RULES
from postmeal.scans.corrections.clauses import RULES, Rule
from postmeal.scans.corrections.marks import Part, marked, readings_of
from postmeal.scans.corrections.mentions import ScanNames
from postmeal.scans.corrections.naming_clauses import NAMING_RULES
from postmeal.scans.corrections.new_foods import NewFoods
from postmeal.scans.corrections.operations import Add, Operation, Remove, applied
from postmeal.scans.corrections.remarks import is_remark, split_remarks
from postmeal.scans.corrections.state import State, Subject
from postmeal.scans.corrections.wording import plain_words
from postmeal.scans.scan import Scan

__all__ = ["LONGEST_CORRECTION", "Correction", "correct", "operations_of"]

LONGEST_CORRECTION = 1000
"""Maximum number of characters in a correction."""

_ALL_RULES: tuple[Rule, ...] = (*AMOUNT_RULES, *NAMING_RULES, *RULES)
_MOST_PARTS = 60
_MOST_STEPS = 200
_LONGEST_CLAUSE = 24
_HOLDING = frozenset({"had", "has", "have", "having"})
_CHATTER = frozenset("NEBPUtwvpnomjkYgMWe")
_NAMES = frozenset("TPANZ?")
_BOUNDARIES = ",&.KJf"
_REASONS = frozenset({"because", "since", "cause", "cuz", "bc", "as i was", "as it was", "so that"})
_STATED = re.compile(r"N+BN*")
_JOINED = re.compile(r"(?:^|[,&.])T&(?:T\|B|\|TB)")
_SLOTS = "QFXTNPv"
_SAME_SLOT = {"Q": "QFX", "F": "QFX", "X": "QFX", "T": "TNPA", "N": "TNPA", "P": "TPA"}


@dataclass(frozen=True, slots=True)
class Correction:
    """A scan after a correction.

    Attributes
    ----------
    scan : Scan
        The scan after the correction; unchanged if the correction was not understood.
    operations : tuple of Operation
        The changes; empty if nothing was changed.
    origins : tuple of int or None
        For each food of the scan after the correction, its index before the correction; None for
        an added food.
    unread : tuple of str
        The words that were not understood. If there are any, the scan is unchanged.
    """

    scan: Scan
    operations: tuple[Operation, ...]
    origins: tuple[int | None, ...]
    unread: tuple[str, ...]


def correct(scan: Scan, text: str, catalog: Catalog) -> Correction:
    """Apply a person's correction to a scan.

    Parameters
    ----------
    scan : Scan
        The foods and their amounts.
    text : str
        What the person wrote, such as ``"no rice"``. Text of more than `LONGEST_CORRECTION`
        characters is not understood.
    catalog : Catalog
        Catalog in which foods named in the text are looked up.

    Returns
    -------
    Correction
        The scan after the correction. If any part of the text is not understood, the scan is
        unchanged and no error is raised.

    Raises
    ------
    InputError
        The scan is not a `Scan`, or the text is not a str.

    Examples
    --------
    >>> scan = Scan.of([("white rice", 200), ("grilled chicken breast", 120), ("broccoli", 80)])
    >>> after = correct(scan, "I only ate half of the rice and no broccoli", Catalog.open())
    >>> [(food.name, food.grams) for food in after.scan.foods]
    [('white rice', 100.0), ('grilled chicken breast', 120)]
    >>> correct(scan, "the rice was somehow strange", Catalog.open()).unread
    ('the rice was somehow strange',)
    """
    if not isinstance(scan, Scan):
        raise InputError("scan", "must be a Scan", scan)
    if not isinstance(text, str):
        raise InputError("text", "must be a str", text)
    check_type("catalog", catalog, Catalog, "must be a Catalog, such as Catalog.open()")
    unchanged = Correction(scan, (), tuple(range(len(scan.foods))), (text.strip(),))
    operations = operations_of(scan, text, catalog)
    if not operations and (operations is None or not is_remark(plain_words(text))):
        return unchanged
    try:
        after = applied(operations, scan.foods)
    except InputError:
        return unchanged
    foods = tuple(food for _, food in after)
    return Correction(
        replace(scan, foods=foods, unread=()), operations, tuple(place for place, _ in after), ()
    )


def operations_of(scan: Scan, text: str, catalog: Catalog) -> tuple[Operation, ...] | None:
    """Return the operations that a text asks for, or None if any part is not understood."""
    if not text.strip() or len(text) > LONGEST_CORRECTION or not scan.foods:
        return None
    asked, said = split_remarks(plain_words(text))
    if asked and not said:
        return None
    foods = NewFoods.of(catalog)
    subject = Subject(ScanNames(scan.foods, foods.everyday, foods.is_food), foods)
    parts = marked(said, subject.names, subject.foods)
    if len(parts) > _MOST_PARTS:
        return None
    for marks in readings_of(parts):
        found = _Search(parts, marks, subject).state()
        if found is not None:
            return None if _removes_everything(found.operations, scan) else found.operations
    return None


def _removes_everything(operations: Sequence[Operation], scan: Scan) -> bool:
    """Return whether operations remove all foods of a meal, which is usually a misunderstanding."""
    removed = {one.target for one in operations if isinstance(one, Remove)}
    adds = any(isinstance(one, Add) for one in operations)
    return len(removed) == len(scan.foods) > 1 and not adds


class _Search:
    """Search for clauses that together cover every part of a correction."""

    def __init__(self, parts: Sequence[Part], marks: str, subject: Subject) -> None:
        self._parts = parts
        self._marks = marks
        self._subject = subject
        self._steps = 0
        self._failed: set[object] = set()
        self._clauses: dict[int, list[tuple[int, Rule]]] = {}

    def state(self) -> State | None:
        start = len(self._marks) - len(self._marks.lstrip(",&.KJ"))
        if self._marks[start : start + 2] == "n,":
            start += 2
        return self._from(start, State(), None)

    def _from(
        self, place: int, state: State, before: tuple[int, int, State] | None
    ) -> State | None:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return None
        marks = self._marks
        while place < len(marks) and marks[place] in ",&.":
            place += 1
        if place >= len(marks):
            return state if state.pending is None else None
        if marks[place] in "KJ":
            return self._replace_last(place, state, before)
        known = (place, state.last, state.operations[-1:], state.pending, before and before[:2])
        if known in self._failed:
            return None
        found_here = self._clauses_at(place)
        for end, rule in found_here:
            if (
                set(marks[place:end]) == {"T"}
                and marks[end : end + 1] == "E"
                and self._parts[end].text in _HOLDING
            ):
                continue  # "the stew had 3 potatoes in it"
            after = rule.meaning(self._parts[place:end], marks[place:end], state, self._subject)
            if after is None:
                continue
            found = self._from(end, after, (place, end, state))
            if found is not None:
                return found
        begins = place == 0 or marks[place - 1] in ",&."
        if marks[place] == "f" or (begins and self._is_chatter(place)):
            found = self._from(self._end_of_chatter(place), state, before)
            if found is not None:
                return found
        self._failed.add(known)
        return None

    def _clauses_at(self, place: int) -> list[tuple[int, Rule]]:
        """Return the clauses that may begin at a place, longest first."""
        if place not in self._clauses:
            marks = self._marks
            rules = [rule for rule in _ALL_RULES if rule.pattern.match(marks, place)]
            self._clauses[place] = [
                (end, rule)
                for end in range(min(len(marks), place + _LONGEST_CLAUSE), place, -1)
                for rule in rules
                if rule.pattern.fullmatch(marks, place, end) and self._may_end(place, end, rule)
            ]
        return self._clauses[place]

    def _may_end(self, place: int, end: int, rule: Rule) -> bool:
        """Return whether a clause that begins at `place` may end at `end`.

        An amount without a food must be followed by the end of the sentence or a comma. A removal
        must not be followed by a qualification, as in "I didn't eat the fries cold".
        """
        marks = self._marks
        follows = marks[end] if end < len(marks) else "."
        if rule.name == "set" and _JOINED.search(f"{marks[:place]}|{marks[place:end]}"):
            return False  # "the rice and the chicken were 100 g"
        if marks[place:end] == "D" and follows in _NAMES:
            return False  # "remove the rice, add chicken", if the scan contains chicken
        if rule in AMOUNT_RULES and _NAMES.isdisjoint(marks[place:end]):
            after_food = marks[place - 1 : place + 1] == "TQ"  # "rice 3"
            return follows in _BOUNDARIES and marks[place - 1 : place] != "D" and not after_food
        if rule.name in ("not eaten", "left", "remove"):
            if follows == "f" and rule.name != "remove":
                return self._parts[end].text in _REASONS  # not "until last"
            if rule.name == "not eaten" and "N" in marks[place:end]:
                return follows in _BOUNDARIES + "|"
            return follows not in "jwvBtaMN" or (rule.name == "remove" and follows == "j")
        if rule.name == "all but":
            return follows != "B"  # "everything but the rice was great"
        if marks[end - 1] == "o" and follows == "f":
            return False  # "I ate it only because I was hungry"
        return rule.name != "only" or follows not in "BC"  # "only the rice was 100 g"

    def _end_of_chatter(self, place: int) -> int:
        while place < len(self._marks) and self._marks[place] not in ",.&":
            place += 1
        return place

    def _is_chatter(self, place: int) -> bool:
        """Return whether a clause can be ignored, because it names no food, amount or action."""
        end = self._end_of_chatter(place)
        marks = self._marks[place:end]
        if not _CHATTER.issuperset(marks) or (
            "P" in marks and not {"E", "n"}.isdisjoint(marks) and ("n" in marks or "j" not in marks)
        ):
            return False
        is_listed = marks.strip("N") == "" and "&" in self._marks[max(place - 1, 0) : place]
        if is_listed or _STATED.fullmatch(marks):
            return False  # "the xyzzy was plugh" and "and the xyzzy" may be about foods
        named = (part.text for part in self._parts[place:end] if part.marks == "N")
        names, foods = self._subject.names, self._subject.foods
        return not any(
            names.bases(text) or foods.is_food(text) or any(map(names.mention, text.split()))
            for text in named
        )

    def _replace_last(
        self, place: int, state: State, before: tuple[int, int, State] | None
    ) -> State | None:
        """Interpret the words after "no wait", which replace the previous clause."""
        marks = self._marks
        is_undone = marks[place] == "J"
        place += 1
        while place < len(marks) and marks[place] in ",&.KJ":
            is_undone = is_undone or marks[place] == "J"
            place += 1
        if before is None:
            return self._from(place, state, None)
        start, end, earlier = before
        if is_undone:
            return self._from(place, earlier, None)
        if place >= len(marks):
            return None
        stop = place
        while stop < len(marks) and marks[stop] in _SLOTS:
            stop += 1
        fragment = stop
        if marks[stop : stop + 2] == "Bj":
            stop += 2
        if fragment > place and (stop == len(marks) or marks[stop] in ",&."):
            parts = self._replace_parts(self._parts[start:end], self._parts[place:fragment])
            if parts is not None:
                again = "".join(part.marks[0] for part in parts)
                for rule in _ALL_RULES:
                    if rule.pattern.fullmatch(again):
                        after = rule.meaning(parts, again, earlier, self._subject)
                        if after is not None:
                            found = self._from(stop, after, (start, end, earlier))
                            if found is not None:
                                return found
        if marks[place] == "n":
            return None
        kept = replace(earlier, last=state.last)
        return self._from(place, kept, None)

    def _replace_parts(self, parts: Sequence[Part], new: Sequence[Part]) -> list[Part] | None:
        """Replace the parts of a clause with new parts of the same kind.

        Return None if a new part has no counterpart in the clause.
        """
        result = list(parts)
        for part in new:
            if part.marks == "v":
                continue
            slot = _SAME_SLOT.get(part.marks[0], "")
            places = [n for n, one in enumerate(result) if one.marks[0] in slot]
            if not places:
                return None
            if part.marks != "P" or result[places[-1]].marks != "T":
                result[places[-1]] = part
        return result

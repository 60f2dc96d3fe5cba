"""Interpret clauses of a correction that change amounts."""

from __future__ import annotations

import re
from collections.abc import Sequence

from postmeal.foods.language.phrases.phrase import Phrase
from postmeal.scans.corrections.clauses import Meaning, Rule
from postmeal.scans.corrections.marks import Part
from postmeal.scans.corrections.operations import Scale, SetAmount
from postmeal.scans.corrections.state import Item, State, Subject
from postmeal.scans.corrections.targets import targets_of

_SAME_G = 0.51
_TELLING_UNITS = frozenset({"bottle", "can", "glass", "mug", "slice"})


def _target(
    parts: Sequence[Part], state: State, subject: Subject, *, of_all: bool = False
) -> tuple[int, ...]:
    named = [part for part in parts if "T" in part.marks]
    if len(named) > 1:
        return tuple(dict.fromkeys(target for part in named for target in part.targets))
    core = next((part for part in parts if not set("TPA").isdisjoint(part.marks)), None)
    return targets_of(core or Part("P", "it"), state, subject, of_all=of_all)


def _amounts(parts: Sequence[Part]) -> list[Phrase]:
    return [part.amount for part in parts if part.amount is not None]


def _food_with_unit(amounts: Sequence[Phrase], subject: Subject) -> tuple[int, ...]:
    """Return the only food with servings in these units, such as a pizza for "a slice".

    Empty if no food or several foods have such servings.
    """
    units = {amount.unit for amount in amounts} & _TELLING_UNITS
    found = tuple(
        place
        for place in range(len(subject))
        if (food := subject.food(place))
        and any(unit in serving.unit.split() for serving in food.servings for unit in units)
    )
    return found if len(found) == 1 else ()


def _resized(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret "the eggs were a bit bigger, 140 g", if the scan contains less than 140 g."""
    after = _set(parts, marks, state, subject)
    if after is None or not after.operations:
        return None
    operation = after.operations[-1]
    if not isinstance(operation, SetAmount) or operation.target >= len(subject):
        return None
    before_g = subject.names.foods[operation.target].grams
    return after if (operation.grams > before_g) == ("m" in marks) else None


def _set(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause that states an amount, such as "the salmon was 200 g" or "500 ml"."""
    amounts = _amounts(parts)
    targets = _target(parts, state, subject) or _food_with_unit(amounts, subject)
    if not targets or not amounts or (len(targets) > 1 and not {"A", "P", "T"} & set(marks)):
        return None
    if len(targets) > 1 and not {"A", "T"} <= set(marks):
        return None  # "the meal was 500 g" does not state the amount of one food
    if "T" not in marks and any("each" in part.text.split() for part in parts):
        return None
    item = Item(Part("P", ""), None, tuple(amounts))
    after: State | None = state
    for target in targets:
        if after is None or item.amount is None:
            return None
        follows = marks.find("T") < marks.find("Q") and "T" in marks
        after = after.with_amount(target, item.amount, subject, follows=follows)
    return after


def _multiple(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "twice as much rice", "the rice was half" or "20% less rice"."""
    factor = next(part.value for part in parts if part.marks in ("F", "X"))
    is_share = any(part.marks == "F" for part in parts)
    if "l" in marks and is_share:
        factor = 1 - factor
    elif "m" in marks:
        factor = 1 + factor
    elif "d" in marks and not ("t" in marks and is_share) and is_share:
        factor = 1 - factor
    elif "u" in marks and is_share:
        factor = 1 + factor
    elif "d" in marks and not is_share:
        return None
    if factor == 0 and is_share:
        targets = _target(parts, state, subject) if state.last or "T" in marks else ()
        return state.without(targets) if targets and not {"u", "m", "l"} & set(marks) else None
    if factor <= 0:
        return None
    targets = _target(parts, state, subject, of_all=is_share and "B" not in marks)
    if not targets and "T" not in marks:
        return None
    repeated = tuple(Scale(target, factor) for target in targets)
    if not any(part.targets for part in parts) and state.operations:
        before = state.operations[-len(repeated) :]
        if before == repeated:
            return state  # "I shared it with a friend, so half"
        if (
            "A" not in marks
            and before
            and all(isinstance(one, Scale) and one.target in targets for one in before)
        ):
            state = State(state.operations[: -len(repeated)], state.last)
    return state.scaled(targets, factor)


def _keep_part(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "2 of the 3 slices" or "8 pieces, not 6"."""
    first, second = _amounts(parts)[:2]
    targets = _target(parts, state, subject) or _food_with_unit([first, second], subject)
    if len(targets) != 1 or targets[0] >= len(subject):
        return None
    both = (first.count, second.count)
    if both[0] and both[1] and (not first.unit or not second.unit or first.unit == second.unit):
        share = both[0] / both[1]
        if (first.mass_g is None) != (second.mass_g is None) or ("v" in marks and share > 1):
            return None
        if "L" in marks or "R" in marks:
            share = 1 - share
        return state.scaled(targets, share)
    if "v" in marks:
        return None
    return state.with_amount(targets[0], first, subject)


def _eat_some(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "there were 6 and I ate 4"."""
    amounts = [part for part in parts if part.amount is not None]
    rest = [part for part in parts if part.amount is None and "P" not in part.marks]
    return _keep_part([*rest, amounts[1], amounts[0]], "v", state, subject)


def _replace_count(
    parts: Sequence[Part], marks: str, state: State, subject: Subject
) -> State | None:
    """Interpret a clause such as "it was not 6, it was 8"."""
    amounts = [part for part in parts if part.amount is not None]
    rest = [part for part in parts if part.amount is None]
    return _keep_part([*rest, amounts[1], amounts[0]], marks, state, subject)


def _more(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret a clause such as "50 g more rice", "another banana" or "reduce it by 20 g"."""
    targets = _target(parts, state, subject)
    sign = -1 if set("ldLR") & set(marks) else 1
    amounts = _amounts(parts)
    if not amounts and any(part.text in ("moreof",) for part in parts):
        amounts = [Phrase("1", "", 1.0)]
    if len(targets) != 1 or not amounts:
        return None
    return state.with_more(targets[0], amounts[-1], sign, subject)


def _instead_of_grams(
    parts: Sequence[Part], marks: str, state: State, subject: Subject
) -> State | None:
    """Interpret "change the 200 g to 150 g", which refers to the food that weighs 200 g."""
    first, second = _amounts(parts)[:2]
    if first.mass_g is None or second.mass_g is None:
        return None
    same = [
        place
        for place, food in enumerate(subject.names.foods)
        if abs(food.grams - first.mass_g) < _SAME_G
    ]
    return state.with_grams(same[0], second.mass_g) if len(same) == 1 else None


_T = "[TPA]"
_AMOUNT_RULES: tuple[tuple[str, str, Meaning], ...] = (
    ("set", rf"{_T}[,]?B?o?Q(?:,?&?Q)*(?:v{_T})?", _set),
    ("set", r"(?:PB|E|B|CP?[Bt]?|o|Eo|oE|PBo|Bo|H)?Q(?:,?Q)*(?:vP)?", _set),
    ("set", rf"C(?:G?v?){_T}[tBw]?o?Q(?:,?Q)*", _set),
    ("set", rf"[ud]{_T}tQ", _set),
    ("set", rf"{_T}P?(?:B|E|C|BE|EB|Bv|CB|oE|Eo)?o?Q(?:,?Q)*", _set),
    ("set", r"(?:PB)?QBj|TtQ(?:,?Q)*", _set),
    ("set", r"T(?:[,&D]+T)+(?:A|AB|B)o?Q", _set),
    ("multiple", r"T(?:[,&D]+T)+(?:A|AB|B)o?(?:F|XM?)", _multiple),
    ("multiple", rf"v?{_T},?P?[ECD]?o?[EC]?o?(?:F|XM?)(?:v?[PT])?", _multiple),
    ("multiple", rf"{_T}Bdt?F", _multiple),
    ("multiple", rf"{_T}Q?F[ml]", _multiple),
    ("ate of", r"(?:H|B|PB|tB|v)?QT?[,.&x]*(?:o?Eo?|o|Eo|oE)Q(?:v?[PT])?o?", _eat_some),
    ("resized", rf"(?:C|E)?{_T},?B?[lm],?B?Q(?:,?Q)*", _resized),
    ("resized", rf"H?[lm]v?{_T},?o?Q(?:,?Q)*", _resized),
    ("resized", rf"E?[lm]v?{_T},?B?o?Q", _resized),
    ("multiple", rf"[EC]?XM?v?M?{_T}", _multiple),
    ("multiple", rf"[EC]?{_T}B?o?XM?v?P?", _multiple),
    ("multiple", rf"(?:C|E)?{_T}[Bt]?o?F[lm]?(?:v?[PM])?", _multiple),
    ("multiple", rf"(?:E|C|L)?F[lm]v?{_T}?", _multiple),
    ("multiple", r"(?:PB|E|Ep|oE|CP?|B|o|t|C?P?t)?o?(?:XM?v?P?|F(?:v?[PA])?)", _multiple),
    ("multiple", rf"[ud]{_T}[wt]?F", _multiple),
    ("multiple", rf"(?:B|{_T}B)F[lm]", _multiple),
    ("part of", rf"[EoB]*QvQ{_T}?", _keep_part),
    ("part of", rf"(?:{_T}B)?[EoHB]*(?:PB)?Qv?{_T}?[,&]*[in]B?Qv?{_T}?", _keep_part),
    ("left of", rf"[LR]QvQ{_T}?", _keep_part),
    ("not but", rf"(?:{_T}B|PB|H|E)?n(?:E|B)?Q{_T}?[,&x.]*(?:PB|E|H|o|B)?Q{_T}?", _replace_count),
    ("more", rf"{_T}[DR]Q", _more),
    ("more", rf"[EDCH]?(?:Qm|mQ|mm|m)v?{_T}", _more),
    ("more", rf"[EDCH]?Q[ml]v?{_T}?", _more),
    ("more", rf"[ud]{_T}wQ", _more),
    ("more", rf"{_T}BQ[ml]", _more),
    ("grams", r"[Cc]QtQ", _instead_of_grams),
    ("grams", r"(?:PB)?Q[,]?[in]Q", _instead_of_grams),
)

AMOUNT_RULES: tuple[Rule, ...] = tuple(
    Rule(name, re.compile(pattern), meaning) for name, pattern, meaning in _AMOUNT_RULES
)
"""Rules for clauses that change amounts."""

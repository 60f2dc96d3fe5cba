"""Interpret clauses that replace one food with another, such as "it was quinoa, not rice"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from postmeal.scans.corrections.clauses import Meaning, Rule, removed
from postmeal.scans.corrections.marks import Part
from postmeal.scans.corrections.state import State, Subject
from postmeal.scans.corrections.targets import described, same_kind, targets_of


def _rename(parts: Sequence[Part], marks: str, state: State, subject: Subject) -> State | None:
    """Interpret "the rice was brown", "it's quinoa, not rice" or "replace the rice with quinoa"."""
    cores = [part for part in parts if not set("TPN").isdisjoint(part.marks)]
    if any(part.text in ("no", "never", "zero") for part in parts if "n" in part.marks):
        return _variety_without(parts, marks, state, subject)
    after_not = marks.find("T", marks.find("n") + 1) if "n" in marks else -1
    is_denied = 0 <= marks.find("n") < after_not < marks.rfind("N")
    names = [part for part in (parts[after_not:] if is_denied else cores) if "N" in part.marks]
    new = names[0] if names else None
    old = [part for part in cores if "T" in part.marks]
    amounts = [part.amount for part in parts if part.amount is not None]
    if new is None and "T" in cores[-1].marks and len(old) == 2 and not old[-1].is_sure:
        new, old = old[-1], old[:1]
    if new is None:
        return None
    if old:
        targets = old[0].targets
    elif state.pending is not None:
        targets = (state.pending,)
    else:
        bases = tuple(n for n in subject.names.bases(new.text) if not state.removed(n))
        targets = bases if len(bases) == 1 else targets_of(cores[0], state, subject, of_all=False)
        targets = targets or same_kind(new.text, subject)
    if len(targets) != 1 or targets[0] >= len(subject):
        return None
    name = _new_name(new.text, old[0] if old else None, targets[0], subject, "TB" in marks)
    after = state.renamed(targets[0], name, subject)
    if after is None or not amounts:
        return after
    amount = max(amounts, key=lambda a: (a.mass_g is not None) * 2 + (a.volume_ml is not None))
    return after.with_amount(targets[0], amount, subject)


def _variety_without(
    parts: Sequence[Part], marks: str, state: State, subject: Subject
) -> State | None:
    """Interpret "black coffee, no toast" for a scan with coffee and toast."""
    if marks[0] == "n" or "N" not in marks or "T" not in marks[marks.index("n") :]:
        return None
    new, old = parts[marks.index("N")], parts[-1]
    bases = subject.names.bases(new.text)
    if len(bases) != 1 or bases == old.targets or "N" in marks[marks.index("N") + 1 :]:
        return None
    after = state.renamed(bases[0], new.text, subject)
    return after and removed(parts[marks.index("n") :], marks[marks.index("n") :], after, subject)


def _other_variety(
    parts: Sequence[Part], marks: str, state: State, subject: Subject
) -> State | None:
    """Interpret "regular cola, not diet" or "the cola was not diet" for a scan with a diet cola."""
    first, denied = parts[0], parts[-1]
    if denied.is_sure or first.targets != denied.targets or len(first.targets) != 1:
        return None
    target = first.targets[0]
    name, left_out = subject.names.called(target).split(), denied.text.split()
    if not set(left_out) < set(name):
        return None
    said = [word for word in first.text.split() if word not in name]
    rest = [word for word in name if word not in left_out]
    text = " ".join([*said, *rest])
    if not subject.foods.is_name(text):
        text = " ".join(rest)
    return state.renamed(target, text, subject) if subject.foods.is_food(text) else None


def _new_name(text: str, old: Part | None, target: int, subject: Subject, describes: bool) -> str:
    name = subject.names.called(target)
    if old is not None and not old.is_sure:
        said = [word for word in old.text.split() if word in name.split()]
        if said:  # "turkey, not ham" for a ham sandwich
            return re.sub(rf"\b{re.escape(' '.join(said))}\b", text, name)
    if not describes and subject.foods.is_food(text):
        return text
    return described(text, target, subject)


_NAMING_RULES: tuple[tuple[str, str, Meaning], ...] = (
    ("rename", r"(?:[TP]&?)?[,&]*[TP]?B(?:Q?v?)N(?:,?Q)*i?", _rename),
    ("rename", r"TBT", _rename),
    ("variety", r"T,?B?nT", _other_variety),
    ("rename", r"(?:E|H|D|C|PB|o|B|oE|Eo)?(?:Qv?)?N(?:,?Q)*[,&]*(?:[ni]|E?n|nB)T(?:,?Q)*", _rename),
    (
        "rename",
        r"(?:P[NY]{0,3}B?n|[nRi]|Bn|En|nE|iE?)T[,.&x]*(?:PB|P|E|B|C|o|EPB)?(?:Qv?)?N(?:,?Q)*i?",
        _rename,
    ),
    ("rename", r"PN|Tt?BN", _rename),
    ("rename", r"(?:C|c)T[twvi](?:Qv?)?N(?:,?Q)*i?", _rename),
    ("rename", r"(?:CP?|E)(?:Qv?)?N[wi]T", _rename),
    ("rename", r"C[TP]B?N(?:,?Q)*", _rename),
    ("rename", r"TtN(?:,?Q)*", _rename),
)

NAMING_RULES: tuple[Rule, ...] = tuple(
    Rule(name, re.compile(pattern), meaning) for name, pattern, meaning in _NAMING_RULES
)
"""Rules for clauses that replace one food with another."""

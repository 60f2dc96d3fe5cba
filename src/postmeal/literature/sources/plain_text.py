"""Extract the text of an XML element on one line, without markup and reference numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from xml.etree.ElementTree import Element

_INLINE = re.compile(r"</?(?:b|i|u|em|strong|sub|sup|sc)>", re.IGNORECASE)
_WRITTEN_SUP = re.compile(r"<sup>([^<>]*)</sup>", re.IGNORECASE)
_EXPONENT = re.compile(r"[-+−–]?[0-9]+")
_RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")

_DROPPED = "\0"  # a character that cannot occur in XML
_SEVERAL = re.compile(r"\0(?:[ ,;–—-]*\0)+")
_BRACKETED = re.compile(r" ?(?:\[ ?\0 ?\]|\( ?\0 ?\))")
_BEFORE_SIGN = re.compile(r" \0(?= ?[.,;:)\]])")
_WORD = re.compile(r"[^\W\d_]{2}")


def plain_text(element: Element | None) -> str:
    """Return the text of an element and of the elements in it, on one line, without markup.

    Reference numbers are removed with their brackets, because they could be read as amounts.
    Superscript digits are kept as superscripts.
    """
    if element is None:
        return ""
    text = "".join(_pieces(element)) if len(element) else element.text or ""
    if "<" in text:
        text = _INLINE.sub("", _WRITTEN_SUP.sub(lambda found: raised(found[1]), text))
    text = " ".join(text.split())
    if _DROPPED in text:
        text = _BRACKETED.sub("", _SEVERAL.sub(_DROPPED, text))
        text = _BEFORE_SIGN.sub("", text).replace(_DROPPED, "")
        text = " ".join(text.split())
    return text


def _pieces(element: Element) -> Iterator[str]:
    """Yield the texts in an element in order, replacing references by `_DROPPED`."""
    waiting: list[Element | str] = [element]  # elements may be nested deeply
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif _is_reference(each):
            yield _DROPPED
        elif each.tag == "sup" and not len(each):
            yield raised(each.text or "")
        else:
            for child in reversed(each):
                if child.tail:
                    waiting.append(child.tail)
                waiting.append(child)
            if each.text:
                yield each.text


def _is_reference(element: Element) -> bool:
    """Return whether an element is a reference number or a superscript with reference numbers."""
    if element.tag == "sup":
        return any(child.get("ref-type") == "bibr" for child in element)
    is_reference = element.tag == "xref" and element.get("ref-type") == "bibr"
    # keep names, such as the subject of "as Doe et al. (2015) found"
    return is_reference and not _WORD.search("".join(element.itertext()))


def raised(text: str) -> str:
    """Convert an exponent to superscript characters; return any other text unchanged."""
    return text.translate(_RAISED) if _EXPONENT.fullmatch(text.strip()) else text


def stated_year(text: str) -> int | None:
    """Parse a year from 1000 to 2999; return None for other texts."""
    is_year = len(text) == 4 and text.isascii() and text.isdigit() and text[0] in "12"
    return int(text) if is_year else None


def complete_date(year: str, month: str, day: str) -> date | None:
    """Return a date if year, month and day are digits and valid; otherwise return None."""
    known = stated_year(year)
    if known is None:
        return None
    try:
        return date(known, int(month), int(day))
    except (ValueError, OverflowError):
        return None

"""Draw the names of place_names.csv: misspelled by rules, and written by hand.

``python tests/relevance/draw_place_names.py`` rewrites the file. A third of the rows, drawn at
random, are held out: they are counted, but nobody has looked at them to change the search.
"""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

from postmeal.restaurants.chains import chains

__all__ = ["PLACES", "main"]

FILE = Path(__file__).with_name("place_names.csv")
_BY_RULES = 190

LOCAL = (
    "Café Zürich", "Ravintola Päivänkakkara", "L'Étoile d'Or", "Señor Loco", "O'Malley's Irish Pub",
    "Dragon Palace", "Bella Napoli", "Mama Rosa's Trattoria", "The Rusty Anchor", "Phở Hà Nội",
    "Blue Lagoon Grill", "Smörgås & Co", "Tandoori Nights", "Sakura Sushi Garden", "El Pollo Feliz",
    "Brasserie Lumière", "Kebab Sultan", "Green Leaf", "Noodle Dynasty", "Crêperie Bretonne",
    "Gyros Olympos", "Wok & Roll", "Uncle Sam's Kitchen", "José's Cantina", "Piazza Verdi",
    "Berger Stube", "Zum Goldenen Hirsch", "Taverna Poseidon", "Le Petit Bistrot", "Curry Leaf",
)  # fmt: skip
PLACES = (*(chain.name for chain in chains().values() if chain.brand_name), *LOCAL)
"""Names of the places that are searched: the chains with a menu, and other restaurants."""

BY_HAND = """
McDonald's: mcdonalds, mc donalds, Mc Donald's, MCDONALDS, macdonalds, mcdonald, mc donald,
    mcdonnalds, mcdonlads, mcdoanlds, maccas, mcds, mcdonald’s, mc-donalds,
    mcdonalds restaurant, mcdonals
Burger King: burgerking, burger kng, buger king, king burger, burguer king, burger kin, BK,
    berger king
KFC: kfc, K.F.C., kentucky fried chicken, kentuky fried chicken, kentucky
Pizza Hut: pizzahut, piza hut, pizza hutt, pizza hu, hut pizza, pizzza hut
Popeyes: popeye's, popeyes, popeys, pop eyes, popeyes chicken
Wendy's: wendys, wendy, Wendy’s, wendies, wendeys
Denny's: dennys, denny, dennies, Dennys Diner, denys
Applebee's: applebees, apple bees, aplebees, applebee, appelbees
Taco Bell: tacobell, taco bel, taco bells, bell taco, tacco bell
Subway: subway, sub way, subwey, subways, sbway
Cracker Barrel: crackerbarrel, cracker barel, craker barrel, cracker barrell
Domino's: dominos, domino, dominoes, domino's pizza, dominos piza
TGI Friday's: tgi fridays, tgif fridays, t.g.i. fridays, tgi fryday, tgi friday
Little Caesars: little ceasars, little caesers, littlecaesars, little cesars, caesars little
On the Border: on the border, ontheborder, on the boarder, border
Olive Garden: olivegarden, olive gardn, oliv garden, garden olive
Carrabba's Italian Grill: carrabbas, carabbas, carrabas, carrabba's
Papa John's: papa johns, papajohns, papa jons, pappa johns
Chick-fil-A: chick fil a, chickfila, chic fil a, chick-fil-a, chik fil a
Arby's: arbys, arby, Arby’s, arbies
Café Zürich: cafe zurich, zurich, café zurch, ZÜRICH CAFE
Ravintola Päivänkakkara: paivankakkara, päivänkakara, ravintola paivan
L'Étoile d'Or: letoile dor, etoile dor, l'etoile
Señor Loco: senor loco, senior loco, seňor loco
O'Malley's Irish Pub: omalleys, o'malleys pub, omaleys, irish pub omalley
Mama Rosa's Trattoria: mama rosas, mamma rosa, trattoria mama rosa
The Rusty Anchor: rusty anchor, rusty ancor, anchor rusty
Phở Hà Nội: pho ha noi, pho hanoi, ha noi
Smörgås & Co: smorgas, smörgas co, smorgas and co
Sakura Sushi Garden: sakura, sakura sushi, sakura garden, sakra sushi
Brasserie Lumière: brasserie lumiere, lumiere, brassrie lumiere
Crêperie Bretonne: creperie bretonne, creperie, crepperie bretonne
Zum Goldenen Hirsch: goldenen hirsch, zum golden hirsch, goldener hirsch
Taverna Poseidon: poseidon, posiedon, tavern poseidon
José's Cantina: joses cantina, jose cantina, josés cantna
"""


def by_hand() -> list[tuple[str, str]]:
    """Return the names as people might type them, each with the place that is meant."""
    rows = []
    for line in BY_HAND.replace("\n    ", " ").strip().splitlines():
        place, _, typed = line.partition(": ")
        place = "Carrabba's" if place.startswith("Carrabba") else place
        rows += [(each.strip(), place) for each in typed.split(",")]
    return rows


def by_rules(draw: random.Random) -> list[tuple[str, str]]:
    """Return misspellings of all places: one edit, a shortened word, or words in another order."""
    rows: dict[str, str] = {}
    while len(rows) < _BY_RULES:
        place = draw.choice(PLACES)
        typed = draw.choice(RULES)(place, draw)
        if typed != place and len(typed) > 3:
            rows.setdefault(typed, place)
    return list(rows.items())


def _swapped(name: str, draw: random.Random) -> str:
    at = _inside(name, draw)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _missing(name: str, draw: random.Random) -> str:
    at = _inside(name, draw)
    return name[:at] + name[at + 1 :]


def _doubled(name: str, draw: random.Random) -> str:
    at = _inside(name, draw)
    return name[:at] + name[at] + name[at:]


def _replaced(name: str, draw: random.Random) -> str:
    at = _inside(name, draw)
    return name[:at] + draw.choice("aeioustnrl") + name[at + 1 :]


def _unmarked(name: str, draw: random.Random) -> str:
    return name.replace("'", "").upper()


def _begun(name: str, draw: random.Random) -> str:
    *before, last = name.split()
    return " ".join([*before, last[: max(4, len(last) - draw.randint(1, 3))]])


def _reordered(name: str, draw: random.Random) -> str:
    words = name.split()
    draw.shuffle(words)
    return " ".join(words)


RULES: tuple[Callable[[str, random.Random], str], ...] = (
    _swapped, _missing, _doubled, _replaced, _unmarked, _begun, _reordered,
)  # fmt: skip


def _inside(name: str, draw: random.Random) -> int:
    """Return the position of a letter that has letters on both sides, in a long word."""
    places = [
        at
        for at in range(1, len(name) - 2)
        if name[at - 1 : at + 3].isalpha() and len(name[at - 1 : at + 3]) == 4
    ]
    return draw.choice(places or [1])


def main() -> None:
    draw = random.Random(20)
    rows = [(*row, "hand") for row in by_hand()] + [(*row, "rules") for row in by_rules(draw)]
    held_out = set(draw.sample(range(len(rows)), len(rows) // 3))
    with FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["typed", "place", "written_by", "half"])
        for at, row in enumerate(rows):
            writer.writerow([*row, "held out" if at in held_out else "open"])


if __name__ == "__main__":
    main()

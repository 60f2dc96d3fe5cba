"""Vectors, word pieces and the fused ranking."""

import numpy as np
import pytest

from postmeal.literature import vectors as vectors_module
from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.embedding.word_pieces import WordPieces
from postmeal.literature.index import Index, build_index
from postmeal.literature.ranking import METHODS, Ranker
from postmeal.literature.search import Literature
from postmeal.literature.vectors import Vectors, VectorsWriter

PIECES = ["[UNK]", "[CLS]", "[SEP]", "gl", "##uco", "##se", "glucose", "a", ".", ",", "(", ")"]
PIECES += ["naive", "e", "血", "糖", "σ", "##σ"]
N, SIZE = 6000, 128


def unit(numbers):
    return (numbers / np.linalg.norm(numbers, axis=-1, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def exact():
    return unit(np.random.default_rng(5).normal(size=(N, SIZE)))


@pytest.fixture(scope="module")
def stored(exact, tmp_path_factory):
    folder = tmp_path_factory.mktemp("vectors")
    writer = VectorsWriter(folder, N, SIZE)
    for begin in range(0, N, 700):
        writer.add(exact[begin : begin + 700])
    writer.finish()
    return Vectors(folder)


@pytest.fixture
def question(exact):
    return unit(exact[42] + 0.5 * exact[7])


def test_the_nearest_articles_are_found_with_their_cosines(exact, stored, question):
    numbers, cosines = stored.nearest(question, 20)
    expected = exact @ question
    assert numbers[0] == 42
    assert cosines == pytest.approx(expected[numbers], abs=0.005)
    assert list(cosines) == sorted(cosines, reverse=True)
    assert len(set(numbers) & set(np.argsort(-expected)[:20])) >= 19


@pytest.mark.parametrize("has_bit_counts", [True, False])
def test_signs_find_most_of_the_nearest_articles_without_all_cosines(
    stored, question, monkeypatch, has_bit_counts
):
    exact, _ = stored.nearest(question, 20)
    monkeypatch.setattr(vectors_module, "_ALWAYS_EXACT", 0)
    if not has_bit_counts:
        monkeypatch.delattr(np, "bitwise_count", raising=False)
    by_signs, _ = stored.nearest(question, 20)
    assert by_signs[0] == exact[0]
    assert len(set(by_signs) & set(exact)) >= 14  # random vectors are the hardest case


def test_only_allowed_articles_are_returned(stored, question):
    allowed = np.zeros(N, dtype=bool)
    allowed[40:50] = True
    numbers, _ = stored.nearest(question, 20, allowed)
    assert sorted(numbers) == list(range(40, 50))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Glucose.", ["glucose", "."]),
        ("GLUCOSE,a", ["glucose", ",", "a"]),
        ("glucose(gluco)", ["glucose", "(", "gl", "##uco", ")"]),
        ("gluco\u00adse", ["glucose"]),
        ("naïve é", ["naive", "e"]),
        ("a\u3000血糖", ["a", "血", "糖"]),
        ("ΣΣ \ufffd", ["σ", "##σ"]),
        ("a" * 101, ["[UNK]"]),
        ("", []),
    ],
)
def test_words_are_split_into_the_longest_known_pieces(text, pieces):
    tokenizer = WordPieces({piece: number for number, piece in enumerate(PIECES)})
    found = [PIECES[number] for number in tokenizer.numbers(text, 64)]
    assert found == ["[CLS]", *pieces, "[SEP]"]


def test_a_long_text_is_cut_after_its_start_and_keeps_its_end():
    tokenizer = WordPieces({piece: number for number, piece in enumerate(PIECES)})
    assert tokenizer.numbers("a " * 500, 5) == [1, 7, 7, 7, 2]


class Letters:
    """An encoder of another kind: a vector counts the letters of a text."""

    model = "letters"

    def encode(self, texts):
        counts = [np.bincount(list(text.lower().encode()), minlength=256)[:128] for text in texts]
        return unit(np.array(counts) + 1e-6)

    def encode_articles(self, articles):
        return self.encode([article.citation.title for article in articles])


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    titles = ["Walking lowers glucose", "Zzzz", "Sleep and insulin", "Rice and glucose", "Walks"]
    articles = [
        Article(f"pmid:{number}", Citation(title), (Section(None, f"{title}."),))
        for number, title in enumerate(titles, start=1)
    ]
    folder = tmp_path_factory.mktemp("fused")
    encode = Letters().encode_articles
    return Index(build_index(articles, len(articles), folder, encode=encode, model="letters"))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks_with_scores_that_never_rise(index, method):
    ranked = Ranker(index, Letters()).rank("walking and glucose", 5, None, method)
    assert ranked[0].number == 0
    scores = [each.score for each in ranked]
    assert scores == sorted(scores, reverse=True)
    assert len({each.number for each in ranked}) == len(ranked)


def test_vectors_add_articles_that_share_no_word_with_the_question(index):
    words = Ranker(index).rank("insulin", 5)
    fused = Ranker(index, Letters()).rank("insulin", 5)
    assert [each.number for each in words] == [2]
    assert len(fused) == 5


def test_an_unknown_word_finds_only_articles_with_a_near_vector(index):
    found = Ranker(index, Letters()).rank("zzzzz", 5)
    assert [each.number for each in found] == [1]
    assert Ranker(index).rank("zzzzz", 5) == []


def test_vectors_of_another_model_are_not_used(index):
    encoder = Letters()
    encoder.model = "another"
    literature = Literature(index, encoder)
    assert not literature.has_vectors
    assert literature.search("insulin").passages[0].id == "pmid:3"

"""The index: the same bytes for the same articles, in use only when it is complete."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import date

import numpy as np
import pytest
from medline_files import made_up_records, medline_record, write_medline

from postmeal.errors import DataSetError
from postmeal.literature import Literature
from postmeal.literature.article import Article, Citation, Section
from postmeal.literature.build import build_library, import_files, locked
from postmeal.literature.index import Index, build_index, current_index
from postmeal.literature.postings import best
from postmeal.literature.tokens import stems


def files(folder):
    index = current_index(folder).folder
    return {path.name: path.read_bytes() for path in index.iterdir()}


def test_scores_are_those_of_the_formula(library):
    """BM25 with k1 = 1.2 and b = 0.75, computed here from the texts."""
    index = current_index(library)
    articles = index.articles.articles(range(index.n_articles))
    titles = [stems(article.citation.title) for article in articles]
    texts = [stems(article.text) for article in articles]
    lengths = [len(title) + len(text) for title, text in zip(titles, texts, strict=True)]
    question = ["glucos", "rice", "term7"]
    expected = np.zeros(len(articles))
    for stem in question:
        counts = [Counter(title)[stem] * 2 + Counter(text)[stem]
                  for title, text in zip(titles, texts, strict=True)]  # fmt: skip
        n_with = sum(count > 0 for count in counts)
        rarity = math.log(1 + (len(articles) - n_with + 0.5) / (n_with + 0.5))
        for number, count in enumerate(counts):
            penalty = 1.2 * (0.25 + 0.75 * lengths[number] / np.mean(lengths))
            expected[number] += rarity * 2.2 * count / (count + penalty)
    scores = index.postings.scores(dict.fromkeys(question, 1.0))
    assert np.abs(scores - expected).max() < 0.03  # an impact is stored in one byte
    some = best(scores, 20)
    numbers = np.sort(some)
    assert index.postings.scores_of(numbers, dict.fromkeys(question, 1.0)) == pytest.approx(
        scores[numbers]
    )


def test_words_are_counted_alike_in_small_and_large_blocks(tmp_path, monkeypatch):
    articles = [
        Article(f"pmid:{n}", Citation(f"t{n % 7}"), (Section(None, f"rice t{n % 5} t{n % 3}"),))
        for n in range(1, 200)
    ]
    whole = build_index(articles, 199, tmp_path / "a")
    monkeypatch.setattr("postmeal.literature.postings._BLOCK", 10)
    pieces = build_index(articles, 199, tmp_path / "b")
    assert whole.name == pieces.name  # the name is a hash of the content


def test_a_later_build_replaces_the_index_and_open_readers_keep_theirs(tmp_path):
    import_files([write_medline(tmp_path / "a.xml", medline_record(1))], tmp_path)
    build_library(tmp_path)
    before = Literature.open(tmp_path)
    import_files([write_medline(tmp_path / "b.xml", medline_record(2))], tmp_path)
    build_library(tmp_path)
    assert Literature.open(tmp_path).n_articles == 2
    assert [each.id for each in before.search("rice").passages] == ["pmid:1"]
    import_files([write_medline(tmp_path / "c.xml", medline_record(3))], tmp_path)
    last = current_index(tmp_path).folder
    index = build_library(tmp_path).folder
    assert set(tmp_path.glob("index-*")) == {last, index}


def test_a_damaged_index_is_replaced_by_a_build_of_the_same_articles(tmp_path):
    import_files([write_medline(tmp_path / "a.xml", medline_record(1))], tmp_path)
    folder = build_library(tmp_path).folder
    (folder / "words.npy").write_bytes(b"")
    assert build_library(tmp_path).folder == folder
    assert Literature.open(tmp_path).search("rice").passages


@pytest.mark.parametrize("name", ["index.json", "posting_articles.npy"])
def test_a_starter_set_that_cannot_be_opened_is_indexed_again(tmp_path, monkeypatch, name):
    monkeypatch.setattr("postmeal.literature.search.cache_folders", lambda: iter([tmp_path]))
    monkeypatch.setattr("postmeal.literature.search.Encoder.find", lambda: None)
    expected = Literature.open().search("walking after a meal")
    [path] = tmp_path.glob(f"literature-starter-*/index-*/{name}")
    path.unlink()
    path.write_bytes(b"damaged")
    assert Literature.open().search("walking after a meal") == expected


def test_an_index_of_another_version_or_a_damaged_one_is_refused(tmp_path):
    import_files([write_medline(tmp_path / "a.xml", medline_record(1))], tmp_path)
    folder = build_library(tmp_path).folder
    description = json.loads((folder / "index.json").read_text())
    (folder / "posting_articles.npy").write_bytes(b"")
    with pytest.raises(DataSetError, match="is damaged"):
        Literature.open(tmp_path)
    (folder / "index.json").write_text(json.dumps({**description, "schema_version": 99}))
    with pytest.raises(DataSetError, match="has format version 99 instead of 2"):
        Literature.open(tmp_path)


@pytest.mark.parametrize("changes", [{"n_articles": 2}, {"n_articles": None}])
def test_an_index_with_another_number_of_articles_is_refused(tmp_path, changes):
    import_files([write_medline(tmp_path / "a.xml", medline_record(1))], tmp_path)
    path = build_library(tmp_path).folder / "index.json"
    description = json.loads(path.read_text()) | changes
    path.write_text(json.dumps(description))
    with pytest.raises(DataSetError, match="is damaged: the index must have the day"):
        Literature.open(tmp_path)
    del description["n_articles"]
    path.write_text(json.dumps(description))
    with pytest.raises(DataSetError, match="is not an index of articles"):
        Literature.open(tmp_path)


@pytest.mark.parametrize("year", [0, -1, 10_000])
def test_an_article_of_a_year_that_has_no_days_is_indexed(tmp_path, year):
    index = Index(build_index([Article("pmid:1", Citation("Rice", year=year))], 1, tmp_path))
    assert index.articles.allowed(date(1900, 1, 1), None, None).tolist() == [False]


def test_a_library_without_articles_is_not_built(tmp_path):
    with pytest.raises(DataSetError, match="import files with `postmeal literature build --folder"):
        build_library(tmp_path)
    letter = medline_record(1, types=("Letter",))
    import_files([write_medline(tmp_path / "a.xml", letter)], tmp_path)
    with pytest.raises(DataSetError, match="at least one article, got none"):
        build_library(tmp_path)


@pytest.mark.reliability
def test_only_one_process_imports_or_builds_at_a_time(tmp_path):
    file = write_medline(tmp_path / "a.xml", *made_up_records(3))
    message = rf"is in use: process {os.getpid()} imports .*; wait until it has finished"
    with locked(tmp_path):
        for work in (lambda: import_files([file], tmp_path), lambda: build_library(tmp_path)):
            (tmp_path / "articles.db").touch()
            with pytest.raises(DataSetError, match=message):
                work()
    import_files([file], tmp_path)
    assert build_library(tmp_path).n_articles == 3


def test_a_killed_process_leaves_no_lock(tmp_path):
    program = (
        "import sys, time; from pathlib import Path;"
        " from postmeal.literature.build import locked;"
        " lock = locked(Path(sys.argv[1])); lock.__enter__(); print('locked', flush=True);"
        " time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        with pytest.raises(DataSetError, match=f"process {process.pid} "), locked(tmp_path):
            pass
        process.kill()
    with locked(tmp_path):
        pass


@pytest.mark.reliability
def test_a_build_that_is_killed_twenty_times_gives_the_same_bytes(tmp_path):
    path = write_medline(tmp_path / "pubmed.xml", *made_up_records(6000))
    import_files([path], tmp_path / "whole")
    build_library(tmp_path / "whole")
    command = [sys.executable, "-m", "postmeal", "literature", "build", str(path), "--no-vectors"]
    command += ["--folder", str(tmp_path / "killed")]
    draw = random.Random(3)
    for _ in range(20):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(draw.uniform(0.2, 1.5))
        process.send_signal(signal.SIGKILL)
        process.communicate()
    subprocess.run(command, check=True, capture_output=True)
    assert files(tmp_path / "killed") == files(tmp_path / "whole")
    assert not list((tmp_path / "killed").glob("unfinished-*"))


@pytest.mark.reliability
def test_processes_that_build_the_starter_set_at_once_do_not_disturb_each_other(tmp_path):
    program = (
        "import postmeal.literature.search as search; from pathlib import Path\n"
        f"search.cache_folders = lambda: iter([Path({str(tmp_path)!r})])\n"
        "search.Encoder.find = classmethod(lambda cls: None)\n"
        "print(len(search.Literature.open().search('walking after a meal').passages))\n"
    )
    command = [sys.executable, "-c", program]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [process.communicate()[0] for process in processes] == ["10\n"] * 4

"""``postmeal literature`` and ``postmeal evaluate literature``."""

import json
import re

import pytest
from medline_files import medline_record, write_medline

from postmeal.cli import main
from postmeal.training.evaluation.literature_questions import ndcg


@pytest.fixture
def folder(tmp_path, capsys):
    """A library with two articles and a letter, built by the command."""
    records = [
        medline_record(1, abstract="Walking after lunch lowered glucose."),
        medline_record(2, "Sensors.", "Sensors measure glucose.", types=("Guideline",)),
        medline_record(3, types=("Letter",)),
    ]
    path = write_medline(tmp_path / "pubmed.xml", *records)
    library = str(tmp_path / "library")
    assert main(["literature", "build", str(path), "--no-vectors", "--folder", library]) == 0
    out = capsys.readouterr().out
    assert "pubmed.xml: 2 articles stored; omitted: 1 letter" in out
    assert "2 articles, indexed by words" in out
    return library


def test_passages_are_printed_with_their_citations(folder, capsys):
    words = ["literature", "search", "walking", "--limit", "1"]
    assert main([*words, "--folder", folder]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "Walking after lunch lowered glucose. [1]",
        "",
        "[1] Walking after lunch lowered glucose.",
        "    Doe J. Rice and glucose. Diet 2021. doi:10.1000/1 PMID 1",
    ]


def test_json_has_every_field_and_null_for_unknown_values(folder, capsys):
    words = ["literature", "search", "glucose", "--type", "guideline", "--json", "--no-summary"]
    assert main([*words, "--folder", folder]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["summary_status"] == "not_requested"
    (passage,) = result["passages"]
    assert (passage["rank"], passage["id"]) == (1, "pmid:2")
    assert passage["citation"] == {
        "title": "Sensors.",
        "authors": ["Doe J"],
        "journal": "Diet",
        "publisher": None,
        "year": 2021,
        "published_date": None,
        "doi": "10.1000/2",
        "pmid": "2",
        "pmcid": None,
        "url": "https://pubmed.ncbi.nlm.nih.gov/2/",
        "type": "guideline",
        "language": "en",
    }


def test_nothing_found_is_no_error_but_a_wrong_date_is(folder, capsys):
    assert main(["literature", "search", "xqzvw", "--folder", folder]) == 0
    assert capsys.readouterr().out == "no passages match 'xqzvw'; try other keywords\n"
    with pytest.raises(SystemExit) as stopped:
        main(["literature", "search", "rice", "--after", "2024-02-30"])
    assert stopped.value.code == 2
    assert "must be a date such as 2024-02-29, got '2024-02-30'" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_does_not_stop_the_others(folder, tmp_path, capsys):
    good = write_medline(tmp_path / "good.xml", medline_record(9))
    files = [str(tmp_path / "missing.xml"), str(good)]
    assert main(["literature", "import", *files, "--folder", folder]) == 2
    captured = capsys.readouterr()
    assert "missing.xml cannot be read" in captured.err
    assert "good.xml: 1 articles stored" in captured.out


def test_methods_are_evaluated_on_judged_questions(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("postmeal.literature.embedding.encoder.Encoder.find", lambda: None)
    (tmp_path / "x.docs").write_text(
        "MED-1\trice pubmed ncbi abstract rice raised glucose\nMED-2\tbeans abstract fiber\n"
    )
    (tmp_path / "x.titles.queries").write_text("Q-1\trice\nQ-2\tbeans\nQ-3\tnobody judged this\n")
    (tmp_path / "x.qrel").write_text("Q-1\t0\tMED-1\t2\nQ-2\t0\tMED-1\t1\n")
    output = tmp_path / "rankings.csv"
    assert main(["evaluate", "literature", str(tmp_path), "--predictions", str(output)]) == 0
    out = capsys.readouterr().out
    assert "2 questions, 2 documents" in out
    assert [line.split()[0] for line in out.splitlines()[-3:-1]] == ["words", "words,"]
    assert re.search(r"^words +0\.5000  \+0\.000 … \+0\.000$", out, re.MULTILINE)
    assert "words,Q-1,1,MED-1" in output.read_text()
    (tmp_path / "y.docs").write_text("")
    assert main(["evaluate", "literature", str(tmp_path)]) == 2
    assert (
        "must be a folder that contains exactly one *.docs file, got 2" in capsys.readouterr().err
    )


def test_the_gain_is_that_of_the_paper():
    """Grades 3 2 3 0 1 2 of Järvelin and Kekäläinen, with the discount log2(rank + 1)."""
    grades = dict(zip("abcdef", (3, 2, 3, 0, 1, 2), strict=True))
    assert ndcg("abcdef", grades) == pytest.approx(0.9608, abs=1e-4)
    assert ndcg("", grades) == 0

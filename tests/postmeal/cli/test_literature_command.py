"""``postmeal literature``."""

import json

import pytest
from medline_files import medline_record, write_medline

from postmeal.cli import main


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

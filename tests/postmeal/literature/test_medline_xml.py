"""Files of PubMed records: what is stored, omitted, replaced, deleted and reported."""

import gzip
from datetime import date

import pytest
from medline_files import deletion, made_up_records, medline_record, write_medline

from postmeal.errors import DataSetError
from postmeal.literature.article import Article, Citation
from postmeal.literature.sources import medline_xml
from postmeal.literature.sources.collection import Collection
from postmeal.literature.sources.medline_xml import import_medline

BOMB = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10 if n else "lol"}">' for n in range(12))


@pytest.fixture
def collection(tmp_path):
    with Collection(tmp_path / "articles.db") as collection:
        yield collection


@pytest.fixture
def imported(tmp_path, collection):
    """Import records, and return the report and the articles by ID."""

    def run(*records, name="pubmed.xml"):
        report = import_medline(write_medline(tmp_path / name, *records), collection)
        return report, {article.id: article for article in collection.articles()}

    return run


def test_a_record_becomes_an_article_with_its_citation(imported):
    day = "<ArticleDate><Year>2020</Year><Month>12</Month><Day>31</Day></ArticleDate>"
    sections = [("METHODS", "Ten adults ate."), ("RESULTS", "Glucose &lt; 7.8 <i>mmol</i>/L.")]
    _, articles = imported(medline_record(7, sections=sections, published=day))
    article = articles["pmid:7"]
    citation = article.citation
    assert citation.title == "Rice and glucose."
    assert citation.authors == ("Doe J",)
    assert (citation.journal, citation.publisher, citation.year) == ("Diet", None, 2021)
    assert citation.published_date == date(2020, 12, 31)
    assert (citation.doi, citation.pmid, citation.pmcid) == ("10.1000/7", "7", None)
    assert (citation.type, citation.language) == ("journal_article", "en")
    assert [(each.label, each.text) for each in article.sections] == [
        ("METHODS", "Ten adults ate."),
        ("RESULTS", "Glucose < 7.8 mmol/L."),
    ]


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        (("Journal Article", "Letter"), "letter"),
        (("Journal Article", "Comment"), "comment"),
        (("Editorial",), "editorial"),
        (("News",), "news"),
        (("Journal Article", "Video-Audio Media"), "video"),
        (("Published Erratum",), "erratum"),
        (("Journal Article", "Retracted Publication"), "retracted"),
        (("Retraction of Publication",), "retraction notice"),
        (("Preprint", "Journal Article"), "preprint"),
        (("Biography",), "other type"),
    ],
)
def test_records_that_are_not_articles_are_omitted_and_counted(imported, types, reason):
    """Row 109."""
    report, articles = imported(medline_record(1, types=types))
    assert articles == {}
    assert report.omitted == {reason: 1}


@pytest.mark.parametrize("kind", ["Guideline", "Practice Guideline"])
def test_guidelines_are_marked_as_such(imported, kind):
    _, articles = imported(medline_record(1, types=("Journal Article", kind)))
    assert articles["pmid:1"].citation.type == "guideline"


def test_one_of_several_languages_may_be_english(imported):
    """Row 109: and one of them must be."""
    both = medline_record(1, "[Reis und Glukose].", languages=("ger", "eng"))
    report, articles = imported(both, medline_record(2, languages=("ger",)))
    assert list(articles) == ["pmid:1"]
    assert articles["pmid:1"].citation.title == "[Reis und Glukose]."
    assert report.omitted == {"not in English": 1}


@pytest.mark.parametrize(
    ("issue", "year"),
    [("<MedlineDate>1998 Dec-1999 Jan</MedlineDate>", 1998), ("<Season>Spring</Season>", None)],
)
def test_a_year_is_read_from_a_text_or_unknown(imported, issue, year):
    _, articles = imported(medline_record(1, issue=issue))
    assert articles["pmid:1"].citation.year == year
    assert articles["pmid:1"].citation.published_date is None


def test_a_day_that_does_not_exist_is_unknown(imported):
    issue = "<Year>2023</Year><Month>Feb</Month><Day>30</Day>"
    _, articles = imported(medline_record(1, issue=issue))
    assert articles["pmid:1"].citation.published_date is None
    assert articles["pmid:1"].citation.year == 2023


def test_groups_and_thousands_of_authors_are_stored_and_none_is_allowed(imported):
    group = "<Author><CollectiveName>The Glucose Group</CollectiveName></Author>"
    many = "".join(f"<Author><LastName>A{n}</LastName></Author>" for n in range(3000))
    _, articles = imported(
        medline_record(1, authors=group), medline_record(2, authors=many),
        medline_record(3, authors=""),
    )  # fmt: skip
    authors = [article.citation.authors for article in articles.values()]
    assert authors[0] == ("The Glucose Group",)
    assert len(authors[1]) == 3000
    assert authors[2] == ()


def test_a_later_record_replaces_an_article_but_not_a_higher_version(imported):
    _, articles = imported(
        medline_record(1, "Old."), medline_record(1, "New."),
        medline_record(2, "Second version.", version=2), medline_record(2, "First version."),
    )  # fmt: skip
    titles = {name: article.citation.title for name, article in articles.items()}
    assert titles == {"pmid:1": "New.", "pmid:2": "Second version."}


def test_an_update_file_deletes_articles_and_may_name_unknown_ones(imported):
    imported(medline_record(1), medline_record(2))
    report, articles = imported(deletion(2, 999), name="update.xml")
    assert list(articles) == ["pmid:1"]
    assert report.deleted == 1


def test_an_article_that_is_retracted_later_is_removed(imported):
    imported(medline_record(1), medline_record(2))
    update = medline_record(1, types=("Journal Article", "Retracted Publication"))
    report, articles = imported(update, name="update.xml")
    assert list(articles) == ["pmid:2"]
    assert report.deleted == 1


def test_a_retraction_notice_removes_its_article_for_good(imported):
    names = '<CommentsCorrections RefType="RetractionOf"><PMID>1</PMID></CommentsCorrections>'
    notice = medline_record(5, types=("Retraction of Publication",), corrections=names)
    imported(medline_record(1), notice)
    report, articles = imported(medline_record(1), name="later.xml")
    assert articles == {}
    assert report.omitted == {"retracted": 1}


@pytest.mark.parametrize(
    "marked",
    [
        {"types": ("Journal Article", "Retracted Publication")},
        {"corrections": '<CommentsCorrections RefType="RetractionIn"/>'},
    ],
)
def test_a_record_that_is_marked_as_retracted_is_never_stored_again(imported, collection, marked):
    pmc = '<ArticleId IdType="pmc">PMC77</ArticleId></ArticleIdList>'
    imported(medline_record(1, **marked).replace("</ArticleIdList>", pmc))
    report, articles = imported(medline_record(1), name="older.xml")
    assert articles == {}
    assert report.omitted == {"retracted": 1}
    assert collection.is_retracted(Article("pmc:PMC77", Citation("Rice", pmcid="PMC77")))


def test_a_retraction_removes_the_same_article_of_another_file(collection, imported):
    """Known there by its DOI alone."""
    doi = Citation("Rice", doi="10.1000/A", pmcid="PMC5")
    collection.put(Article("pmc:PMC5", doi))
    collection.put(Article("pmc:PMC6", Citation("Oats", doi="10.1000/b", pmcid="PMC6")))
    marked = '<ArticleId IdType="doi">10.1000/a</ArticleId></ArticleIdList>'
    retracted = medline_record(1, types=("Journal Article", "Retracted Publication"))
    imported(retracted.replace("</ArticleIdList>", marked))
    assert collection.delete_retracted() == 1
    assert [article.id for article in collection.articles()] == ["pmc:PMC6"]


def test_an_entity_bomb_is_reported_and_the_other_records_are_stored(tmp_path, collection):
    path = tmp_path / "bomb.xml"
    good, bad = medline_record(1), medline_record(2, "&l11;")
    path.write_text(
        f"<!DOCTYPE PubmedArticleSet [{BOMB}]>\n<PubmedArticleSet>{good}{bad}</PubmedArticleSet>"
    )
    report = import_medline(path, collection)
    assert report.stored == 1
    problems = [str(fault) for fault in report.faults]
    assert "entities must not be declared" in problems[0]
    assert problems[1].startswith(f"bomb.xml, byte {path.read_text().rindex('<PubmedArticle>'):,}:")
    assert "undefined entity" in problems[1]


def test_declarations_inside_a_record_are_refused(imported):
    report, articles = imported(medline_record(1, f"<!DOCTYPE a [{BOMB}]>"), medline_record(2))
    assert list(articles) == ["pmid:2"]
    assert "must not contain declarations" in str(report)


def test_a_truncated_archive_keeps_the_records_before_the_damage(tmp_path, collection):
    path = tmp_path / "cut.xml.gz"
    text = "<PubmedArticleSet>" + "".join(made_up_records(500)) + "</PubmedArticleSet>"
    packed = gzip.compress(text.encode())
    path.write_bytes(packed[: len(packed) // 2])
    report = import_medline(path, collection)
    assert 100 < report.stored < 400
    assert "the compressed data is truncated" in str(report)


def test_a_record_without_an_end_does_not_hide_the_next_one(imported):
    report, articles = imported(
        medline_record(1).replace("</PubmedArticle>", ""), medline_record(2)
    )
    assert list(articles) == ["pmid:2"]
    assert "has no end tag" in str(report)


def test_ten_thousand_nested_tags_are_read_or_reported(imported):
    deep = "<i>" * 10_000 + "rice" + "</i>" * 10_000
    _, articles = imported(medline_record(1, deep), medline_record(2))
    assert articles["pmid:1"].citation.title == "rice"
    assert "pmid:2" in articles


@pytest.mark.parametrize("year", ["0", "10000", "9" * 20, "9" * 5000, "2020²", "2O20"])
@pytest.mark.parametrize("day", ["1", "9" * 20, "9" * 5000])
def test_a_date_that_cannot_be_is_unknown(imported, year, day):
    issue = f"<Year>{year}</Year><Month>2</Month><Day>{day}</Day>"
    report, articles = imported(medline_record(1, issue=issue), medline_record(2))
    assert list(articles) == ["pmid:1", "pmid:2"]
    assert articles["pmid:1"].citation.published_date is None
    assert report.faults == []


def test_a_version_that_is_no_small_number_counts_as_the_first(imported):
    _, articles = imported(medline_record(1, "Old.", version="9" * 30), medline_record(1, "New."))
    assert articles["pmid:1"].citation.title == "New."


def test_an_unexpected_error_in_a_record_is_a_fault_of_this_record(imported, monkeypatch):
    def fails(record, pmid, read=medline_xml.read_article):
        if pmid == "2":
            raise KeyError("Year")
        return read(record, pmid)

    monkeypatch.setattr(medline_xml, "read_article", fails)
    report, articles = imported(*(medline_record(pmid) for pmid in (1, 2, 3)))
    assert list(articles) == ["pmid:1", "pmid:3"]
    assert "the record cannot be read: KeyError: 'Year'" in str(report)


def test_an_error_of_the_disk_ends_an_import(imported, monkeypatch):
    def fails(record, pmid):
        raise OSError("disk full")

    monkeypatch.setattr(medline_xml, "read_article", fails)
    with pytest.raises(OSError, match="disk full"):
        imported(medline_record(1))


def test_a_file_without_records_is_refused(tmp_path, collection):
    path = tmp_path / "empty.xml"
    path.write_text("<PubmedArticleSet></PubmedArticleSet>")
    with pytest.raises(DataSetError, match="must contain PubMed records, got none"):
        import_medline(path, collection)


def test_a_file_is_not_read_twice_unless_it_has_changed(tmp_path, imported, collection):
    report, _ = imported(medline_record(1))
    again, _ = imported(medline_record(1))
    assert again.stored == report.stored == 1
    changed, _ = imported(medline_record(1, "A longer title."))
    assert changed.stored == 1
    assert len(collection) == 1

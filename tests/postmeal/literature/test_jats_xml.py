"""Articles of PubMed Central in JATS XML."""

import io
import tarfile
from datetime import date

import pytest
from medline_files import medline_record, write_medline

from postmeal.errors import DataSetError
from postmeal.literature.build import import_file
from postmeal.literature.sources.collection import Collection

LICENSES = "http://creativecommons.org/licenses"


def jats(pmid="1", *, kind="research-article", license_url=f"{LICENSES}/by/4.0/", extra=""):
    identifier = f'<article-id pub-id-type="pmid">{pmid}</article-id>' if pmid else ""
    return f"""<article article-type="{kind}" xml:lang="en" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta><journal-title-group><journal-title>Diet</journal-title></journal-title-group>
<publisher><publisher-name>The Press</publisher-name></publisher></journal-meta>
<article-meta>{identifier}<article-id pub-id-type="pmc">77</article-id>
<title-group><article-title>Rice and <italic>glucose</italic></article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Doe</surname>
<given-names>Jane Ann</given-names></name></contrib></contrib-group>
<pub-date pub-type="epub"><day>3</day><month>5</month><year>2020</year></pub-date>
<permissions><license xlink:href="{license_url}"><license-p>Open.</license-p></license>
</permissions>
{extra}<abstract><sec><title>Results</title><p>Rice raised glucose.</p></sec></abstract>
</article-meta></front><body><sec><title>Discussion</title><p>Beans lowered it.</p></sec></body>
</article>"""


@pytest.fixture
def imported(tmp_path):
    def run(text, name="articles.xml"):
        content = text if isinstance(text, bytes) else text.encode()
        (tmp_path / name).write_bytes(content)
        with Collection(tmp_path / "articles.db") as collection:
            report = import_file(tmp_path / name, collection)
            return report, list(collection.articles())

    return run


def test_an_article_has_a_publisher_a_license_and_its_whole_text(imported):
    _, (article,) = imported(jats())
    citation = article.citation
    assert (article.id, article.license) == ("pmid:1", "CC BY")
    assert citation.title == "Rice and glucose"
    assert citation.authors == ("Doe JA",)
    assert (citation.journal, citation.publisher) == ("Diet", "The Press")
    assert (citation.pmcid, citation.published_date) == ("PMC77", date(2020, 5, 3))
    assert [(each.label, each.text) for each in article.sections] == [
        ("RESULTS", "Rice raised glucose."),
        ("DISCUSSION", "Beans lowered it."),
    ]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        (f"{LICENSES}/by-nc/4.0/", "CC BY-NC"),
        (f"{LICENSES}/by-nc-nd/4.0/", "CC BY-NC-ND"),
        (f"{LICENSES}/by-nd/4.0/", "CC BY-ND"),
        ("https://example.org/terms", None),
    ],
)
def test_only_the_abstract_is_stored_under_other_licenses(imported, url, name):
    _, (article,) = imported(jats(license_url=url))
    assert article.license == name
    assert article.text == "Rice raised glucose."


@pytest.mark.parametrize(
    ("path", "whole"), [("licenses/by-sa/4.0/", True), ("publicdomain/zero/1.0/", True)]
)
def test_the_whole_text_is_stored_under_free_licenses(imported, path, whole):
    _, (article,) = imported(jats(license_url=f"https://creativecommons.org/{path}"))
    assert ("Beans lowered it." in article.text) is whole


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (jats(kind="letter"), "letter"),
        (jats(kind="retraction"), "retraction notice"),
        (jats(extra='<related-article related-article-type="retraction-forward"/>'), "retracted"),
        (jats().replace('xml:lang="en"', 'xml:lang="fr"'), "not in English"),
    ],
)
def test_other_articles_are_omitted(imported, text, reason):
    report, articles = imported(text + jats("2").replace(">77<", ">78<"))
    assert [article.id for article in articles] == ["pmid:2"]
    assert report.omitted == {reason: 1}


def test_an_article_without_a_pmid_has_the_id_of_pubmed_central(imported):
    _, (article,) = imported(jats(""))
    assert article.id == "pmc:PMC77"
    assert article.citation.url == "https://pmc.ncbi.nlm.nih.gov/articles/PMC77/"


def test_a_guideline_is_recognized_by_its_subject(imported):
    subject = "<article-categories><subj-group><subject>Clinical Guideline</subject></subj-group>"
    _, (article,) = imported(jats(extra=f"{subject}</article-categories>"))
    assert article.citation.type == "guideline"


def test_an_archive_of_articles_is_read_without_extracting_it(imported):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for number in range(1, 4):
            content = f'<?xml version="1.0"?>\n<!DOCTYPE article>\n{jats(str(number))}'.encode()
            member = tarfile.TarInfo(f"PMC{number}.xml")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    report, articles = imported(packed.getvalue(), "archive.tar.gz")
    assert [article.id for article in articles] == ["pmid:1", "pmid:2", "pmid:3"]
    assert report.faults == []


@pytest.mark.parametrize("year", ["0", "10000", "9" * 20, "9" * 5000, "２０２０"])
def test_a_date_that_cannot_be_is_unknown(imported, year):
    report, articles = imported(jats().replace("<year>2020<", f"<year>{year}<") + jats("2"))
    assert [article.citation.year for article in articles] == [None, 2020]
    assert [article.citation.published_date for article in articles] == [None, date(2020, 5, 3)]
    assert report.faults == []


def test_sections_that_are_nested_deeply_are_read_in_order(imported):
    text = jats().replace("<body>", "<body><p>First.</p>" + "<sec>" * 5000 + "<p>Deep.</p>")
    text = text.replace("</body>", "</sec>" * 5000 + "<p>Last.</p></body>")
    _, (article,) = imported(text)
    texts = [each.text for each in article.sections]
    assert texts == ["Rice raised glucose.", "First.", "Deep.", "Beans lowered it.", "Last."]


DOI = "10.1000/Rice"


def related(kind, target, link="pubmed"):
    return f"""<related-article related-article-type="{kind}" ext-link-type="{link}"
    xlink:href="{target}"/>"""


@pytest.mark.parametrize(
    "retraction",
    [
        jats(extra=related("retraction-forward", "9")),
        jats("", extra=related("retraction-forward", "9")),
        jats(kind="retracted-article"),
        jats("9", kind="retraction", extra=related("retracted-article", "1")).replace("77", "99"),
        jats("9", kind="retraction", extra=related("retracted-article", "PMC77", "pmc")).replace(
            ">77<", ">99<"
        ),
        jats("9", kind="retraction", extra=related("retracted-article", DOI, "doi")).replace(
            ">77<", ">99<"
        ),
    ],
)
def test_a_retracted_article_is_never_stored_again(imported, retraction):
    own = jats(extra=f'<article-id pub-id-type="doi">{DOI.lower()}</article-id>')
    report, articles = imported(retraction + own + jats("2").replace(">77<", ">78<"), "a.xml")
    assert [article.id for article in articles] == ["pmid:2"]
    assert report.omitted["retracted"] >= 1
    _, articles = imported(own, "later.xml")
    assert [article.id for article in articles] == ["pmid:2"]


@pytest.mark.parametrize("is_jats_first", [True, False])
def test_the_whole_text_is_kept_beside_an_abstract_of_pubmed(tmp_path, imported, is_jats_first):
    record = medline_record(1, "Rice and glucose, revised.", "Rice raised glucose.", version=2)
    medline = write_medline(tmp_path / "m.xml", record).read_text(encoding="utf-8")
    files = [("j.xml", jats()), ("m.xml", medline)]
    for name, text in files if is_jats_first else reversed(files):
        _, (article,) = imported(text, name)
    assert article.license == "CC BY"
    assert article.text == "Rice raised glucose. Beans lowered it."
    expected = "Rice and glucose, revised." if is_jats_first else "Rice and glucose"
    assert article.citation.title == expected


def test_a_notice_retracts_only_the_articles_that_it_names(imported):
    links = related("retracted-article", "2") + related("commentary-article", "3")
    notice = jats("9", kind="retraction", extra=links).replace(">77<", ">99<")
    report, articles = imported(jats("1") + jats("2").replace(">77<", ">78<") + jats("3") + notice)
    assert [article.id for article in articles] == ["pmid:1", "pmid:3"]
    assert report.deleted == 1


def test_another_file_is_refused(imported):
    with pytest.raises(DataSetError, match="must contain PubMed records, got none"):
        imported("id;title\n")

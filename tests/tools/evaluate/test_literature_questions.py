"""``python -m tools.evaluate literature``."""

import re

import pytest

from tools.evaluate.__main__ import main
from tools.evaluate.literature_questions import ndcg


def test_methods_are_evaluated_on_judged_questions(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("postmeal.literature.embedding.encoder.Encoder.find", lambda: None)
    (tmp_path / "x.docs").write_text(
        "MED-1\trice pubmed ncbi abstract rice raised glucose\nMED-2\tbeans abstract fiber\n"
    )
    (tmp_path / "x.titles.queries").write_text("Q-1\trice\nQ-2\tbeans\nQ-3\tnobody judged this\n")
    (tmp_path / "x.qrel").write_text("Q-1\t0\tMED-1\t2\nQ-2\t0\tMED-1\t1\n")
    output = tmp_path / "rankings.csv"
    assert main(["literature", str(tmp_path), "--predictions", str(output)]) == 0
    out = capsys.readouterr().out
    assert "2 questions, 2 documents" in out
    assert [line.split()[0] for line in out.splitlines()[-3:-1]] == ["words", "words,"]
    assert re.search(r"^words +0\.5000  \+0\.000 … \+0\.000$", out, re.MULTILINE)
    assert "words,Q-1,1,MED-1" in output.read_text()
    (tmp_path / "y.docs").write_text("")
    assert main(["literature", str(tmp_path)]) == 2
    assert (
        "must be a folder that contains exactly one *.docs file, got 2" in capsys.readouterr().err
    )


def test_the_gain_is_that_of_the_paper():
    """Grades 3 2 3 0 1 2 of Järvelin and Kekäläinen, with the discount log2(rank + 1)."""
    grades = dict(zip("abcdef", (3, 2, 3, 0, 1, 2), strict=True))
    assert ndcg("abcdef", grades) == pytest.approx(0.9608, abs=1e-4)
    assert ndcg("", grades) == 0

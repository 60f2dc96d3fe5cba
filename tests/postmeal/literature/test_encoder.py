"""The embedding model, where it was fetched and ONNX Runtime is installed."""

import importlib.util

import numpy as np
import pytest
from medline_files import medline_record, write_medline

from postmeal.errors import ModelError
from postmeal.literature import Literature
from postmeal.literature.build import build_library, import_files
from postmeal.literature.embedding import model_file
from postmeal.literature.embedding.model_file import fetch_model, model_folder


@pytest.fixture(scope="session")
def literature_model():
    """The folder of the model."""
    folder = model_folder()
    if folder is None or importlib.util.find_spec("onnxruntime") is None:
        pytest.skip("no embedding model: run `make literature-model`")
    return folder


@pytest.fixture
def encoder(literature_model):
    from postmeal.literature.embedding.encoder import Encoder

    return Encoder(literature_model)


def test_texts_of_like_meaning_have_near_vectors(encoder):
    vectors = encoder.encode(
        [
            "does eating vegetables first lower glucose",
            "vegetables before carbohydrate reduce postprandial glucose",
            "the football match ended without a goal",
        ]
    )
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > 0.8
    assert vectors[0] @ vectors[2] < 0.2


def test_the_vector_of_a_text_does_not_depend_on_the_texts_beside_it(encoder):
    texts = ["Rice.", "Glucose after a meal of rice and beans in adults.", "Sleep " * 80]
    together = encoder.encode(texts)
    for text, vector in zip(texts, together, strict=True):
        assert encoder.encode([text])[0].tobytes() == vector.tobytes()


def test_an_index_with_vectors_finds_words_of_like_meaning(encoder, tmp_path):
    records = [
        medline_record(1, "Strolling after lunch.", "Adults took part in a trial."),
        medline_record(2, "Sensors on the arm.", "Sensors measure walking."),
    ]
    import_files([write_medline(tmp_path / "a.xml", *records)], tmp_path)
    steps = []
    build_library(tmp_path, encoder, lambda step, done, total: steps.append((step, done, total)))
    assert steps == [("words", 2, 2), ("vectors", 2, 2), ("words", 2, 2)]
    literature = Literature.open(tmp_path)
    assert literature.has_vectors
    found = literature.search("walking following a midday meal", include_summary=False)
    assert {passage.id for passage in found.passages} == {"pmid:1", "pmid:2"}


def test_vectors_of_a_second_build_are_not_computed_again(encoder, tmp_path, monkeypatch):
    import_files([write_medline(tmp_path / "a.xml", medline_record(1))], tmp_path)
    first = build_library(tmp_path, encoder).folder.name
    monkeypatch.setattr(encoder, "_session", None)  # encoding would fail
    assert build_library(tmp_path, encoder).folder.name == first


def test_a_changed_model_file_is_refused(literature_model, tmp_path, monkeypatch):
    monkeypatch.setattr(model_file, "cache_folders", lambda: iter([tmp_path]))
    folder = tmp_path / "literature-model"
    folder.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).write_bytes((literature_model / name).read_bytes()[:-1])
    with pytest.raises(ModelError, match="must have the SHA-256 hash 8199be6f"):
        fetch_model()

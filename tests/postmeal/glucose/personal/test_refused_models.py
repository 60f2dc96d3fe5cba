"""Stored personal models that are refused: the whole message says why."""

import hashlib
import json

import pytest
from personal_models import MODELS

from postmeal import InputError, ModelError
from postmeal.glucose.personal.model import PersonalModel

STORED = MODELS[0].to_bytes()
HEAD, _, BODY = STORED.decode().partition("\n")


def pinned(body: str) -> bytes:
    return f"postmeal-personal 1 {hashlib.sha256(body.encode()).hexdigest()}\n{body}".encode()


def test_a_stored_model_is_a_line_with_its_hash_and_json():
    assert pinned(BODY) == MODELS[0].to_bytes()
    assert json.loads(BODY)["base"] == MODELS[0].base
    assert ", " not in BODY
    assert ": " not in BODY
    assert PersonalModel.from_bytes(pinned(BODY)) == MODELS[0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff", "the personal model is not valid UTF-8 text"),
        (b"", "the content is not a personal model in format version 1; check that"),
        (
            STORED.replace(b"personal 1", b"personal 2"),
            "the content is not a personal model in format version",
        ),
        (STORED + b" ", "the personal model was altered: its hash does not match"),
        (pinned("{}"), "the personal model is incomplete"),
        (pinned("[]"), "the personal model is incomplete"),
        (pinned("{"), "the personal model is incomplete"),
        (pinned(BODY.replace('"base"', '"basis"')), "the personal model is incomplete"),
        (pinned(BODY.replace('"shares"', '"parts"')), "the personal model is incomplete"),
    ],
)
def test_what_is_no_stored_model_is_refused(content, said):
    with pytest.raises(ModelError, match=f"^{said}"):
        PersonalModel.from_bytes(content)


def test_the_name_of_a_file_is_refused_with_the_call_that_reads_it():
    with pytest.raises(InputError, match=r"^content must be the bytes .* Path\.read_bytes"):
        PersonalModel.from_bytes("mine.json")

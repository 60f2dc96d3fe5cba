"""Encode texts as vectors with a language model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from postmeal.errors import ModelError
from postmeal.literature.embedding.model_file import MODEL_NAME, model_folder, read_vocabulary
from postmeal.literature.embedding.word_pieces import WordPieces

if TYPE_CHECKING:
    from postmeal.literature.article import Article

Vectors = npt.NDArray[np.float32]

_MAX_PIECES = 64  # word pieces of the title and the first sentences
_TEXT_LETTERS = 800  # letters of an article to encode; 64 word pieces have fewer letters


class Encoder:
    """The model all-MiniLM-L6-v2 with 8-bit weights, run on the CPU by ONNX Runtime.

    The vector of a text is the mean over its first 64 word pieces, scaled to a norm of 1.
    """

    model = f"{MODEL_NAME}-{_MAX_PIECES}"

    def __init__(self, folder: Path, n_threads: int = 1) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = n_threads
        options.inter_op_num_threads = 1
        try:
            self._pieces = WordPieces(read_vocabulary(folder))
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ONNX Runtime has no common base class for its errors
            raise ModelError(
                f"the embedding model in {folder} cannot be loaded: {error}; delete the folder and"
                " run `postmeal literature model`"
            ) from error
        self._inputs = {each.name for each in self._session.get_inputs()}

    @classmethod
    def find(cls) -> Encoder | None:
        """Return the encoder, or None if ONNX Runtime or the model is not installed.

        Encoders for the same folder share one ONNX Runtime session, which takes about 100 MB.
        """
        folder = model_folder()
        if folder is None:
            return None
        try:
            return _encoder(folder)
        except ModuleNotFoundError:
            return None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, an array of shape (n_texts, 384).

        The model runs separately for each text. In a batch, the 8-bit rounding of the activations
        would make a vector depend on the other texts. On one thread, a batch would not be faster.
        """
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        return np.concatenate(
            [self._run(self._pieces.numbers(text, _MAX_PIECES)) for text in texts]
        )

    def encode_articles(self, articles: Sequence[Article]) -> Vectors:
        """Return the vectors of articles, computed from their titles and first sentences."""
        return self.encode([self.text_of(article) for article in articles])

    @staticmethod
    def text_of(article: Article) -> str:
        """Return the part of an article that is encoded: its title and the start of its text."""
        return f"{article.citation.title} {article.text[:_TEXT_LETTERS]}"

    def _run(self, numbers: list[int]) -> Vectors:
        """Return the vector of a text, an array of shape (1, 384)."""
        pieces = np.array([numbers], dtype=np.int64)
        ones = np.ones_like(pieces)
        given = {"input_ids": pieces, "attention_mask": ones, "token_type_ids": ones * 0}
        found = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        mean = found.mean(axis=1)
        vectors: Vectors = (mean / np.linalg.norm(mean, axis=1, keepdims=True)).astype(np.float32)
        return vectors


@lru_cache(maxsize=1)
def _encoder(folder: Path) -> Encoder:
    return Encoder(folder)

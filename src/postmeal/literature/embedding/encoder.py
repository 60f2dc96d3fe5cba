"""The encoder: a language model that turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from postmeal.errors import ModelError
from postmeal.literature.embedding.model_file import MODEL_NAME, model_folder, read_vocabulary
from postmeal.literature.embedding.word_pieces import WordPieces

if TYPE_CHECKING:
    from postmeal.literature.article import Article

__all__ = ["Encoder"]

Vectors = npt.NDArray[np.float32]

_MAX_PIECES = 64  # 256 pieces were not better in a comparison and take four times as long
_TEXT_LETTERS = 800  # of an article; 64 pieces are fewer
_TOGETHER = 32  # texts per run of the model


class Encoder:
    """The model all-MiniLM-L6-v2 with weights of 8 bits, run by ONNX Runtime on the CPU.

    The vector of a text is the mean over its first 64 word pieces, at length 1.

    Parameters
    ----------
    folder : Path
        Folder with the files of the model.
    n_threads : int, default=1
        Threads of a run of the model.

    Attributes
    ----------
    model : str
        Name of the model, which an index records.

    Raises
    ------
    ModelError
        A file is missing or damaged.
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
                f"{folder} cannot be loaded: {error}; fetch the model again"
            ) from error
        self._inputs = {each.name for each in self._session.get_inputs()}

    @classmethod
    def find(cls) -> Encoder | None:
        """Return the encoder; None if ONNX Runtime or the model is not installed."""
        folder = model_folder()
        if folder is None:
            return None
        try:
            return cls(folder)
        except ModuleNotFoundError:
            return None

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, an array of shape (n_texts, 384).

        Texts of similar length are encoded together.
        """
        numbers = [self._pieces.numbers(text, _MAX_PIECES) for text in texts]
        order = sorted(range(len(numbers)), key=lambda each: len(numbers[each]))
        vectors: Vectors | None = None
        for begin in range(0, len(order), _TOGETHER):
            chosen = order[begin : begin + _TOGETHER]
            encoded = self._run([numbers[each] for each in chosen])
            if vectors is None:
                vectors = np.empty((len(numbers), encoded.shape[1]), dtype=np.float32)
            vectors[chosen] = encoded
        return np.empty((0, 0), dtype=np.float32) if vectors is None else vectors

    def encode_articles(self, articles: Sequence[Article]) -> Vectors:
        """Return the vectors of articles, from their titles and first sentences."""
        return self.encode([self.text_of(article) for article in articles])

    @staticmethod
    def text_of(article: Article) -> str:
        """Return the text of an article that is encoded."""
        return f"{article.citation.title} {article.text[:_TEXT_LETTERS]}"

    def _run(self, numbers: list[list[int]]) -> Vectors:
        longest = max(map(len, numbers))
        pieces = np.zeros((len(numbers), longest), dtype=np.int64)
        mask = np.zeros_like(pieces)
        for row, each in enumerate(numbers):
            pieces[row, : len(each)] = each
            mask[row, : len(each)] = 1
        given = {"input_ids": pieces, "attention_mask": mask, "token_type_ids": mask * 0}
        found = self._session.run(None, {name: given[name] for name in self._inputs})[0]
        if found.ndim == 3:  # a vector for each piece
            found = (found * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        vectors: Vectors = (found / np.maximum(lengths, 1e-12)).astype(np.float32)
        return vectors

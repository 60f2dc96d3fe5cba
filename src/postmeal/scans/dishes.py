"""Run the dish model AIY ``food_V1`` locally with LiteRT.

The model is a MobileNet v1 (Howard et al. 2017, arXiv:1704.04861) with 8-bit weights and an input
of 192 × 192 pixels. It was trained on photos of single dishes, and returns a probability for each
of 2,023 dishes.
"""

from __future__ import annotations

import io
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from postmeal.errors import ModelError, PostmealError
from postmeal.scans import dish_model
from postmeal.scans.picture import Picture
from postmeal.scans.recognizer import Candidate

__all__ = ["DishRecognizer"]

_INPUT = 192
_CENTER = 7 / 8  # side of the central crop, as in the evaluation of MobileNet
_LABELS = "probability-labels-en.txt"
_BACKGROUND = "__background__"
_STEPS = 256  # the model returns probabilities in steps of 1/256


class DishRecognizer:
    """Recognize the dish in a picture with the local model.

    The model runs twice, on the whole picture and on its central square, and the two probabilities
    of each dish are averaged. A dish that is found only once has a probability of at most 0.5.

    Parameters
    ----------
    path : Path, optional
        The model file. Defaults to the file that `postmeal.scans.dish_model.fetch` stored.

    Raises
    ------
    ModelError
        The file is missing, or is not the released model.
    PostmealError
        LiteRT is not installed.
    """

    def __init__(self, path: Path | None = None) -> None:
        path = path or dish_model.find()
        if path is None:
            raise ModelError(f"the dish model is not installed; {dish_model.HINT}")
        if not path.is_file():
            raise ModelError(f"the dish model {path} does not exist; {dish_model.HINT}")
        content = path.read_bytes()
        if not dish_model.has_known_hash(content):
            raise ModelError(f"{path} is not the released dish model; {dish_model.HINT}")
        self.labels = _labels(content)
        self._interpreter = _interpreter(content)
        self._input: int = self._interpreter.get_input_details()[0]["index"]
        self._output: int = self._interpreter.get_output_details()[0]["index"]
        self._lock = threading.Lock()  # an interpreter handles one picture at a time

    def candidates(self, picture: Picture) -> tuple[Candidate, ...]:
        """Return the dishes that a picture may show, most probable first.

        Dishes with a probability below 1/512 and labels without a name are omitted.
        """
        shown = [self._shown(crop) for crop in _crops(picture)]
        mean = np.mean(shown, axis=0) / _STEPS
        order = np.argsort(-mean, kind="stable")
        found = ((self.labels[at], float(mean[at])) for at in order[: np.count_nonzero(mean)])
        return tuple(
            Candidate(label, probability)
            for label, probability in found
            if label != _BACKGROUND and not label.startswith("/")
        )

    def _shown(self, crop: NDArray[np.uint8]) -> NDArray[np.float64]:
        with self._lock:
            self._interpreter.set_tensor(self._input, crop[np.newaxis])
            self._interpreter.invoke()
            stated = self._interpreter.get_tensor(self._output)[0]
        return np.asarray(stated, np.float64)


def _labels(content: bytes) -> tuple[str, ...]:
    """Return the labels in a model file, in the order of the model's output."""
    with zipfile.ZipFile(io.BytesIO(content)) as attached:
        return tuple(attached.read(_LABELS).decode("utf-8").splitlines())


def _interpreter(content: bytes) -> Any:
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError as error:
        raise PostmealError(
            f"dishes cannot be recognized: a package is missing ({error}); install postmeal[photos]"
        ) from None
    interpreter = Interpreter(model_content=content, num_threads=1)
    interpreter.allocate_tensors()
    return interpreter


def _crops(picture: Picture) -> list[NDArray[np.uint8]]:
    """Return the whole picture and its central square, both resized to the model's input."""
    from PIL import Image

    image = Image.fromarray(picture.pixels)
    side = max(1.0, _CENTER * min(image.size))
    left, top = (image.width - side) / 2, (image.height - side) / 2
    boxes = ((0.0, 0.0, float(image.width), float(image.height)),
             (left, top, left + side, top + side))  # fmt: skip
    return [
        np.array(image.resize((_INPUT, _INPUT), Image.Resampling.BILINEAR, box, 2.0), np.uint8)
        for box in boxes
    ]

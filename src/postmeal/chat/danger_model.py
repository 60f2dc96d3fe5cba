"""Models that estimate the probability that a message describes a danger.

Both models are multinomial logistic regressions over words, pairs of words and parts of words. They
are fitted to messages that were written for this purpose by authors who did not see each other's
messages. The messages for the first model describe dangers in whole sentences. Those for the second
model also state them in very few words, next to a request about food. The second model is therefore
used only if it is more than 50% certain. ``tests/relevance/train_danger_model.py`` fits the models
and writes ``danger_model.npz`` and ``short_danger_model.npz``. The rules in `postmeal.chat.danger`
recognize only the wordings that they list. The models also recognize other wordings.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from postmeal.chat.clauses import sentences
from postmeal.chat.hashed_model import HashedModel
from postmeal.chat.message_features import feature_value, features

Danger = Literal["emergency", "self_harm", "eating_disorder", "dosing"]

CLASSES = ("emergency", "self_harm", "eating_disorder", "dosing", "harmless")
"""Classes of messages, in the order of the rows of the model's weights."""

_EMERGENCY = 0.15
_SELF_HARM = 0.15  # self-harm or an eating disorder
_DOSING = 0.25
"""Probabilities above which a message counts as a danger. The probabilities are lower for more
serious dangers. They were chosen by leaving out one author at a time, so that about 5% of the
harmless messages are mistaken for a danger."""
_SHORT = 0.5  # minimum probability of a danger according to the second model
_SURELY_HARMLESS = 0.95
_EVEN, _SHORT_SURE = 0.5, 0.8


class DangerModel(NamedTuple):
    """Model that estimates the probabilities of dangers in a message."""

    model: HashedModel

    def likelihoods(self, present: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the probability of each class in `CLASSES`, given the `features` of a text."""
        return self.model.likelihoods(present, feature_value(len(present)))

    def danger(self, present: npt.NDArray[np.int64]) -> Danger | None:
        """Return the danger that a text is likely to describe, given its `features`, or None.

        If more than one danger is likely, an emergency takes precedence over a less likely danger
        for the person, and a question about a dose takes precedence over less likely self-harm.
        """
        emergency, self_harm, eating_disorder, dosing, _ = self.likelihoods(present)
        harm = self_harm + eating_disorder
        if emergency > _EMERGENCY and (emergency >= harm or harm <= _SELF_HARM):
            return "emergency"
        if harm > _SELF_HARM and (harm > dosing or dosing <= _DOSING):
            return "self_harm" if self_harm >= eating_disorder else "eating_disorder"
        if emergency > _EMERGENCY:
            return "emergency"
        return "dosing" if dosing > _DOSING else None


def likely_danger(text: str) -> Danger | None:
    """Return the danger that a plain text is likely to describe, or None."""
    present = features(text)
    return _model().danger(present) or _short_danger(present)


def _short_danger(present: npt.NDArray[np.int64]) -> Danger | None:
    """Return the danger that a text states in few words, according to the second model."""
    emergency, self_harm, eating_disorder, _, _ = _short_model().likelihoods(present)
    if emergency + self_harm + eating_disorder <= _SHORT:
        return None
    if emergency >= self_harm + eating_disorder:
        return "emergency"
    return "self_harm" if self_harm >= eating_disorder else "eating_disorder"


def is_overruled(rule: Callable[[str], object], text: str) -> bool:
    """Return whether the models overrule a rule that finds a danger in a plain text.

    Both models must be more than 95% certain that each sentence in which the rule finds the danger
    is harmless, or the whole text if it finds the danger in no single sentence. Otherwise, a long
    harmless request would hide a short sentence about a danger.
    """
    found = [sentence for sentence in sentences(text) if rule(sentence)] or [text]
    harmless = CLASSES.index("harmless")
    return all(
        model.likelihoods(present)[harmless] > _SURELY_HARMLESS
        for present in map(features, found)
        for model in (_model(), _short_model())
    )


def is_more_likely_dangerous(text: str) -> bool:
    """Return whether either model considers a danger likely.

    The probability must be above 50%, or above 80% for the second model. The dangers
    are emergencies, self-harm and eating disorders. Their probabilities are added.
    """
    present = features(text)
    by_first, by_second = (m.likelihoods(present)[:3].sum() for m in (_model(), _short_model()))
    return bool(by_first > _EVEN or by_second > _SHORT_SURE)


@cache
def _model() -> DangerModel:
    return DangerModel(HashedModel.read("danger_model.npz", CLASSES))


@cache
def _short_model() -> DangerModel:
    return DangerModel(HashedModel.read("short_danger_model.npz", CLASSES))

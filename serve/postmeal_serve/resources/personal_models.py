"""Personal models, which are fitted to a user's history and stored in a compact form.

Training stores only the model, not the readings or meals. If training succeeds, the new model
replaces the stored one in a single transaction; otherwise, the stored model does not change. If a
user is trained twice concurrently, the model that is committed last remains.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, select

from postmeal.errors import InputError, ModelError, TooFewDays, UnusableHistory
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal, usable_history
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from postmeal_serve.resources import users
from postmeal_serve.resources.cgm_history import History
from postmeal_serve.resources.users import User
from postmeal_serve.storage.tables import end_user, personal_model
from postmeal_serve.storage.upsert import put
from postmeal_serve.wire.errors import Refusal

__all__ = ["HistoryFields", "Trained", "check_history", "find", "fit", "save"]

_log = logging.getLogger(__name__)


class HistoryFields(NamedTuple):
    """Names of the request fields that contain the history in an API version."""

    cgm: str
    meals: str


class Trained(NamedTuple):
    """A registered user and their personal model, which is None if no model has been trained."""

    user: User
    model: PersonalModel | None


def fit(
    predictor: Predictor, profile: Profile, history: History, fields: HistoryFields
) -> PersonalModel:
    """Fit a personal model to a history."""
    with _naming(fields):
        return fit_personal(predictor, profile, history.trace, history.meals)


def check_history(history: History, fields: HistoryFields) -> None:
    """Check that a personal model can be fitted to a history."""
    with _naming(fields):
        usable_history(history.trace, history.meals)


@contextmanager
def _naming(fields: HistoryFields) -> Iterator[None]:
    """Name the fields of the request in errors about a history."""
    try:
        yield
    except TooFewDays as error:
        raise InputError(fields.cgm, error.problem) from None
    except UnusableHistory as error:
        name = fields.meals if error.field == "meals" else fields.cgm
        raise UnusableHistory(name, error.problem) from None


def save(
    connection: Connection,
    organization_id: int,
    user: User,
    model: PersonalModel,
    now: datetime,
) -> bool:
    """Store a user's model in place of an earlier one; return False if the user was deleted."""
    registered = select(end_user.c.id).where(
        end_user.c.organization_id == organization_id, end_user.c.id == user.id
    )
    if connection.execute(registered.with_for_update()).first() is None:
        return False
    put(
        connection,
        personal_model,
        {"organization_id": organization_id, "end_user_id": user.id},
        {"base": model.base, "state": model.to_bytes(), "trained_at": now},
    )
    return True


def find(connection: Connection, organization_id: int, user_id: str) -> Trained | None:
    """Return a user and their model, or None if no user has the given ID.

    Raises
    ------
    Refusal
        The stored model is damaged or has an unknown format (503).
    """
    user = users.find(connection, organization_id, user_id)
    if user is None:
        return None
    query = select(personal_model.c.state).where(
        personal_model.c.organization_id == organization_id,
        personal_model.c.end_user_id == user.id,
    )
    state = connection.execute(query).scalar_one_or_none()
    if state is None:
        return Trained(user, None)
    try:
        return Trained(user, PersonalModel.from_bytes(state))
    except ModelError as error:
        _log.error("a stored personal model cannot be read; responding with 503: %s", error)
        message = "the personal model of this user cannot be read; train the user again"
        raise Refusal("service_unavailable", message) from None

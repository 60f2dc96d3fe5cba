"""Personal models: fitted to a history, kept as a compact state, read back with its hash checked.

What is kept of a training is the state alone: no reading and no meal. A training that fails
changes nothing, one that succeeds replaces the state before in one transaction, and of two at the
same time the one that is committed last stays, whole.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import Connection, select

from postmeal.errors import InputError, ModelError, TooFewDays, UnusableHistory
from postmeal.glucose.personal.model import PersonalModel
from postmeal.glucose.personal_fit import fit_personal
from postmeal.glucose.predictor import Predictor
from postmeal.people import Profile
from serve.resources import users
from serve.resources.cgm_history import History
from serve.resources.users import Person
from serve.storage.tables import end_user, personal_model
from serve.storage.upsert import put
from serve.wire.errors import Refusal

__all__ = ["HistoryFields", "Trained", "find", "fit", "keep"]

_log = logging.getLogger(__name__)


class HistoryFields(NamedTuple):
    """What a version calls the two parts of a history."""

    cgm: str
    eaten: str


class Trained(NamedTuple):
    """A registered person, and their own model where they were trained."""

    person: Person
    model: PersonalModel | None


def fit(
    predictor: Predictor, profile: Profile, history: History, fields: HistoryFields
) -> PersonalModel:
    """Fit a person's own model; errors name the fields as the wire does.

    Raises
    ------
    TooFewDays
        Fewer than five days can be learned from; why each did not count is said.
    UnusableHistory
        The history is well formed and cannot be modelled.
    """
    try:
        return fit_personal(predictor, profile, history.trace, history.meals)
    except TooFewDays as error:
        raise InputError(fields.cgm, error.problem) from None
    except UnusableHistory as error:
        name = fields.eaten if error.field == "consumed_foods" else fields.cgm
        raise UnusableHistory(name, error.problem) from None


def keep(
    connection: Connection,
    organization_id: int,
    person: Person,
    model: PersonalModel,
    now: datetime,
) -> bool:
    """Keep a person's model in place of the one before; answer whether the person still exists."""
    registered = select(end_user.c.id).where(
        end_user.c.organization_id == organization_id, end_user.c.id == person.id
    )
    if connection.execute(registered.with_for_update()).first() is None:
        return False
    put(
        connection,
        personal_model,
        {"organization_id": organization_id, "end_user_id": person.id},
        {"base": model.base, "state": model.to_bytes(), "trained_at": now},
    )
    return True


def find(connection: Connection, organization_id: int, given: str) -> Trained | None:
    """Answer the person whom an id names, with their model; None if it names nobody.

    Raises
    ------
    Refusal
        The state was altered or is of another layout: no other model is taken in its place.
    """
    person = users.find(connection, organization_id, given)
    if person is None:
        return None
    of_person = select(personal_model.c.state).where(
        personal_model.c.organization_id == organization_id,
        personal_model.c.end_user_id == person.id,
    )
    state = connection.execute(of_person).scalar_one_or_none()
    if state is None:
        return Trained(person, None)
    try:
        return Trained(person, PersonalModel.from_bytes(state))
    except ModelError as error:
        _log.error("a stored personal model cannot be used: %s", error)
        message = "the model that training stored for this user cannot be read: train again"
        raise Refusal("service_unavailable", message) from None

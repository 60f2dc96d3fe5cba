"""Users: the people that a partner registers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.people import ActivityLevel, Sex
from serve.http.call import Call
from serve.http.operation import Operation
from serve.resources import users
from serve.resources.erasure import erase_person
from serve.resources.users import Person
from serve.storage.secure_erase import empty_log
from serve.v1_1.person import PARTNER_USER_ID, user_of
from serve.v1_1.profile import CONDITIONS, PROFILE_ACCEPTS, Condition, RegisteredProfile
from serve.v1_1.version import V1_1
from serve.wire.errors import Refusal
from serve.wire.request_body import Accepts, Wire
from serve.wire.responses import JsonResponse, json_bytes, json_response
from serve.wire.unparsed_body import RequestBody

__all__ = ["USER_OPERATIONS"]

_NEW_ID = replace(
    PARTNER_USER_ID,
    required=False,
    about="The partner's id of the new user, which from now on names the same person as the UUID.",
)
_WIRE_NAMES = {name: wire for wire, name in CONDITIONS.items()}


class UserRequest(Wire):
    """Who the user is."""

    profile: RegisteredProfile


class ProfileAnswer(BaseModel):
    """What is known of a user."""

    model_config = ConfigDict(extra="forbid")

    age: float
    gender: Sex
    height: float = Field(description="Inches.")
    weight: float = Field(description="Pounds.")
    activity_level: ActivityLevel | None
    medical_conditions: list[Condition]


class UserAnswer(BaseModel):
    """A user."""

    model_config = ConfigDict(extra="forbid")

    user_id: str = Field(description="UUID.", json_schema_extra={"format": "uuid"})
    profile: ProfileAnswer


class UsersAnswer(RootModel[list[UserAnswer]]):
    """All users of a partner."""


class UserDeletedAnswer(BaseModel):
    """Nothing is left of the user."""

    model_config = ConfigDict(extra="forbid")

    status: Literal["deleted"]


_ACCEPTS: Accepts = {
    "profile": "must be an object with age, gender, height and weight",
    **PROFILE_ACCEPTS,
}
_EXAMPLE = {
    "profile": {
        "age": 45,
        "gender": "female",
        "height": 66,
        "weight": 150,
        "activityLevel": "lightly_active",
        "healthConditions": ["Prediabetes"],
    }
}


async def create_user(call: Call) -> Response:
    """Register a user.

    The answer names the user by a UUID. Where `x-partner-user-id` is sent, the partner's id names
    the same user from then on, and a diary that is kept under it belongs to the user.
    """
    partner_user_id = _NEW_ID.read(call.headers)
    owner, clock = call.caller.organization.id, call.service.clock
    now, steady = clock.now(), clock.steady()
    profile = await call.read(_profile)

    def created(connection: Connection) -> Person | None:
        if partner_user_id is not None:
            call.service.allow_writing(connection, call.caller, partner_user_id, steady)
        return users.create(connection, owner, partner_user_id, profile, now)

    person = await call.service.database.write(created)
    if person is None:
        raise InputError(_NEW_ID.name, "must not be the id of a user who exists already")
    return json_response(_user(person))


async def get_user(call: Call) -> Response:
    """Answer one user."""
    person = await call.service.database.read(
        users.find, call.caller.organization.id, user_of(call)
    )
    return json_response(_user(_present(person)))


async def change_user(call: Call) -> Response:
    """Change a user.

    Age, gender, height and weight are required; an optional field that is left out keeps its value.
    A model that was trained stays as it is until the user is trained again.
    """
    person = await call.service.database.write(
        users.change,
        call.caller.organization.id,
        user_of(call),
        await call.read(_profile),
        call.service.clock.now(),
    )
    return json_response(_user(_present(person)))


async def delete_user(call: Call) -> Response:
    """Delete a user with everything.

    Profile, diary, trained model and client tokens go, whether or not the user was ever registered;
    the answer is the same for an id that names nobody. From then on a client token of the user
    writes nothing, and within 60 seconds it is not accepted at all. The same id may be registered
    again at once.
    """
    service, owner, given = call.service, call.caller.organization.id, user_of(call)
    now, steady = service.clock.now(), service.clock.steady()
    by = (call.caller.name, service.settings.pepper)
    names = await service.database.write(erase_person, owner, given, now, *by, steady)
    for name in names | {given}:
        service.credentials.forget(owner, name)
    await asyncio.to_thread(empty_log, service.database)
    return json_response({"status": "deleted"})


async def list_users(call: Call) -> Response:
    """List all users of the partner, the oldest first."""
    content = await call.service.database.read(_listed, call.caller.organization.id)
    return JsonResponse(content)


def _listed(connection: Connection, organization_id: int) -> bytes:
    return json_bytes([_user(each) for each in users.all_people(connection, organization_id)])


def _profile(body: RequestBody) -> dict[str, Any]:
    sent = body.parse(UserRequest, _ACCEPTS).profile
    sent.profile("profile")  # refuses a person who cannot be
    return sent.told()


def _present(person: Person | None) -> Person:
    if person is None:
        raise Refusal("not_found", f"no user has the id in {PARTNER_USER_ID.name}")
    return person


def _user(person: Person) -> dict[str, Any]:
    told = person.profile
    return {
        "user_id": person.id,
        "profile": {
            "age": _shortest(told["age"]),
            "gender": told["sex"],
            "height": _shortest(told["height_in"]),
            "weight": _shortest(told["weight_lb"]),
            "activity_level": told.get("activity_level"),
            "medical_conditions": [_WIRE_NAMES[name] for name in told.get("health_conditions", ())],
        },
    }


def _shortest(number: float) -> float:
    """Write 45 as 45, not as 45.0, and 66.5 as it is."""
    return int(number) if number == int(number) else number


USER_OPERATIONS = (
    Operation(
        "POST",
        "/user",
        create_user,
        version=V1_1,
        answer=UserAnswer,
        body=UserRequest,
        example=_EXAMPLE,
        parameters=(_NEW_ID,),
        refusals=(406, 413),
    ),
    Operation(
        "GET",
        "/user",
        get_user,
        version=V1_1,
        answer=UserAnswer,
        parameters=(PARTNER_USER_ID,),
        refusals=(404, 406),
    ),
    Operation(
        "PATCH",
        "/user",
        change_user,
        version=V1_1,
        answer=UserAnswer,
        body=UserRequest,
        example=_EXAMPLE,
        parameters=(PARTNER_USER_ID,),
        refusals=(404, 406, 413),
    ),
    Operation(
        "DELETE",
        "/user",
        delete_user,
        version=V1_1,
        answer=UserDeletedAnswer,
        parameters=(PARTNER_USER_ID,),
        refusals=(406,),
    ),
    Operation(
        "GET",
        "/users",
        list_users,
        version=V1_1,
        answer=UsersAnswer,
        refusals=(406,),
    ),
)

"""Operations on the users of a partner: registration, profile and deletion."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel
from sqlalchemy import Connection
from starlette.responses import Response

from postmeal.errors import InputError
from postmeal.people import ActivityLevel, Sex
from postmeal_serve.http.call import Call
from postmeal_serve.http.operation import Operation
from postmeal_serve.resources import users
from postmeal_serve.resources.erasure import erase_user
from postmeal_serve.resources.users import User
from postmeal_serve.storage.secure_erase import empty_log
from postmeal_serve.v1_1.person import PARTNER_USER_ID, user_of
from postmeal_serve.v1_1.profile import CONDITIONS, PROFILE_ACCEPTS, Condition, RegisteredProfile
from postmeal_serve.v1_1.version import V1_1
from postmeal_serve.wire.errors import Refusal
from postmeal_serve.wire.request_body import Accepts, RequestModel
from postmeal_serve.wire.responses import JsonResponse, json_bytes, json_response
from postmeal_serve.wire.unparsed_body import RequestBody

__all__ = ["USER_OPERATIONS"]

_NEW_ID = replace(
    PARTNER_USER_ID,
    required=False,
    about="Your ID for the new user. If sent, both this ID and the UUID identify the user.",
)
_WIRE_NAMES = {name: wire for wire, name in CONDITIONS.items()}


class UserRequest(RequestModel):
    """The profile of a user."""

    profile: RegisteredProfile


class ProfileResponse(BaseModel):
    """The stored profile of a user."""

    model_config = ConfigDict(extra="forbid")

    age: float = Field(description="Age in years.")
    gender: Sex
    height: float = Field(description="Height in inches.")
    weight: float = Field(description="Weight in pounds.")
    activity_level: ActivityLevel | None
    medical_conditions: list[Condition]


class UserResponse(BaseModel):
    """A registered user."""

    model_config = ConfigDict(extra="forbid")

    user_id: str = Field(description="UUID of the user.", json_schema_extra={"format": "uuid"})
    profile: ProfileResponse


class UsersResponse(RootModel[list[UserResponse]]):
    """All users of the partner."""


class UserDeletedResponse(BaseModel):
    """Confirmation that no data about the user remains."""

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
    """Create a user.

    The response contains the UUID of the user. If you send your own ID as `x-partner-user-id`, both
    IDs identify the user from then on, and food logs stored under your ID belong to the user.
    """
    partner_user_id = _NEW_ID.read(call.headers)
    owner, clock = call.caller.organization.id, call.service.clock
    now, steady = clock.now(), clock.steady()
    profile = await call.read(_profile)

    def create(connection: Connection) -> User | None:
        if partner_user_id is not None:
            call.service.allow_writing(connection, call.caller, partner_user_id, steady)
        return users.create(connection, owner, partner_user_id, profile, now)

    user = await call.service.database.write(create)
    if user is None:
        raise InputError(_NEW_ID.name, "must not be the ID of an existing user")
    return json_response(_user(user))


async def get_user(call: Call) -> Response:
    """Get a user.

    The response is 404 if the user is not registered.
    """
    user = await call.service.database.read(users.find, call.caller.organization.id, user_of(call))
    return json_response(_user(_existing(user)))


async def change_user(call: Call) -> Response:
    """Update a user.

    `age`, `gender`, `height` and `weight` are required; omitted optional fields keep their values.
    A personal model does not change until the user is trained again.
    """
    user = await call.service.database.write(
        users.change,
        call.caller.organization.id,
        user_of(call),
        await call.read(_profile),
        call.service.clock.now(),
    )
    return json_response(_user(_existing(user)))


async def delete_user(call: Call) -> Response:
    """Delete a user and all their data.

    The user's profile, food logs, personal model and client tokens are deleted, even if the user
    was never registered. The request succeeds even if the ID is unknown. Client tokens of the user
    can no longer be used to write data and are rejected within 60 seconds. The same ID can be
    registered again at once.
    """
    service, owner, user_id = call.service, call.caller.organization.id, user_of(call)
    now, steady = service.clock.now(), service.clock.steady()
    actor, pepper = call.caller.name, service.settings.pepper
    erased_ids = await service.database.write(
        erase_user, owner, user_id, now, actor, pepper, steady
    )
    for erased_id in erased_ids | {user_id}:
        service.credentials.evict(owner, erased_id)
    await asyncio.to_thread(empty_log, service.database)
    return json_response({"status": "deleted"})


async def list_users(call: Call) -> Response:
    """List all users, oldest first."""
    content = await call.service.database.read(_user_list, call.caller.organization.id)
    return JsonResponse(content)


def _user_list(connection: Connection, organization_id: int) -> bytes:
    return json_bytes([_user(each) for each in users.list_all(connection, organization_id)])


def _profile(body: RequestBody) -> dict[str, Any]:
    profile = body.parse(UserRequest, _ACCEPTS).profile
    profile.profile("profile")  # Rejects impossible values.
    return profile.library_fields()


def _existing(user: User | None) -> User:
    if user is None:
        problem = f"no registered user has the ID in the header {PARTNER_USER_ID.name}"
        message = f"{problem}; register the user with POST /v1.1/user"
        raise Refusal("not_found", message)
    return user


def _user(user: User) -> dict[str, Any]:
    profile = user.profile
    conditions = profile.get("health_conditions", ())
    return {
        "user_id": user.id,
        "profile": {
            "age": _shortest(profile["age"]),
            "gender": profile["sex"],
            "height": _shortest(profile["height_in"]),
            "weight": _shortest(profile["weight_lb"]),
            "activity_level": profile.get("activity_level"),
            "medical_conditions": [_WIRE_NAMES[name] for name in conditions],
        },
    }


def _shortest(number: float) -> float:
    """Convert whole numbers to integers, so that the JSON contains 45 instead of 45.0."""
    return int(number) if number == int(number) else number


USER_OPERATIONS = (
    Operation(
        "POST",
        "/user",
        create_user,
        version=V1_1,
        stores=True,
        response_model=UserResponse,
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
        response_model=UserResponse,
        parameters=(PARTNER_USER_ID,),
        refusals=(404, 406),
    ),
    Operation(
        "PATCH",
        "/user",
        change_user,
        version=V1_1,
        response_model=UserResponse,
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
        response_model=UserDeletedResponse,
        parameters=(PARTNER_USER_ID,),
        refusals=(406,),
    ),
    Operation(
        "GET",
        "/users",
        list_users,
        version=V1_1,
        response_model=UsersResponse,
        refusals=(406,),
    ),
)

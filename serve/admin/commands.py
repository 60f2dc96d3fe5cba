"""Admin: partners, keys, tokens and data, managed on the command line."""

from __future__ import annotations

import argparse
import asyncio
from datetime import timedelta

from sqlalchemy import select

from serve.accounting.month import Month
from serve.admin.backup_commands import add_copies, add_verb
from serve.admin.session import open_office
from serve.app import OPERATIONS
from serve.partners import keys, organizations, tokens
from serve.partners.organizations import Organization
from serve.partners.plans import Agreement
from serve.resources.erasure import erase_person, purge_test_identities
from serve.resources.retention import purge
from serve.resources.users import one_person
from serve.runtime.clock_synchronization import synchronize
from serve.storage.schema import HEAD
from serve.storage.secure_erase import rewrite
from serve.storage.tables import audit, usage

__all__ = ["add_admin"]

_VERSIONS = ("v1.1", "v1.2")
_LONGEST_GRACE_HOURS = 24 * 365


def add_admin(parser: argparse.ArgumentParser) -> None:
    """Add the commands of ``python -m serve admin``."""
    rooms = parser.add_subparsers(required=True, metavar="COMMAND")

    partner = rooms.add_parser("partner", help="partners and their plans")
    verbs = partner.add_subparsers(required=True, metavar="VERB")
    add = add_verb(verbs, "create", _create_partner, "add a partner")
    add.add_argument("name")
    add.add_argument("--plan", default="free")
    _agreement(add)
    change = add_verb(verbs, "change", _change_partner, "change plan, agreement or minting")
    change.add_argument("name")
    change.add_argument("--plan")
    change.add_argument("--minting", choices=["on", "off"])
    _agreement(change)
    add_verb(verbs, "list", _list_partners, "list the partners")

    key = rooms.add_parser("key", help="API keys")
    verbs = key.add_subparsers(required=True, metavar="VERB")
    add = add_verb(verbs, "create", _create_key, "make a key; it is shown this once")
    add.add_argument("partner")
    add.add_argument("--version", required=True, choices=_VERSIONS)
    add.add_argument("--name", default="key", help="what it is for")
    add_verb(verbs, "list", _list_keys, "list the keys").add_argument("partner", nargs="?")
    disable = add_verb(verbs, "disable", _disable_key, "end a key, within 30 seconds")
    disable.add_argument("id", type=_whole)
    rotate = add_verb(verbs, "rotate", _rotate_key, "make a key in place of another")
    rotate.add_argument("id", type=_whole)
    rotate.add_argument(
        "--grace-hours", type=_hours, default=24.0, metavar="H", help="until the old one ends"
    )

    token = rooms.add_parser("token", help="client tokens")
    verbs = token.add_subparsers(required=True, metavar="VERB")
    revoke = add_verb(verbs, "revoke", _revoke_tokens, "revoke all tokens of an end user")
    revoke.add_argument("partner")
    revoke.add_argument("end_user_id")

    show = add_verb(rooms, "usage", _show_usage, "requests and credits of each month")
    show.add_argument("partner", nargs="?")
    erase = add_verb(rooms, "erase", _erase, "erase a person with everything")
    erase.add_argument("partner")
    erase.add_argument("end_user_id")
    test = add_verb(rooms, "purge-test-identities", _purge_test, "erase all who start with test-")
    test.add_argument("partner", nargs="?")
    add_verb(rooms, "purge", _purge, "delete what has been kept long enough")
    trail = add_verb(rooms, "audit", _show_audit, "show what was done to whom")
    trail.add_argument("--last", type=_whole, default=50, metavar="N")
    add_verb(rooms, "migrate", _migrate, "bring the database to this release's tables")
    add_copies(rooms)


def _agreement(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--requests", type=int, metavar="N", help="agreed requests a month")
    parser.add_argument("--credits", type=int, metavar="N", help="agreed credits a month")
    parser.add_argument("--per-minute", type=int, metavar="N", help="agreed calls of an endpoint")
    parser.add_argument(
        "--in-flight",
        action="append",
        type=_endpoint_and_number,
        default=[],
        metavar="ENDPOINT=N",
        help="agreed calls in flight",
    )
    parser.add_argument("--uncapped", action=argparse.BooleanOptionalAction, default=None)


def _agreed(options: argparse.Namespace, before: Agreement | None = None) -> Agreement:
    given = {
        "monthly_requests": options.requests,
        "monthly_credits": options.credits,
        "per_minute": options.per_minute,
        "uncapped": options.uncapped,
    }
    agreed = before.model_dump(exclude_unset=True) if before else {}
    agreed |= {name: value for name, value in given.items() if value is not None}
    if options.in_flight:
        agreed["in_flight"] = agreed.get("in_flight", {}) | dict(options.in_flight)
    return organizations.agreement_of(agreed)


def _whole(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = -1.0
    if not 0 <= hours <= _LONGEST_GRACE_HOURS:
        message = f"{text!r} is not a number of hours, 0 to {_LONGEST_GRACE_HOURS}"
        raise argparse.ArgumentTypeError(message)
    return hours


def _endpoint_and_number(text: str) -> tuple[str, int]:
    endpoint, _, number = text.partition("=")
    names = [each.endpoint_name for each in OPERATIONS if not each.version.deprecated]
    if endpoint not in names:
        message = f"{text!r} is not ENDPOINT=N with an endpoint of {', '.join(names)}"
        raise argparse.ArgumentTypeError(message)
    return endpoint, _whole(number)


def _create_partner(options: argparse.Namespace) -> None:
    agreed = _agreed(options)
    with open_office() as office, office.database.writing() as connection:
        plans = office.settings.plans
        made = organizations.create(
            connection, office.now, options.name, options.plan, agreed, plans
        )
    print(f"partner {made.name} has the plan {made.allowances.plan}")


def _change_partner(options: argparse.Namespace) -> None:
    minting = None if options.minting is None else options.minting == "on"
    with open_office() as office, office.database.writing() as connection:
        agreed = _agreed(options, organizations.agreed_with(connection, options.name))
        plans = office.settings.plans
        changed = organizations.change(
            connection,
            office.now,
            options.name,
            plans,
            plan=options.plan,
            agreement=agreed,
            may_mint=minting,
        )
    print(_partner_line(changed))


def _list_partners(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.reading() as connection:
        for each in organizations.every(connection, office.settings.plans):
            print(_partner_line(each))


def _partner_line(partner: Organization) -> str:
    has = partner.allowances
    requests, credits = (
        "no end of" if number is None else number
        for number in (has.monthly_requests, has.monthly_credits)
    )
    minting = "" if partner.may_mint else ", may not mint"
    return f"{partner.name}: {has.plan}, {requests} requests, {credits} credits a month{minting}"


def _create_key(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.writing() as connection:
        partner = office.partner(connection, options.partner)
        pepper = office.settings.pepper
        secret, key = keys.create(
            connection, office.now, partner.id, options.version, options.name, pepper
        )
    _show_key(secret, key)


def _rotate_key(options: argparse.Namespace) -> None:
    grace = timedelta(hours=options.grace_hours)
    with open_office() as office, office.database.writing() as connection:
        pepper = office.settings.pepper
        secret, key = keys.rotate(connection, office.now, options.id, grace, pepper, office.steady)
        of_partner = {each.id: each for each in keys.every(connection, key.organization_id)}
    print(f"key {options.id} ends at {of_partner[options.id].disabled_at:%Y-%m-%dT%H:%M:%SZ}")
    _show_key(secret, key)


def _show_key(secret: str, key: keys.Key) -> None:
    print(f"key {key.id} for API version {key.version}; keep it, it is not shown again:\n{secret}")


def _list_keys(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.reading() as connection:
        every = organizations.every(connection, office.settings.plans)
        names = {each.id: each.name for each in every}
        wanted = office.partner(connection, options.partner).id if options.partner else None
        for key in keys.every(connection, wanted):
            ended = key.disabled_at
            state = "active" if ended is None else f"ends {ended:%Y-%m-%dT%H:%M:%SZ}"
            made = f"{key.created_at:%Y-%m-%d}"
            whose = f"{names[key.organization_id]} ({key.name})"
            print(f"{key.id:>4}  {key.shown:<16} {made}  {state:<26} {whose}")


def _disable_key(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.writing() as connection:
        keys.disable(connection, office.now, options.id, office.steady)
    print(f"key {options.id} is disabled")


def _revoke_tokens(options: argparse.Namespace) -> None:
    with open_office() as office:
        with office.database.reading() as connection:
            partner = office.partner(connection, options.partner)
            person = one_person(connection, partner.id, options.end_user_id)
        revoked = 0
        while True:
            whose = (partner.id, person)
            by = (*whose, "admin", office.settings.pepper)
            done = asyncio.run(tokens.revoke_live(office.database, office.clock, *by))
            revoked += done.revoked
            if not done.revoked:
                break
    print(f"{revoked} client tokens are revoked")
    if done.failed:
        raise ValueError(f"{done.failed} client tokens could not be revoked: repeat the command")


def _show_usage(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.reading() as connection:
        every = organizations.every(connection, office.settings.plans)
        if options.partner:
            every = [office.partner(connection, options.partner)]
        this_month = Month.of(office.now).name
        for each in every:
            of_partner = usage.c.organization_id == each.id
            rows = connection.execute(
                select(usage).where(of_partner).order_by(usage.c.month.desc())
            ).all()
            print(_partner_line(each))
            for row in rows:
                note = " so far" if row.month == this_month else ""
                print(f"  {row.month}  {row.requests} requests, {row.credits} credits{note}")


def _erase(options: argparse.Namespace) -> None:
    with open_office() as office:
        with office.database.writing() as connection:
            partner = office.partner(connection, options.partner)
            given, by = options.end_user_id, ("admin", office.settings.pepper, office.steady)
            found = erase_person(connection, partner.id, given, office.now, *by)
        rewrite(office.database)
    print("erased, with a receipt in the audit trail" if found else "nothing is stored of them")


def _purge_test(options: argparse.Namespace) -> None:
    with open_office() as office:
        with office.database.writing() as connection:
            partner = office.partner(connection, options.partner).id if options.partner else None
            pepper = office.settings.pepper
            by = ("admin", pepper, office.steady)
            number = purge_test_identities(connection, partner, office.now, *by)
        rewrite(office.database)
    print(f"{number} test identities are erased")


def _purge(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.writing() as connection:
        kept = timedelta(seconds=office.settings.token_purge_after_s)
        synchronize(connection, office.clock)
        gone = purge(connection, office.now, kept, office.settings.pepper, office.steady)
    print("deleted: " + ", ".join(f"{number} of {table}" for table, number in gone.items()))


def _show_audit(options: argparse.Namespace) -> None:
    with open_office() as office, office.database.reading() as connection:
        query = select(audit).order_by(audit.c.id.desc()).limit(options.last)
        for row in reversed(connection.execute(query).all()):
            partner = "" if row.organization_id is None else f"partner {row.organization_id}: "
            what = f"{partner}{row.action}, {row.subject}, by {row.actor}"
            print(f"{row.at:%Y-%m-%dT%H:%M:%SZ}  {what}")


def _migrate(options: argparse.Namespace) -> None:
    with open_office():
        print(f"the database is of revision {HEAD}")

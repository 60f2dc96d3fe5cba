"""Admin commands for partners, keys, tokens and stored data."""

from __future__ import annotations

import argparse
import asyncio
from datetime import timedelta
from typing import Any

from sqlalchemy import select

from postmeal_serve.accounting.month import Month
from postmeal_serve.admin.backup_commands import add_backup_commands, add_command
from postmeal_serve.admin.erase_commands import erase_end_user, erase_test_users
from postmeal_serve.admin.session import open_session
from postmeal_serve.app import OPERATIONS
from postmeal_serve.partners import keys, organizations, tokens
from postmeal_serve.partners.organizations import Organization
from postmeal_serve.partners.plans import Agreement
from postmeal_serve.resources.retention import purge
from postmeal_serve.resources.users import stored_user_id
from postmeal_serve.runtime.clock_synchronization import synchronize
from postmeal_serve.storage.schema import HEAD
from postmeal_serve.storage.tables import audit, usage

__all__ = ["add_admin"]

_VERSIONS = ("v1.1", "v1.2")
_LONGEST_GRACE_HOURS = 24 * 365
_MOST = 2**31 - 1


def add_admin(parser: argparse.ArgumentParser) -> None:
    """Add the commands of ``postmeal-serve admin``."""
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_partner_commands(commands)
    _add_key_commands(commands)
    _add_token_commands(commands)

    show = add_command(
        commands, "usage", _show_usage, "show the requests and credits of each partner by month"
    )
    _add_partner_argument(show, nargs="?")
    erase = add_command(
        commands, "erase", erase_end_user, "delete all data stored about an end user"
    )
    _add_partner_argument(erase)
    _add_end_user_argument(erase)
    test = add_command(
        commands,
        "purge-test-identities",
        erase_test_users,
        "delete all data of end users whose ID starts with test-",
    )
    _add_partner_argument(test, nargs="?")
    add_command(commands, "purge", _purge, "delete data whose retention period has ended")
    trail = add_command(commands, "audit", _show_audit, "show the audit trail")
    trail.add_argument(
        "--last",
        type=_positive_integer,
        default=50,
        metavar="N",
        help="number of entries to show (default: %(default)s)",
    )
    add_command(commands, "migrate", _migrate, "migrate the database to this release")
    add_backup_commands(commands)


def _add_partner_commands(commands: Any) -> None:
    verbs = _add_group(commands, "partner", "manage partners and their plans")
    create = add_command(verbs, "create", _create_partner, "create a partner")
    create.add_argument("name", help="name of the partner")
    create.add_argument("--plan", default="free", help="name of the plan (default: %(default)s)")
    _add_agreement_options(create)
    change = add_command(
        verbs,
        "change",
        _change_partner,
        "change a partner's plan, limits or permission to mint client tokens",
    )
    change.add_argument("name", help="name of the partner")
    change.add_argument("--plan", help="name of the new plan (default: unchanged)")
    change.add_argument(
        "--minting",
        choices=["on", "off"],
        help="whether the partner may mint client tokens (default: unchanged)",
    )
    _add_agreement_options(change)
    add_command(verbs, "list", _list_partners, "list the partners")


def _add_key_commands(commands: Any) -> None:
    verbs = _add_group(commands, "key", "manage API keys")
    create = add_command(verbs, "create", _create_key, "create an API key and show it once")
    _add_partner_argument(create)
    create.add_argument(
        "--version", required=True, choices=_VERSIONS, help="API version of the key"
    )
    create.add_argument(
        "--name",
        default="key",
        help="name of the key, as shown by the list command (default: %(default)s)",
    )
    listing = add_command(verbs, "list", _list_keys, "list the keys")
    _add_partner_argument(listing, nargs="?")
    disable = add_command(
        verbs, "disable", _disable_key, "disable a key; it stops working within 30 seconds"
    )
    disable.add_argument("id", type=_key_id, help="ID of the key")
    rotate = add_command(verbs, "rotate", _rotate_key, "create a new key that replaces an old one")
    rotate.add_argument("id", type=_key_id, help="ID of the key to replace")
    rotate.add_argument(
        "--grace-hours",
        type=_hours,
        default=24.0,
        metavar="H",
        help="hours until the old key stops working (default: %(default)s)",
    )


def _add_token_commands(commands: Any) -> None:
    verbs = _add_group(commands, "token", "manage client tokens")
    revoke = add_command(verbs, "revoke", _revoke_tokens, "revoke all client tokens of an end user")
    _add_partner_argument(revoke)
    _add_end_user_argument(revoke)


def _add_group(commands: Any, name: str, summary: str) -> Any:
    description = f"{summary[0].upper()}{summary[1:]}."
    parser = commands.add_parser(name, help=summary, description=description)
    return parser.add_subparsers(required=True, metavar="VERB")


def _add_partner_argument(parser: argparse.ArgumentParser, nargs: str | None = None) -> None:
    summary = "name of the partner" + (" (default: all partners)" if nargs else "")
    parser.add_argument("partner", nargs=nargs, help=summary)


def _add_end_user_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("end_user_id", help="the partner's ID for the end user")


def _add_agreement_options(parser: argparse.ArgumentParser) -> None:
    limits = {
        "--requests": "requests per month",
        "--credits": "credits per month",
        "--per-minute": "requests per minute to each endpoint",
    }
    for option, limit in limits.items():
        parser.add_argument(
            option,
            type=_whole_number,
            metavar="N",
            help=f"maximum {limit}; overrides the limit of the plan",
        )
    parser.add_argument(
        "--in-flight",
        action="append",
        type=_endpoint_and_number,
        default=[],
        metavar="ENDPOINT=N",
        help="maximum number of concurrent requests to an endpoint; repeat the option for"
        " several endpoints",
    )
    parser.add_argument(
        "--uncapped",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether to remove the monthly limits on requests and credits (default for a new"
        " partner: no)",
    )
    parser.add_argument(
        "--diary-meals",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="whether version 1.1 predictions for trained users take the previous meal from the"
        " food logs (default for a new partner: no)",
    )


def _agreement_from(options: argparse.Namespace, before: Agreement | None = None) -> Agreement:
    given = {
        "monthly_requests": options.requests,
        "monthly_credits": options.credits,
        "per_minute": options.per_minute,
        "uncapped": options.uncapped,
        "diary_meals": options.diary_meals,
    }
    agreed = before.model_dump(exclude_unset=True) if before else {}
    agreed |= {name: value for name, value in given.items() if value is not None}
    if options.in_flight:
        agreed["in_flight"] = agreed.get("in_flight", {}) | dict(options.in_flight)
    return organizations.parse_agreement(agreed)


def _whole_number(text: str) -> int:
    if not text.removeprefix("-").isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}")
    return int(text)


def _positive_integer(text: str) -> int:
    if not text.isdecimal() or not text.strip("0"):
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more, got {text[:60]!r}")
    if len(text) > 20 or int(text) > _MOST:
        message = f"must be a whole number of at most {_MOST}, got {text[:60]!r}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _key_id(text: str) -> int:
    if text.startswith("sk-"):  # the secret, which is not repeated in terminals and logs
        raise argparse.ArgumentTypeError(
            "must be the ID of a key, such as 1, not the key itself; list the IDs with"
            " `admin key list`"
        )
    return _positive_integer(text)


def _hours(text: str) -> float:
    try:
        hours = float(text)
    except ValueError:
        hours = -1.0
    if not 0 <= hours <= _LONGEST_GRACE_HOURS:
        message = f"must be a number of hours from 0 to {_LONGEST_GRACE_HOURS}, got {text!r}"
        raise argparse.ArgumentTypeError(message)
    return hours


def _endpoint_and_number(text: str) -> tuple[str, int]:
    endpoint, _, number = text.partition("=")
    names = [
        operation.endpoint_name for operation in OPERATIONS if not operation.version.deprecated
    ]
    if endpoint not in names or not number:
        form = "ENDPOINT=N with a whole number N of 1 or more"
        message = f"must be {form}, got {text!r}; endpoints: {', '.join(names)}"
        raise argparse.ArgumentTypeError(message)
    return endpoint, _positive_integer(number)


def _create_partner(options: argparse.Namespace) -> None:
    agreed = _agreement_from(options)
    with open_session() as session, session.database.writing() as connection:
        plans = session.settings.plans
        created = organizations.create(
            connection, session.now, options.name, options.plan, agreed, plans
        )
    print(f"partner {created.name} created with the {created.allowances.plan} plan")


def _change_partner(options: argparse.Namespace) -> None:
    minting = None if options.minting is None else options.minting == "on"
    with open_session() as session, session.database.writing() as connection:
        agreed = _agreement_from(options, organizations.agreement_with(connection, options.name))
        plans = session.settings.plans
        changed = organizations.change(
            connection,
            session.now,
            options.name,
            plans,
            plan=options.plan,
            agreement=agreed,
            may_mint=minting,
        )
    print(_partner_line(changed))


def _list_partners(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.reading() as connection:
        for partner in organizations.list_all(connection, session.settings.plans):
            print(_partner_line(partner))


def _partner_line(partner: Organization) -> str:
    limits = partner.allowances
    requests, credits = (
        "unlimited" if number is None else number
        for number in (limits.monthly_requests, limits.monthly_credits)
    )
    minting = "" if partner.may_mint else ", minting off"
    diary = ", previous meals from food logs" if partner.diary_meals else ""
    amounts = f"{requests} requests, {credits} credits a month"
    return f"{partner.name}: {limits.plan}, {amounts}{minting}{diary}"


def _create_key(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.writing() as connection:
        partner = session.partner(connection, options.partner)
        pepper = session.settings.pepper
        secret, key = keys.create(
            connection, session.now, partner.id, options.version, options.name, pepper
        )
    _show_key(secret, key)


def _rotate_key(options: argparse.Namespace) -> None:
    grace = timedelta(hours=options.grace_hours)
    with open_session() as session, session.database.writing() as connection:
        pepper = session.settings.pepper
        secret, key = keys.rotate(
            connection, session.now, options.id, grace, pepper, session.steady
        )
        by_id = {each.id: each for each in keys.list_all(connection, key.organization_id)}
    print(f"key {options.id} expires at {by_id[options.id].disabled_at:%Y-%m-%dT%H:%M:%SZ}")
    _show_key(secret, key)


def _show_key(secret: str, key: keys.Key) -> None:
    print(
        f"key {key.id} for API version {key.version}; save it now, it is shown only once:\n{secret}"
    )


def _list_keys(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.reading() as connection:
        partners = organizations.list_all(connection, session.settings.plans)
        names = {partner.id: partner.name for partner in partners}
        partner_id = session.partner(connection, options.partner).id if options.partner else None
        for key in keys.list_all(connection, partner_id):
            ends_at = key.disabled_at
            state = "active" if ends_at is None else f"until {ends_at:%Y-%m-%dT%H:%M:%SZ}"
            created = f"{key.created_at:%Y-%m-%d}"
            label = f"{names[key.organization_id]} ({key.name})"
            print(f"{key.id:>4}  {key.shown:<16} {created}  {state:<26} {label}")


def _disable_key(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.writing() as connection:
        keys.disable(connection, session.now, options.id, session.steady)
    print(f"key {options.id} disabled; it stops working within 30 seconds")


def _revoke_tokens(options: argparse.Namespace) -> None:
    with open_session() as session:
        with session.database.reading() as connection:
            partner = session.partner(connection, options.partner)
            person = stored_user_id(connection, partner.id, options.end_user_id)
        revoked = 0
        while True:
            arguments = (partner.id, person, "admin", session.settings.pepper)
            result = asyncio.run(tokens.revoke_live(session.database, session.clock, *arguments))
            revoked += result.revoked
            if not result.revoked:
                break
    print(f"{revoked} client tokens revoked")
    if result.failed:
        raise ValueError(
            f"{result.failed} client tokens could not be revoked; run this command again"
        )


def _show_usage(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.reading() as connection:
        partners = organizations.list_all(connection, session.settings.plans)
        if options.partner:
            partners = [session.partner(connection, options.partner)]
        this_month = Month.of(session.now).name
        for partner in partners:
            of_partner = usage.c.organization_id == partner.id
            rows = connection.execute(
                select(usage).where(of_partner).order_by(usage.c.month.desc())
            ).all()
            print(_partner_line(partner))
            for row in rows:
                note = " so far" if row.month == this_month else ""
                print(f"  {row.month}  {row.requests} requests, {row.credits} credits{note}")


def _purge(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.writing() as connection:
        max_age = timedelta(seconds=session.settings.token_purge_after_s)
        synchronize(connection, session.clock)
        deleted = purge(connection, session.now, max_age, session.settings.pepper, session.steady)
    print("rows deleted: " + ", ".join(f"{table} {number}" for table, number in deleted.items()))


def _show_audit(options: argparse.Namespace) -> None:
    with open_session() as session, session.database.reading() as connection:
        query = select(audit).order_by(audit.c.id.desc()).limit(options.last)
        for row in reversed(connection.execute(query).all()):
            partner = "" if row.organization_id is None else f"partner {row.organization_id}: "
            event = f"{partner}{row.action}, {row.subject}, by {row.actor}"
            print(f"{row.at:%Y-%m-%dT%H:%M:%SZ}  {event}")


def _migrate(options: argparse.Namespace) -> None:
    with open_session():
        print(f"the database schema is at revision {HEAD}")

"""Admin commands that erase users."""

from __future__ import annotations

import argparse

from postmeal.errors import InputError
from postmeal_serve.admin.session import open_session
from postmeal_serve.resources.erasure import erase_user, purge_test_identities
from postmeal_serve.resources.erasure_receipts import was_erased
from postmeal_serve.storage.secure_erase import rewrite

__all__ = ["erase_end_user", "erase_test_users"]


def erase_end_user(options: argparse.Namespace) -> None:
    """Erase a user."""
    user_id = options.end_user_id
    with open_session() as session:
        with session.database.writing() as connection:
            partner = session.partner(connection, options.partner)
            pepper = session.settings.pepper
            found = erase_user(
                connection, partner.id, user_id, session.now, "admin", pepper, session.steady
            )
            is_known = bool(found) or was_erased(connection, partner.id, user_id, pepper)
        rewrite(session.database)
    if not is_known:
        problem = (
            f"is unknown to the partner {partner.name!r}; it must be the ID of an end user about"
            " whom data is stored or who has been erased"
        )
        raise InputError("end_user_id", problem, user_id)
    print(
        "all data of the end user deleted; the audit trail has an erasure receipt"
        if found
        else "nothing to delete: this end user has already been erased"
    )


def erase_test_users(options: argparse.Namespace) -> None:
    """Erase all users whose IDs start with ``test-``."""
    with open_session() as session:
        with session.database.writing() as connection:
            partner = session.partner(connection, options.partner).id if options.partner else None
            pepper = session.settings.pepper
            by = ("admin", pepper, session.steady)
            number = purge_test_identities(connection, partner, session.now, *by)
        rewrite(session.database)
    print(f"data of {number} test end users deleted")

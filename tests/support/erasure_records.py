"""The people whose personal data is stored, found in all tables."""

from sqlalchemy import select

from postmeal_serve.resources.erasure import PERSONAL
from postmeal_serve.storage.database import Database

PROFILE = {"age": 45.0, "sex": "female", "height_in": 66.0, "weight_lb": 150.0}


def everyone(database: Database) -> set[tuple[int, str]]:
    """Return the partner and the ID of every person whose data is stored."""
    found = set()
    with database.reading() as connection:
        for column in PERSONAL:
            rows = connection.execute(select(column.table.c.organization_id, column))
            found |= {(owner, name) for owner, name in rows if name is not None}
    return found

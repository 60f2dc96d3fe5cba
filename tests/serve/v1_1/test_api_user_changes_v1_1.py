"""Version 1.1: changes of one user at the same moment."""

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from api_client import Api
from sqlalchemy import select, text

from postmeal_serve.storage.database import Database
from postmeal_serve.storage.tables import end_user

USER = "/v1.1/user"
REQUIRED = {"age": 45, "gender": "female", "height": 66, "weight": 150}
CHANGES = (
    {"activityLevel": "very_active"},
    {"healthConditions": ["Type 2 diabetes"]},
)


def both_wait(database: Database) -> bool:
    """Whether two statements wait for a lock; SQLite's writers queue before they begin."""
    if database.is_sqlite:
        return True
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    with database.reading() as connection:
        found = connection.execute(text(f"{waiting} AND wait_event_type = 'Lock'"))
        return bool(found.scalar_one() >= 2)


def test_of_changes_at_the_same_moment_none_is_lost(tmp_path, database_url):
    """Each sets one optional field and omits the other's, in two processes; both are kept."""
    settings = {"database": database_url}
    with Api(tmp_path, **settings) as here, Api(tmp_path, **settings) as there:
        user = {"x-partner-user-id": here.register()}

        def change(api: Api, more: dict) -> int:
            body = {"profile": REQUIRED | more}
            headers = here.headers(USER) | user
            return api.client.patch(USER, json=body, headers=headers).status_code

        calls = ((here, CHANGES[0]), (there, CHANGES[1]))
        with ThreadPoolExecutor(2) as callers:
            with here.service.database.writing() as connection:  # both have to wait here
                connection.execute(select(end_user).with_for_update()).all()
                answers = [callers.submit(change, *one) for one in calls]
                for waited in count():
                    if both_wait(there.service.database) or waited > 600:
                        break
                    time.sleep(0.05)
            assert [answer.result() for answer in answers] == [200, 200]
        told = here.get(USER, user).json()["profile"]
    assert told["activity_level"] == "very_active"
    assert told["medical_conditions"] == ["Type 2 diabetes"]

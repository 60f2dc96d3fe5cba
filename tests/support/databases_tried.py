"""The databases of long tests whose subject is another: one of them, and both in `make soak`."""

import pytest

ON_SQLITE, ON_POSTGRESQL = (
    pytest.mark.parametrize(
        "database_url", [first, pytest.param(other, marks=pytest.mark.soak)], indirect=True
    )
    for first, other in (("sqlite", "postgresql"), ("postgresql", "sqlite"))
)

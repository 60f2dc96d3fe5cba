"""A pytest plugin that leaves most cases of long tests to `make reliability`.

Of the parametrized cases of a test with the mark `sampled`, the usual run takes every fifth, and
`make reliability` the others. A test with the mark `sampled(cases=5000)` has an argument `cases`,
which is 1000 in the usual run and 5000 in `make reliability`.
"""

import pytest

USUAL_SHARE = 5
"""The usual run takes one of this many cases."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test its number of cases."""
    mark = metafunc.definition.get_closest_marker("sampled")
    if mark and "cases" in mark.kwargs:
        number = mark.kwargs["cases"]
        every = pytest.param(number, marks=pytest.mark.reliability)
        metafunc.parametrize("cases", [number // USUAL_SHARE, every])


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the cases that the usual run leaves out, before tests are deselected."""
    seen: dict[object, int] = {}
    for item in items:
        mark = item.get_closest_marker("sampled")
        if not mark or mark.kwargs:
            continue
        function = item.nodeid.partition("[")[0]
        seen[function] = number = seen.get(function, -1) + 1
        if number % USUAL_SHARE:
            item.add_marker(pytest.mark.reliability)

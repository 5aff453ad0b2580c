"""Options of the test run, and stores of either engine."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from bot.store.store import Store
from tests.stores import FILE, POSTGRESQL, addressed

# Speed is the bench's business: a busy machine must not fail a property. CI repeats the same examples every time, so
# that a change is judged by what it changes; elsewhere new examples are tried.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew")


@pytest.fixture(params=[FILE, POSTGRESQL])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store may be opened, on either engine; nobody has written there."""
    with addressed(request.param, tmp_path) as found:
        yield found


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    """A store on either engine."""
    with Store.open(address) as found:
        yield found

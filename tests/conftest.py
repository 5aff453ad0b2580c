"""Options of the test run."""

import os

import pytest
from hypothesis import settings

# Speed is the bench's business: a busy machine must not fail a property. CI repeats the same examples every time, so
# that a change is judged by what it changes; elsewhere new examples are tried.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew")

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.analysis.bumps import Bump, bump_of


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Update to tensors 2.11", Bump("tensors", "", "2.11")),
        ("[Build] Bump Solver to v0.6.1", Bump("Solver", "", "v0.6.1")),
        ("Upgrade readers-4.57.5", Bump("readers", "", "4.57.5")),
        ("Pin wire-tools==1.78.0", Bump("wire-tools", "", "1.78.0")),
        ("chore(deps): bump asn from 0.6.2 to 0.6.3", Bump("asn", "0.6.2", "0.6.3")),
        ("Relax client version pin from ==0.71.0 to >=0.71.0", Bump("client", "0.71.0", "0.71.0")),
        ("Revert kernels version to v0.1.10.post3", Bump("kernels", "", "v0.1.10.post3")),
        ("Bump serving-standards to >= 0.1.14", Bump("serving-standards", "", "0.1.14")),
        ("Upgrade `drivers` to `9.0.1`", Bump("drivers", "", "9.0.1")),
        ("Upgrade drivers(9.1.0), and compilers(3.2.2)", Bump("drivers", "", "9.1.0")),
        ("Cherry-pick a fix and update Kernels", Bump("Kernels")),
        ("Upgrade grammar to get a security fix", Bump("grammar")),
    ],
)
def test_titles_that_move_a_dependency(title: str, expected: Bump) -> None:
    assert bump_of(title) == expected


@pytest.mark.parametrize(
    "title",
    [
        "chore: bump version to 4.13.2",
        "chore(deps): bump the python-packages group with 27 updates",
        "Update dependencies",
        "Bump up to the latest kernels",
        "Update to the latest version",
        "Keep 2.11 working",
        "",
    ],
)
def test_titles_that_name_none(title: str) -> None:
    assert bump_of(title) is None


@given(st.text())
def test_any_title(title: str) -> None:
    bump = bump_of(title)
    assert bump is None or all(part in title for part in (bump.name, bump.old, bump.new))

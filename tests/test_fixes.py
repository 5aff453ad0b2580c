"""What counts as a fix."""

import pytest

from bot.analysis import rules
from bot.analysis.features import features_of
from bot.analysis.fixes import is_fix
from tests.factories import make_pr


def fix(title: str, path: str = "engine/core.py") -> bool:
    return is_fix(features_of(make_pr(title=title, files={path: (9, 3)}), rules.load()), rules.load())


@pytest.mark.parametrize(
    "title",
    [
        "[Bugfix] Keep the last block",
        "fix(parser): accept empty lists",
        "[CI][AMD][BugFix] Cast the index to avoid an illegal memory access",
        "Prevent a deadlock between writers",
        "修复连接池泄漏",
    ],
)
def test_titles_that_mend_source(title: str) -> None:
    assert fix(title)


@pytest.mark.parametrize(
    "title",
    [
        "Add a parser",
        "Avoid an extra copy in the writer",
        "[Test] Fix flaky scheduler test",
        "[BugFix][CI] Fix the nightly CI",
        "[Doc] Fix a typo in comments",
        'Revert "[Bugfix] Keep the last block"',
        "fix(deps): bump the driver from 1.2 to 1.3",
    ],
)
def test_titles_that_do_not(title: str) -> None:
    assert not fix(title)


def test_a_fix_changes_product_source() -> None:
    assert not fix("[Bugfix] Keep the last block", "tests/test_core.py")
    assert not fix("[Bugfix] Keep the last block", ".github/workflows/ci.yml")

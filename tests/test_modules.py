"""Modules are learned from the directories that the work goes through."""

from hypothesis import given
from hypothesis import strategies as st

from bot.analysis import rules
from bot.analysis.features import Features, features_of
from bot.analysis.modules import folders, learned, touches
from tests.factories import make_pr


def touching(*paths: str) -> Features:
    return features_of(make_pr(files=dict.fromkeys(paths, (10, 0))), rules.load())


def work() -> list[Features]:
    """A hundred changes: sixty in the engine, most of them in its loop, and ten in each of four small packages."""
    engine = [touching("app/engine/loop/run.py")] * 40 + [touching("app/engine/plan.py")] * 20
    return engine + [touching(f"app/{name}/main.py") for name in ("api", "cli", "web", "db") for _ in range(10)]


def test_a_busy_directory_is_split_and_a_quiet_one_is_a_module() -> None:
    modules = learned(touches(work()))
    assert modules.of("app/api/main.py") == "app/api/"
    assert modules.of("app/api/v2/users.py") == "app/api/"
    assert {"app/", "app/engine/", "app/engine/loop/"} <= modules.split


def test_a_file_right_in_a_split_directory_belongs_to_it() -> None:
    modules = learned(touches(work()))
    assert modules.of("app/engine/plan.py") == "app/engine/"
    assert modules.of("setup.py") == ""


def test_a_new_directory_is_a_module_below_the_split_one() -> None:
    assert learned(touches(work())).of("app/engine/cache/deep/store.py") == "app/engine/cache/"


def test_few_changes_split_nothing() -> None:
    modules = learned(touches([touching("app/api/main.py")] * 12))
    assert modules.split == {""}
    assert modules.of("app/api/main.py") == "app/"


def test_no_history_leaves_the_top_directories() -> None:
    assert learned({}).of("app/api/main.py") == "app/"


def test_a_pull_request_counts_once_for_each_folder() -> None:
    counts = touches([touching("app/api/a.py", "app/api/b.py", "app/cli/c.py"), touching("docs/readme.md")])
    assert counts == {"": 1, "app/": 1, "app/api/": 1, "app/cli/": 1}


def test_the_modules_of_a_change_are_those_of_its_source() -> None:
    changed = touching("app/api/a.py", "app/engine/loop/run.py", "tests/test_a.py")
    assert learned(touches(work())).of_source(changed) == {"app/api/", "app/engine/loop/"}


MODULES = learned(touches(work()))


@given(st.lists(st.text(max_size=8), max_size=6))
def test_every_path_has_a_module_that_holds_it(parts: list[str]) -> None:
    path = "/".join(parts)
    module = MODULES.of(path)
    assert path.startswith(module)
    assert module in folders(path)

"""Risks: rules that are data, each with what it saw; teams may lay their own over them."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.analysis import rules
from bot.analysis.features import features_of
from bot.analysis.past import Past
from bot.analysis.risks import risks_of
from bot.models import PullRequest, Risk
from tests.factories import WEDNESDAY, make_pr


def trailing() -> list[PullRequest]:
    """A past in which engine/core.py is changed every day and the rest now and then."""
    return [
        make_pr(
            1_000 + day,
            f"Work {day}",
            merged_at=WEDNESDAY - timedelta(days=day),
            files={"engine/core.py": (20, 5), f"engine/side{day}.py": (10 + day % 40, 2)},
        )
        for day in range(10, 90)
    ]


def found(one: PullRequest, override: Path | None = None) -> dict[str, Risk]:
    loaded = rules.load(override)
    past = Past([features_of(each, loaded) for each in trailing()])
    return {risk.category: risk for risk in risks_of(features_of(one, loaded), past, loaded)}


def test_a_change_to_the_most_changed_file_is_a_core_change() -> None:
    risk = found(make_pr(files={"engine/core.py": (60, 10)}))["核心路径变更"]
    assert risk.values["core_churn"] == 70
    assert risk.values["path"] == "engine/core.py"


def test_a_few_lines_there_or_many_elsewhere_are_not() -> None:
    assert "核心路径变更" not in found(make_pr(files={"engine/core.py": (3, 1)}))
    assert "核心路径变更" not in found(make_pr(files={"engine/other.py": (600, 10)}))


def test_much_source_in_often_changed_files_without_tests() -> None:
    large = {"engine/core.py": (200, 50)}
    assert "缺少测试覆盖" in found(make_pr(files=large))
    assert "缺少测试覆盖" not in found(make_pr(files=large | {"tests/test_core.py": (1, 0)}))
    assert "缺少测试覆盖" not in found(make_pr(title='Revert "Rework"', files=large))
    assert "缺少测试覆盖" not in found(make_pr(files={"engine/brand_new.py": (200, 50)}))


def test_a_dependency_needs_its_manifest_and_its_words() -> None:
    assert "外部依赖" in found(make_pr(title="Bump numpy to 2.1", files={"pyproject.toml": (1, 1)}))
    assert "外部依赖" not in found(make_pr(title="Bump numpy to 2.1", files={"engine/core.py": (1, 1)}))
    assert "外部依赖" not in found(
        make_pr(title="Rework", files={"pyproject.toml": (1, 1), "engine/a.py": (9, 9), "engine/b.py": (9, 9)})
    )


@pytest.mark.parametrize("title", ["Enable chunking by default", "Change the default port", "Rename the --port flag"])
def test_changed_configuration(title: str) -> None:
    assert "配置变更" in found(make_pr(title=title))


@pytest.mark.parametrize("title", ["Use a defaultdict", "Fix non-default ports", "[CI] Enable caching by default"])
def test_words_that_only_look_like_it(title: str) -> None:
    files = {".github/workflows/a.yml": (5, 5)} if "[CI]" in title else {"engine/core.py": (9, 1)}
    assert "配置变更" not in found(make_pr(title=title, files=files))


def test_a_team_adds_and_drops_categories(tmp_path: Path) -> None:
    override = tmp_path / "rules.yaml"
    override.write_text(
        "risks:\n  risks:\n    核心路径变更:\n    计费:\n      - {rule: billing, when: {paths: ['(^|/)billing/']}}\n",
        encoding="utf-8",
    )
    risks = found(make_pr(files={"engine/core.py": (60, 10), "engine/billing/a.py": (1, 0)}), override)
    assert "核心路径变更" not in risks
    assert risks["计费"].values == {"paths": ("engine/billing/a.py",)}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("riscs: {}", "expected a mapping with the sections"),
        ("- 1", "expected a mapping with the sections"),
        ("tags: {tags: {x: {title: ['(']}}}", "is not a regular expression"),
        ("risks: {risks: {x: [{rule: y}]}}", "has not the expected form"),
        ("a: [", "cannot read the rules file"),
    ],
)
def test_a_rules_file_that_cannot_be_used_is_one_clear_line(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "rules.yaml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(rules.RulesError, match=said) as raised:
        rules.load(path)
    assert "\n" not in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_version_of_the_project_itself_is_no_dependency() -> None:
    manifest = {"pyproject.toml": (1, 1)}
    assert "外部依赖" not in found(make_pr(title="chore: bump version to 4.2.0", files=manifest))
    assert "外部依赖" in found(make_pr(title="[release 2.11] Update to numpy 2.11", files=manifest))

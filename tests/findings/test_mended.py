from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.analysis.findings import mended
from bot.models import DiffFact, Finding, PullRequest, Urgency
from tests.factories import WEDNESDAY, make_evidence, make_file, make_pr
from tests.findings.sentences import sentence

BINDING = "engine/binding.py"
MERGED = WEDNESDAY + timedelta(minutes=1)


def thing(title: str = "[Feature] Socket binding for workers", **changes: Any) -> PullRequest:
    return make_pr(1, title, **({"files": {BINDING: (317, 0), "engine/core.py": (13, 1)}} | changes))


def fix(
    number: int = 2, title: str = "Fix socket binding on small machines", hours: int = 15, **changes: Any
) -> PullRequest:
    defaults = {"files": {BINDING: (23, 1)}, "merged_at": MERGED + timedelta(hours=hours)}
    return make_pr(number, title, **(defaults | changes))


def found(*pull_requests: PullRequest, **changes: Any) -> list[tuple[Finding, str]]:
    evidence = make_evidence(*pull_requests, **changes)
    return [(finding, sentence(finding, evidence.week)) for finding in mended.detect(evidence)]


def test_a_fix_in_the_same_file_about_the_same_thing() -> None:
    [(finding, text)] = found(thing(), fix())
    assert (finding.pull_requests, finding.urgency) == ((1, 2), Urgency.KNOW)
    told = "#1「Socket binding for workers」合入 15 小时后，#2「Fix socket binding on small machines」随后修复"
    assert text == f"{told}（同改 {BINDING}）"


def test_opening_dates_are_told_where_they_are_known() -> None:
    [(_, text)] = found(thing(), fix(created_at=MERGED + timedelta(hours=1)))
    assert "（在它合入之后才开）修复" in text


def test_what_was_opened_before_is_no_fix_of_it() -> None:
    assert not found(thing(), fix(created_at=MERGED - timedelta(hours=1)))


def test_what_was_merged_before_is_no_fix_of_it() -> None:
    assert not found(thing(), fix(hours=-20))


def test_a_serious_fault_of_it_asks_to_act() -> None:
    [(finding, _)] = found(thing(), fix(title="Fix a hang of socket binding"))
    assert finding.urgency is Urgency.ACT


def test_something_of_the_days_before() -> None:
    before = thing(merged_at=WEDNESDAY - timedelta(days=6))
    [(finding, text)] = found(fix(), history=[before])
    assert finding.pull_requests == (1, 2)
    assert "合入 6 天后" in text
    assert not found(fix(), history=[replace(before, merged_at=WEDNESDAY - timedelta(days=20))])


def test_several_fixes_are_one_finding() -> None:
    [(finding, text)] = found(thing(), fix(), fix(3, "Fix socket binding of forked workers", hours=40))
    assert finding.pull_requests == (1, 2, 3)
    assert text.endswith("，还有 #3")


def test_a_fix_that_names_it_needs_no_common_file() -> None:
    elsewhere = {"engine/loader.py": (9, 1)}
    assert found(thing(), fix(title="Fix imports on old systems broken by #1", files=elsewhere))
    assert found(
        thing(), fix(title="Fix imports on old systems", files=elsewhere, body="A regression introduced in #1.")
    )
    assert not found(thing(), fix(title="Fix imports on old systems", files=elsewhere, body="Found while testing #1."))


def test_a_common_file_alone_is_not_enough() -> None:
    assert not found(thing(), fix(title="Fix the order of shutdown"))


def test_common_words_alone_are_not_enough() -> None:
    assert not found(thing(), fix(files={"engine/other.py": (9, 1)}))
    mostly_elsewhere = {BINDING: (1, 1), "engine/a.py": (9, 9), "engine/b.py": (9, 9)}
    assert not found(thing(), fix(files=mostly_elsewhere))


def test_words_that_every_title_uses_tell_nothing() -> None:
    usual = [make_pr(100 + number, f"Tune socket binding step {number}", files={}) for number in range(20)]
    assert not found(thing(), fix(), history=[replace(one, merged_at=WEDNESDAY - timedelta(days=30)) for one in usual])


def test_one_telling_word_does_where_the_thing_brought_the_file() -> None:
    one_word = fix(title="Fix socket order on small machines")
    assert not found(thing(), one_word)
    assert found(thing(files=(make_file(BINDING, 317, 0, status="added"),)), one_word)


def test_one_telling_word_does_where_the_fix_took_its_lines_out() -> None:
    taken = DiffFact(2, "undone", BINDING, "", old="bind(socket)", lines=4, other=1)
    assert found(thing(), fix(title="Fix socket order on small machines"), diff_facts=(taken,), diffs_read=True)


def test_a_fix_goes_with_the_thing_that_fits_best() -> None:
    other = make_pr(3, "[Feature] Socket statistics", files={BINDING: (60, 2)})
    [(finding, _)] = found(thing(), other, fix())
    assert finding.pull_requests == (1, 2)


def test_fixes_and_small_touches_are_nothing_new() -> None:
    assert not found(thing("[Bugfix] Fix socket binding for workers"), fix())
    assert not found(thing(files={BINDING: (9, 2)}), fix())
    assert not found(thing("[Refactor] Split socket binding for workers"), fix())


def test_what_was_taken_back_needs_no_mending() -> None:
    assert not found(thing(), fix(), make_pr(5, 'Revert "[Feature] Socket binding for workers"'))


def test_two_words_do_only_where_a_fair_part_of_the_thing_is() -> None:
    wide = {"engine/core.py": (300, 0), BINDING: (9, 0)}
    assert not found(thing(files=wide), fix())
    assert found(thing(files=wide | {BINDING: (90, 0)}), fix())


def test_what_concerns_one_platform_is_not_mended_elsewhere() -> None:
    one_word, on_platform = fix(title="[Binder] Fix order on small machines"), "[XPU][Binder] Initial support"
    assert not found(thing(on_platform), one_word)
    assert found(thing("[Binder] Initial support"), one_word)

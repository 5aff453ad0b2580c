"""The local page over its real server: who is served, what is taken, what a stranger's text does, what failures say."""

from __future__ import annotations

import logging
import re
import socket
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Event
from urllib.parse import urlencode

import pytest

from bot.local_page import LocalPage, suggestions
from bot.platforms.local.receive import USER
from bot.platforms.local.render import LONGEST
from bot.ports import ChatPlatform, Incoming, Place, Reply
from tests.page import GENERAL, OTHER, digest_root, post_digest, pull, running_page, text
from tests.page_client import Stream, answered, ask, elements, origin_of, port_of, position, say
from tests.test_rendering import HOSTILE, STARTS

NOTICED = 0.1  # seconds after which an open page has been told that something is going on
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalPage]:
    with running_page(tmp_path_factory.mktemp("page")) as page:
        post_digest(page)
        yield page


def messages(page: LocalPage, channel: str = "general") -> int:
    return sum("data-message" in found for _, found in elements(ask(page, f"/?channel={channel}").body).found)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/?thread=1", 200),
        ("/static/page.css", 200),
        ("/nothing", 404),
        ("/?thread=99", 404),
        ("/messages", 405),
    ],
)
def test_every_answer_carries_the_policy(page: LocalPage, path: str, status: int) -> None:
    answer = ask(page, path)
    assert answer.status == status
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "server" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


def test_the_page_needs_no_inline_code_and_nothing_from_elsewhere(page: LocalPage) -> None:
    found = elements(ask(page).body).found
    for tag, given in found:
        assert tag != "style"
        assert not [name for name in given if name == "style" or name.startswith("on")]
        assert tag != "script" or given["src"].startswith("/static/")
        for name in {"src", "href", "action"} & set(given):
            assert given[name].startswith(("/", "#", "https://github.com/acme/engine/pull/"))
    ids = [given["id"] for _, given in found if "id" in given]
    assert len(ids) == len(set(ids))
    referred = {
        given[name] for _, given in found for name in ("aria-controls", "aria-labelledby", "for") if name in given
    }
    assert referred <= set(ids)


def test_the_script_has_no_wording(page: LocalPage) -> None:
    script = ask(page, "/static/page.js").body
    assert not re.search("[\u4e00-\u9fff]", script)
    assert len(script.splitlines()) < 300


def test_static_files_are_kept_for_ever_under_an_address_of_their_content(page: LocalPage) -> None:
    for tag, name in (("script", "src"), ("link", "href")):
        for address in [given[name] for found, given in elements(ask(page).body).found if found == tag]:
            assert re.fullmatch(r"/static/[a-z.]+\?v=[0-9a-f]{12}", address)
            answer = ask(page, address)
            assert answer.status == 200
            assert "immutable" in answer.headers["cache-control"]
    assert ask(page, "/static/..%2f..%2fsettings.py").status == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1", 200),
        ("localhost:9", 200),
        ("[::1]:8081", 200),
        ("127.8.8.8", 200),
        ("LOCALHOST", 200),
        ("attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("localhost.attacker.example:80", 421),
        ("192.0.2.7", 421),
        ("", 421),
        ("[", 421),
    ],
)
def test_only_names_of_this_machine_are_served(page: LocalPage, host: str, status: int) -> None:
    for path in ("/", "/events?channel=nowhere", "/static/page.js"):
        found = 404 if "nowhere" in path else 200  # an open stream would not end
        assert ask(page, path, Host=host).status == (found if status == 200 else status)


@pytest.mark.parametrize(("host", "served"), [("192.0.2.7:80", True), ("[2001:db8::1]", True), ("name.example", False)])
def test_a_page_that_listens_everywhere_is_served_by_address_only(tmp_path: Path, host: str, served: bool) -> None:
    with running_page(tmp_path, host="0.0.0.0") as page:  # noqa: S104 - the point
        assert page.url == f"http://127.0.0.1:{port_of(page)}/"
        assert ask(page, Host=host).status == (200 if served else 421)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://attacker.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
        {"Origin": "null", "Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Origin": "http://127.0.0.1:1", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_other_sites_cannot_post(page: LocalPage, headers: dict[str, str]) -> None:
    before = messages(page)
    body = urlencode({"channel": "general", "text": "/digest top"}).encode()
    assert ask(page, "/messages", "POST", body, **headers).status == 403
    assert messages(page) == before


def test_a_form_without_the_script_is_led_to_its_thread(page: LocalPage) -> None:
    body = urlencode({"channel": "general", "thread": "", "text": "一行\r\n两行"}).encode()
    answer = ask(page, "/messages", "POST", body, Origin="null", Sec_Fetch_Site="same-origin")
    assert answer.status == 303
    thread = answer.headers["location"].removeprefix("/?thread=")
    assert '<p class="typed">一行<br>两行</p>' in answered(page, int(thread))


def test_what_is_typed_in_the_channel_is_answered_in_its_own_thread(tmp_path: Path) -> None:
    heard: list[Incoming] = []

    def respond(incoming: Incoming) -> Reply:
        heard.append(incoming)
        return Reply(text("答", pull(7)))

    with running_page(tmp_path, respond) as page:
        root = int(post_digest(page))
        asked = say(page, " /digest risks ").json
        answered(page, asked["id"])
        followed = say(page, "那 #7 呢？", asked["id"]).json
        answered(page, asked["id"], 4)
        in_digest = say(page, "risks", root).json
        answered(page, root, 7)
        assert followed["thread"] == asked["thread"] == asked["id"]
        assert in_digest["thread"] == root
        assert heard == [
            Incoming("local", "general", USER, "/digest risks", None),
            Incoming("local", "general", USER, "那 #7 呢？", str(asked["id"])),
            Incoming("local", "general", USER, "risks", str(root)),
        ]
        assert messages(page, "C%202%26x") == 0


def test_an_answer_that_belongs_to_a_digest_stands_there_with_a_line_where_it_was_asked(tmp_path: Path) -> None:
    places: list[Place] = []
    with running_page(tmp_path, lambda _: Reply(text("答", pull(7)), place=places[0])) as page:
        root = int(post_digest(page))
        places.append(Place(str(root), str(root)))
        thread = say(page, "那 #7 呢？").json["thread"]
        there = answered(page, root, 6)
        assert "频道里的提问" in there
        assert f"thread={thread}" in there
        here = answered(page, thread)
        assert "已在周报的话题里回答" in here
        assert f"thread={root}" in here


def test_silence_is_silence(tmp_path: Path) -> None:
    def respond(_incoming: Incoming) -> None:
        time.sleep(NOTICED)

    with running_page(tmp_path, respond) as page, Stream(page, position(page)) as stream:
        thread = say(page, "收到").json["thread"]
        names = [event.name for event in stream.until_idle()]
        assert names.count("entry") == 1
        assert ask(page, f"/?thread={thread}").body.count("收到") == 2  # in the channel and as the head of its thread


@pytest.mark.parametrize(
    ("form", "status", "says"),
    [
        ({"text": " \n\x00 "}, 422, "还没有写内容"),
        ({"text": "长" * (LONGEST + 1)}, 422, f"最多 {LONGEST} 个字，现在是 {LONGEST + 1} 个"),
        ({"text": "x" * 70_000}, 413, "太大了"),
        ({"channel": "nowhere", "text": "x"}, 404, "没有这个频道"),
        ({"thread": "99", "text": "x"}, 404, "没有这个话题"),
        ({"thread": "2", "text": "x"}, 404, "没有这个话题"),  # a reply, not a root
        ({"thread": "1; --", "text": "x"}, 404, "没有这个话题"),
        ({f"field{n}": "x" for n in range(9)}, 400, "没有看懂"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_the_reason(
    page: LocalPage, form: dict[str, str], status: int, says: str
) -> None:
    before = messages(page)
    headers = {"Origin": origin_of(page), "Accept": "application/json"}
    answer = ask(page, "/messages", "POST", urlencode(form).encode(), **headers)
    assert (answer.status, messages(page)) == (status, before)
    assert says in answer.json["problem"]
    shown = ask(page, "/messages", "POST", urlencode(form).encode(), Origin=origin_of(page))
    assert says in shown.body
    assert shown.headers["content-type"].startswith("text/html")


def test_who_goes_away_in_the_middle_is_no_failure(page: LocalPage, caplog: pytest.LogCaptureFixture) -> None:
    before = messages(page)
    with socket.create_connection(("127.0.0.1", port_of(page))) as client:
        head = "POST /messages HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Length: 99\r\n\r\n"
        client.sendall(f"{head}text=half".encode())
        time.sleep(NOTICED)
    time.sleep(NOTICED)
    assert messages(page) == before
    assert caplog.records == []


@pytest.mark.parametrize("body", [b"text=%ff%fe&channel=general", b"text=\xe4\xbd", b"\x00"])
def test_a_body_that_is_no_form_is_refused(page: LocalPage, body: bytes) -> None:
    assert ask(page, "/messages", "POST", body, Origin=origin_of(page)).status in {400, 422}


def test_the_longest_message_is_taken_whole(page: LocalPage) -> None:
    longest = "😀" * LONGEST
    thread = say(page, longest).json["thread"]
    assert longest in answered(page, thread)


def test_a_full_pool_says_so_and_keeps_nothing(tmp_path: Path) -> None:
    free = Event()

    def respond(_incoming: Incoming) -> Reply:
        free.wait(10)
        return Reply(text("好"))

    with running_page(tmp_path, respond, threads=1, waiting=1) as page:
        taken = [say(page, "一"), say(page, "二")]
        refused = say(page, "三")
        assert [one.status for one in (*taken, refused)] == [202, 202, 503]
        assert "现在排不上" in refused.json["problem"]
        assert "三" not in elements(ask(page, "/?thread=none").body).text
        free.set()
        answered(page, taken[1].json["thread"])
        assert say(page, "三").status == 202


def test_a_failure_is_one_apology_with_an_id_that_stands_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def respond(_incoming: Incoming) -> Reply:
        time.sleep(NOTICED)
        raise RuntimeError("the gears are stuck")

    with running_page(tmp_path, respond) as page, Stream(page, position(page)) as stream:
        thread = say(page, "坏").json["thread"]
        names = [event.name for event in stream.until_idle()]
        apology = answered(page, thread)
    shown = re.findall(r"<code>([0-9a-f]{8})</code>", apology)
    assert "<strong>出错了，这次没能回答</strong>" in apology
    assert names.count("entry") == 2
    assert len(shown) == 1
    records = [record for record in caplog.records if shown[0] in record.getMessage()]
    assert len(records) == 1
    assert records[0].levelno == logging.ERROR
    assert "the gears are stuck" in caplog.text


def test_an_answer_that_cannot_be_kept_is_not_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def respond(_incoming: Incoming) -> Reply:
        time.sleep(NOTICED)
        with closing(sqlite3.connect(tmp_path / "page.db")) as connection:
            connection.execute("ALTER TABLE messages RENAME TO gone")
            connection.commit()
        return Reply(text("好"))

    with running_page(tmp_path, respond) as page, Stream(page, position(page)) as stream:
        thread = say(page, "问").json["thread"]
        last = stream.until_idle()[-1]
        assert last.data == {"busy": [], "failed": [thread]}
        assert "no such table" in caplog.text
        broken = ask(page)
        failure = re.search(r"错误编号 ([0-9a-f]{8})", broken.body)
        assert broken.status == 500
        assert failure is not None
        assert f"failure {failure[1]}: GET /" in caplog.text
        assert broken.headers["content-security-policy"] == POLICY


def test_foreign_text_stays_text(tmp_path: Path) -> None:
    """Typed, or in what the bot says: the elements of the page are those of a page with harmless text."""

    def structure(page: LocalPage, thread: int) -> list[tuple[str, tuple[str, ...]]]:
        shown = elements(answered(page, thread)).found
        return [(tag, tuple(given)) for tag, given in shown if "data-message" not in given]

    with running_page(tmp_path) as page:
        harmless = structure(page, say(page, "x").json["thread"])
        hostile = [*HOSTILE, *STARTS, "<img src=x onerror=alert(1)>", "</li></ol><script>", "{{ 7 * 7 }}"]
        for one in hostile:
            typed = " ".join(one.split()) or "x"
            assert structure(page, say(page, typed).json["thread"]) == harmless


def test_names_of_channels_are_text_too(tmp_path: Path) -> None:
    with running_page(tmp_path) as page:
        html = ask(page, f"/?{urlencode({'channel': OTHER.id})}").body
        assert 'value="C 2&amp;x"' in html
        answer = say(page, "问", channel=OTHER.id)
        assert answer.status == 202
        assert ask(page, f"/?{urlencode({'channel': OTHER.id, 'thread': answer.json['thread']})}").status == 200
        assert ask(page, f"/?thread={answer.json['thread']}").status == 404


def test_the_first_byte_has_the_conversation(page: LocalPage) -> None:
    html = ask(page).body
    assert "acme/engine 周报 · 03-02～03-08" in html
    assert "调度器这周改了什么？" in html
    assert html.index('<aside id="thread"') < html.index("执行摘要")
    assert "data-explicit" not in html
    assert "data-explicit" in ask(page, "/?thread=1").body
    assert "执行摘要" not in ask(page, "/?thread=none").body
    assert min(_seconds(page) for _ in range(5)) < 0.1


def _seconds(page: LocalPage) -> float:
    begin = time.perf_counter()
    ask(page)
    return time.perf_counter() - begin


def test_earlier_messages_are_a_page_away(tmp_path: Path) -> None:
    with running_page(tmp_path) as page:
        for number in range(53):
            page.platform.post(GENERAL.id, text(f"message {number} of many"))
        latest = ask(page, "/?thread=none").body
        assert "message 3 of" in latest
        assert "message 2 of" not in latest
        older = next(given["href"] for _, given in elements(latest).found if "before=" in given.get("href", ""))
        earlier = ask(page, f"{older}&thread=none").body
        assert "message 2 of" in earlier
        assert "message 3 of" not in earlier
        assert "data-last" not in earlier


def test_a_restart_keeps_the_conversation(tmp_path: Path) -> None:
    with running_page(tmp_path) as page:
        thread = say(page, "还在吗").json["thread"]
        answered(page, thread)
    with running_page(tmp_path) as page:
        assert "还在吗" in answered(page, thread)
        assert say(page, "在", thread).status == 202


def test_the_bot_posts_only_where_there_is_a_place(page: LocalPage) -> None:
    platform: ChatPlatform = page.platform
    assert platform.name == "local"
    root = platform.post(OTHER.id, digest_root())
    with pytest.raises(LookupError, match="no channel nowhere"):
        platform.post("nowhere", digest_root())
    with pytest.raises(LookupError, match="has no thread"):
        platform.post(GENERAL.id, digest_root(), root)


def test_suggestions_are_those_of_the_table() -> None:
    found = suggestions(("top", "risks", "pr", "subscribe"), ("外部依赖",), "/report")
    assert [one.text for one in found] == ["/report top", "/report risks", "/report risks 外部依赖", "/report pr "]
    assert [one.complete for one in found] == [True, True, True, False]
    assert found[1].name == "风险"
    assert "risks 外部依赖" in found[2].keys
    assert found[2].deep

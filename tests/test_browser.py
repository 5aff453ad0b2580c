"""The local page in a real browser: everything a newcomer does, in more tabs than a browser has connections."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from bot.local_page import LocalPage
from bot.ports import Incoming, Reply, Respond
from tests.page import COMMANDS, echo, post_digest, running_page, text
from tests.page_client import port_of

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
FLAGS += ["--disable-sync", "--no-first-run"]
PHONE = {"width": 360, "height": 740}
DESKTOP = {"width": 1440, "height": 900}
TABS = 8  # a browser opens six connections to one server
SECONDS = 0.3  # from Enter to the visible answer

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs a browser: install Chromium as {CHROMIUM}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(tmp_path: Path) -> Iterator[LocalPage]:
    with running_page(tmp_path) as page:
        post_digest(page)
        yield page


@contextmanager
def context(browser: Browser, page: LocalPage, **options: Any) -> Iterator[BrowserContext]:
    """A visitor; at the end: nothing went wrong in the console, and no request went anywhere else."""
    wrong: list[str] = []
    hosts: set[str | None] = set()
    visitor = browser.new_context(locale="zh-CN", **{"viewport": DESKTOP} | options)
    visitor.set_default_timeout(5_000)
    visitor.on("console", lambda message: wrong.append(message.text) if message.type in {"error", "warning"} else None)
    visitor.on("weberror", lambda error: wrong.append(str(error.error)))
    visitor.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    visitor.on("dialog", lambda dialog: wrong.append(dialog.message))
    yield visitor
    visitor.close()
    assert wrong == []
    assert hosts == {f"127.0.0.1:{port_of(page)}"}


def visit(visitor: BrowserContext, page: LocalPage, path: str = "") -> Page:
    tab = visitor.new_page()
    tab.goto(f"{page.url}{path}")
    return tab


def ask(tab: Page, question: str, where: str = "channel") -> None:
    tab.locator(f"#composer-{where}").fill(question)
    tab.locator(f"#composer-{where}").press("Enter")


def answer(tab: Page, question: str) -> Any:
    return tab.locator("#replies .bot").filter(has_text=f"回答：{question}")


def test_the_digest_and_its_thread_are_there_at_once(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        expect(tab.get_by_role("heading", name="工程周报").first).to_be_visible()
        expect(tab.locator("#messages").get_by_text("acme/engine 周报 · 03-02～03-08")).to_be_visible()
        thread = tab.get_by_role("complementary", name="话题")
        expect(thread.get_by_role("heading", name="执行摘要")).to_be_attached()
        expect(thread.get_by_role("img", name="各周期合入的 PR")).to_be_visible()
        expect(thread.get_by_role("table", name="热点文件")).to_be_attached()
        expect(tab.get_by_text("直接写问题")).to_be_visible()
        link = tab.locator("#messages").get_by_role("link", name="#42").first
        expect(link).to_have_attribute("rel", "noopener noreferrer")


@pytest.mark.parametrize("way", ["typed", "completed"])
def test_every_command(browser: Browser, page: LocalPage, way: str) -> None:
    arguments = {"pr": "42", "score": "42", "since": "v1.4.0"}
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        box = tab.locator("#composer-channel")
        for place, name in enumerate(COMMANDS):
            command = f"/digest {name} {arguments.get(name, '')}".strip()
            if way == "typed":
                box.fill(command)
            else:
                box.press_sequentially("/")
                for _ in range(place):
                    box.press("ArrowDown")
                box.press("Enter" if place % 2 else "Tab")
                box.press_sequentially(arguments.get(name, ""))
                expect(box).to_have_value(command)
            box.press("Enter")
            expect(answer(tab, command)).to_be_visible()
        expect(tab.locator("#messages .person")).to_have_count(len(COMMANDS))


def test_completion_narrows_to_what_is_typed(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        box = tab.locator("#composer-channel")
        options = tab.locator("main [role=option]:visible")
        box.press_sequentially("/")
        expect(options).to_have_count(len(COMMANDS))
        box.fill("/风险 外")
        expect(options).to_have_count(1)
        box.press("Enter")
        expect(box).to_have_value("/digest risks 外部依赖")
        expect(options).to_have_count(0)
        box.fill("/digest r")
        box.press("Escape")
        expect(options).to_have_count(0)
        tab.get_by_role("button", name="选择命令").first.click()
        options.filter(has_text="/digest hot").click()
        expect(box).to_have_value("/digest hot")
        expect(box).to_be_focused()


def test_a_question_and_a_follow_up_in_its_thread(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        ask(tab, "调度器改了什么？")
        expect(answer(tab, "调度器改了什么？")).to_be_visible()
        expect(tab.locator("#composer-channel")).to_be_focused()
        ask(tab, "那缓存呢？", "thread")
        expect(answer(tab, "那缓存呢？")).to_be_visible()
        thread = tab.locator("#thread").get_attribute("data-thread")
        expect(answer(tab, "那缓存呢？")).to_contain_text(f"话题 {thread}")
        expect(tab.locator("#messages").get_by_role("link", name="3 条回复")).to_be_visible()
        assert tab.url.endswith(f"/?thread={thread}")


TIMED = """async (text) => {
  const box = document.querySelector("#composer-channel");
  const shown = () => document.querySelector("#replies")?.innerText.includes(`回答：${text}`);
  box.value = text;
  const start = performance.now();
  box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  while (!shown()) await new Promise((next) => setTimeout(next, 2));
  return performance.now() - start;
}"""


def test_an_answer_is_seen_at_once(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        assert min(tab.evaluate(TIMED, f"问题 {number}。") for number in range(5)) < SECONDS * 1000


def test_a_button_posts_its_command_into_the_digest_s_thread(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page, "?thread=none")
        expect(tab.locator("#thread")).to_be_hidden()
        tab.locator("#messages").get_by_role("button", name="风险").click()
        expect(answer(tab, "risks")).to_contain_text("话题 1")
        expect(tab.locator("#thread")).to_have_attribute("data-thread", "1")
        tab.get_by_role("navigation").get_by_role("button", name="重点").click()
        expect(answer(tab, "/digest top")).to_be_visible()
        tab.get_by_role("button", name="#42 风险大吗？").click()
        expect(answer(tab, "#42 风险大吗？")).to_be_visible()


def test_a_reader_further_up_is_told_of_a_new_reply_and_not_moved(browser: Browser, page: LocalPage) -> None:
    with context(browser, page, viewport={"width": 1440, "height": 500}) as visitor:
        tab = visit(visitor, page)
        scroll = tab.locator("#thread .scroll")
        expect(tab.locator("#messages")).to_be_visible()
        page.platform.post("general", text("来自别处"), "1")
        below = tab.get_by_role("button", name="有新回复")
        expect(below).to_be_visible()
        assert scroll.evaluate("scroll => scroll.scrollTop") == 0
        below.click()
        expect(tab.locator("#replies").get_by_text("来自别处")).to_be_in_viewport()
        expect(below).to_be_hidden()


def test_two_tabs_see_each_other_and_a_reload_keeps_all(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor, context(browser, page) as stranger:
        first, second, third = visit(visitor, page), visit(visitor, page), visit(stranger, page)
        ask(first, "一号")
        ask(second, "二号")
        for tab in (first, second, third):
            expect(tab.locator("#messages .person")).to_have_text([re.compile("一号"), re.compile("二号")])
            expect(tab.locator("#messages .person").get_by_role("link", name="1 条回复")).to_have_count(2)
        first.close()  # it may have held the stream for both
        ask(third, "三号")
        expect(second.locator("#messages .person")).to_have_count(3)
        second.reload()
        expect(second.locator("#messages .person")).to_have_count(3)
        expect(answer(second, "二号")).to_be_visible()


def test_more_tabs_than_connections(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tabs = [visit(visitor, page) for _ in range(TABS)]
        ask(tabs[-1], "都在吗")
        expect(answer(tabs[-1], "都在吗")).to_be_visible()
        for tab in tabs:
            expect(tab.locator("#messages").get_by_text("都在吗")).to_be_visible()


@contextmanager
def slow(folder: Path) -> Iterator[tuple[LocalPage, Event]]:
    """A page whose answers wait for the event."""
    free = Event()

    def respond(incoming: Incoming) -> Reply:
        free.wait(10)
        return echo(incoming)

    given: Respond = respond
    with running_page(folder, given, threads=1, waiting=0) as page:
        post_digest(page)
        try:
            yield page, free
        finally:
            free.set()


def test_every_tab_says_that_an_answer_takes_time(browser: Browser, tmp_path: Path) -> None:
    with slow(tmp_path) as (page, free), context(browser, page) as visitor:
        first, second = visit(visitor, page), visit(visitor, page)
        ask(first, "慢")
        expect(first.locator("#thread").get_by_text("正在查…")).to_be_visible()
        expect(second.locator("#messages").get_by_text("正在查…")).to_be_visible()
        expect(second.locator("#live[role=status]")).to_have_text("正在查…")
        third = visit(visitor, page)
        expect(third.locator("#messages").get_by_text("正在查…")).to_be_visible()
        free.set()
        expect(answer(first, "慢")).to_be_visible()
        for tab in (first, second, third):
            expect(tab.locator(".working:visible")).to_have_count(0)
        expect(second.locator("#live")).to_contain_text("PR 周报：回答：慢")


def test_what_is_refused_stays_in_the_composer(browser: Browser, tmp_path: Path) -> None:
    with slow(tmp_path) as (page, free):
        visitor = browser.new_context(viewport={"width": 1440, "height": 900})  # its console says 503, as it should
        tab = visit(visitor, page)
        ask(tab, "一")
        expect(tab.locator("#messages").get_by_text("正在查…")).to_be_visible()
        ask(tab, "二")
        expect(tab.locator("main").get_by_role("alert")).to_contain_text("现在排不上")
        expect(tab.locator("#composer-channel")).to_have_value("二")
        free.set()
        expect(answer(tab, "一")).to_be_visible()
        tab.locator("#composer-channel").press("Enter")
        expect(answer(tab, "二")).to_be_visible()
        expect(tab.locator("main").get_by_role("alert")).to_be_hidden()
        visitor.close()


def test_by_keyboard_alone(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        focused = tab.locator(":focus")
        tab.keyboard.press("Tab")
        expect(focused).to_have_text("跳到输入框")
        expect(focused).to_be_in_viewport()
        tab.keyboard.press("Enter")
        expect(tab.locator("#composer-channel")).to_be_focused()
        tab.keyboard.type("第一行")
        tab.keyboard.press("Shift+Enter")
        tab.keyboard.type("第二行")
        tab.keyboard.press("Enter")
        expect(answer(tab, "第一行")).to_be_visible()
        tab.keyboard.press("Escape")
        expect(tab.locator("#thread")).to_be_hidden()
        expect(focused).to_have_text("1 条回复")
        tab.keyboard.press("Enter")
        expect(tab.get_by_role("heading", name="话题")).to_be_focused()
        for _ in range(12):
            tab.keyboard.press("Tab")
            if focused.get_attribute("id") == "composer-thread":
                break
            width = focused.evaluate("element => getComputedStyle(element).outlineWidth")
            assert width == "2px"
        tab.keyboard.type("追问")
        tab.keyboard.press("Enter")
        expect(answer(tab, "追问")).to_be_visible()


def test_the_keys_of_an_input_method_do_not_send(browser: Browser, page: LocalPage) -> None:
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        box = tab.locator("#composer-channel")
        box.fill("ni hao")
        box.evaluate(
            "box => box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', isComposing: true, bubbles: true}))"
        )
        expect(box).to_have_value("ni hao")
        expect(tab.locator("#messages .person")).to_have_count(0)


def test_on_a_phone(browser: Browser, page: LocalPage) -> None:
    with context(browser, page, viewport=PHONE, is_mobile=True, has_touch=True) as visitor:
        tab = visit(visitor, page)

        def no_wider() -> None:
            assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
            wide = tab.evaluate(
                "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length"
            )
            assert wide == 0

        expect(tab.locator("#messages").get_by_text("acme/engine 周报")).to_be_visible()
        expect(tab.locator("#thread")).to_be_hidden()
        no_wider()
        tab.get_by_role("link", name="4 条回复").tap()
        expect(tab.get_by_role("heading", name="执行摘要")).to_be_visible()
        no_wider()
        for box in tab.locator("#thread").get_by_role("img").all():
            inside = box.bounding_box()
            assert inside is not None
            assert inside["x"] + inside["width"] <= PHONE["width"]
        tab.go_back()
        expect(tab.locator("#thread")).to_be_hidden()
        ask(tab, "手机上问")
        expect(answer(tab, "手机上问")).to_be_in_viewport()
        no_wider()
        tab.get_by_role("link", name="关闭话题").tap()
        expect(tab.locator("#thread")).to_be_hidden()


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_light_and_dark(browser: Browser, page: LocalPage, scheme: str, dark: bool) -> None:
    with context(browser, page, color_scheme=scheme) as visitor:
        tab = visit(visitor, page)
        ground, ink = tab.evaluate(
            "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )
        luminance = [sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in (ground, ink)]
        assert (luminance[0] < luminance[1]) == dark
        assert abs(luminance[0] - luminance[1]) > 500


def test_hostile_text_does_nothing(browser: Browser, page: LocalPage) -> None:
    hostile = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'><a href=javascript:alert(3)>x</a>{{7*7}}"
    with context(browser, page) as visitor:
        tab = visit(visitor, page)
        page.platform.post("general", text(hostile), "1")
        ask(tab, hostile)
        expect(answer(tab, hostile)).to_be_visible()
        expect(tab.locator("#messages .person .content")).to_have_text(hostile)
        assert tab.locator("img, .content script, a[href^=javascript]").count() == 0
        tab.reload()
        expect(tab.locator("#messages .person .content")).to_have_text(hostile)


def test_a_restart_of_the_server_is_survived(browser: Browser, tmp_path: Path) -> None:
    visitor = browser.new_context()  # its console tells of the lost connection, as it should
    with running_page(tmp_path) as page:
        tab = visit(visitor, page)
        ask(tab, "之前")
        expect(answer(tab, "之前")).to_be_visible()
        port = port_of(page)
    expect(tab.get_by_text("连接断开")).to_be_visible()
    ask(tab, "没人")
    expect(tab.locator("main").get_by_role("alert")).to_contain_text("没有发出去")
    expect(tab.locator("#composer-channel")).to_have_value("没人")
    with running_page(tmp_path, port=port) as page:
        expect(tab.get_by_text("连接断开")).to_be_hidden(timeout=8_000)
        expect(tab.locator("#composer-channel")).to_have_value("没人")
        tab.locator("#composer-channel").press("Enter")
        expect(answer(tab, "没人")).to_be_visible()
        expect(tab.locator("#messages .person")).to_have_count(2)
    visitor.close()


def test_without_the_script_it_can_be_read_and_written_to(browser: Browser, page: LocalPage) -> None:
    with context(browser, page, java_script_enabled=False) as visitor:
        tab = visit(visitor, page)
        expect(tab.get_by_role("heading", name="执行摘要")).to_be_attached()
        tab.locator("#composer-channel").fill("没有脚本")
        tab.locator("main").get_by_role("button", name="发送").click()
        assert "/?thread=" in tab.url
        for _ in range(20):
            if answer(tab, "没有脚本").count():
                break
            tab.reload()
        expect(answer(tab, "没有脚本")).to_be_visible()
        tab.get_by_role("link", name="关闭话题").click()
        expect(tab.locator("#thread")).to_be_hidden()

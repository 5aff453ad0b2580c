// The page: sends what is typed, shows what is said while it is open, completes commands. Every word it shows comes from
// the server. An `entry` is {id, thread, root, day, divider, html, replies, announcement}; see render.py.
"use strict";
(() => {
  const { channel, run, last: loaded, busy: busyText, failed: failedText } = document.body.dataset;
  const find = (selector, inside = document) => inside.querySelector(selector);
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const panel = () => find("#thread");
  const narrow = matchMedia("(width < 46rem)");
  const made = (html) => {
    const template = document.createElement("template");
    template.innerHTML = html; // written by our templates, which escape whatever is inserted
    return template.content.firstElementChild;
  };

  // What is said

  let last = Number(loaded); // everything up to this id is on the page
  let status = { busy: [], failed: [] };
  const recent = []; // entries that may be missing in a thread that is just being fetched
  const mine = new Set(); // threads in which this tab waits for an answer

  function add(list, entry) {
    if (!list || find(`[data-message="${entry.id}"]`, list)) return null;
    const before = list.lastElementChild?.dataset.day ?? (list.id === "replies" ? find("#thread .entry").dataset.day : null);
    if (before !== entry.day) list.append(made(entry.divider));
    const item = made(entry.html);
    item.classList.add("new");
    list.append(item);
    return item;
  }

  function show(entry) {
    const item = entry.thread === null && add(find("#messages"), entry);
    if (item && mine.has(entry.id)) item.scrollIntoView({ block: "nearest" });
    for (const line of all(`[data-replies="${entry.root}"]`)) line.replaceWith(made(entry.replies));
    if (String(entry.thread) === panel().dataset.thread) showReply(entry);
    mark();
  }

  const atEnd = (scroll) => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 80;

  function showReply(entry) {
    const scroll = find("#thread .scroll");
    const follow = atEnd(scroll) || mine.has(entry.thread);
    const item = add(find("#replies"), entry);
    if (!item) return;
    if (follow) item.scrollIntoView({ block: item.offsetHeight > scroll.clientHeight ? "start" : "nearest" });
    else find("[data-below]").hidden = false;
  }

  function take(entry) {
    if (entry.id <= last) return;
    last = entry.id;
    recent.push(entry);
    if (recent.length > 50) recent.shift();
    show(entry);
    find("#live").textContent = entry.announcement;
  }

  // An answer that comes at once needs no status, and a screen reader should not hear of one.
  let later = 0;
  function takeStatus(latest) {
    const begun = latest.busy.some((thread) => !status.busy.includes(thread));
    status = latest;
    clearTimeout(later);
    if (begun) later = setTimeout(() => { mark(); if (status.busy.length) find("#live").textContent = busyText; }, 150);
    else mark();
    const failed = latest.failed.some((thread) => mine.has(thread));
    if (failed) find("#live").textContent = failedText;
  }

  function mark() {
    for (const line of all("[data-working]")) {
      const thread = Number(line.dataset.working);
      const failed = status.failed.includes(thread);
      line.hidden = !failed && !status.busy.includes(thread);
      line.classList.toggle("failed", failed);
      line.textContent = line.hidden ? "" : failed ? failedText : busyText;
    }
    for (const item of all("#messages > .entry")) item.classList.toggle("open", item.dataset.message === panel().dataset.thread);
  }

  // The stream. A browser opens only some six connections to a server for all its tabs together: one visible tab holds
  // the stream and passes on what it gets. A tab that was hidden or is new says what it has, and gets what it lacks.

  const wire = new BroadcastChannel(`page ${run} ${channel}`);
  let source = null;
  let release = null; // gives up the stream, or the wait for it

  function listen(after) {
    source?.close();
    const opened = source = new EventSource(`/events?channel=${encodeURIComponent(channel)}&after=${run}.${after}`);
    const pass = (kind, receive) => opened.addEventListener(kind, (event) => {
      const data = JSON.parse(event.data);
      receive(data);
      wire.postMessage({ kind, data });
    });
    pass("entry", take);
    pass("status", takeStatus);
    pass("reload", () => location.reload());
    opened.onopen = () => { find(".connection").hidden = true; };
    opened.onerror = () => {
      find(".connection").hidden = false;
      if (opened.readyState === EventSource.CLOSED) setTimeout(() => { if (source === opened) listen(last); }, 3000);
    };
  }

  function lead() {
    if (!navigator.locks) return listen(last); // not over plain http from another machine
    if (release || document.hidden) return;
    const waiting = new AbortController();
    release = () => waiting.abort();
    navigator.locks.request(wire.name, { signal: waiting.signal }, () => new Promise((done) => {
      release = () => { source.close(); source = null; done(); };
      listen(last);
      wire.postMessage({ kind: "leader" });
    })).catch((error) => { if (error.name !== "AbortError") throw error; }).finally(() => { release = null; lead(); });
  }

  wire.onmessage = ({ data: { kind, data } }) => {
    if (kind === "entry") take(data);
    else if (kind === "status") takeStatus(data);
    else if (kind === "reload") location.reload();
    else if (kind === "leader") wire.postMessage({ kind: "have", data: last });
    else if (kind === "have" && source) {
      if (data < last) listen(data);
      else wire.postMessage({ kind: "status", data: status });
    }
  };

  if (loaded) {
    wire.postMessage({ kind: "have", data: last });
    lead();
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) return release?.();
      wire.postMessage({ kind: "have", data: last });
      lead();
    });
  }

  // Threads

  let wanted = panel().dataset.thread;
  const draft = (form) => `draft ${channel} ${form.elements.thread.value}`;
  const keepDrafts = () => { for (const form of all("form.composer")) sessionStorage.setItem(draft(form), form.elements.text.value); };
  const restoreDrafts = () => { for (const form of all("form.composer")) form.elements.text.value ||= sessionStorage.getItem(draft(form)) ?? ""; };
  addEventListener("pagehide", keepDrafts);
  restoreDrafts();

  async function open(address, thread, { push = true, focus = true } = {}) {
    wanted = thread;
    const text = await fetch(address).then((answer) => answer.text(), () => "");
    const fetched = find("#thread", new DOMParser().parseFromString(text, "text/html"));
    if (!fetched) return location.assign(address);
    if (wanted !== thread) return; // another one was opened meanwhile
    keepDrafts();
    panel().replaceWith(document.adoptNode(fetched));
    restoreDrafts();
    for (const entry of recent) if (String(entry.thread) === thread) add(find("#replies"), entry);
    mark();
    if (push) history.pushState(null, "", address);
    if (mine.has(Number(thread))) find("#replies").lastElementChild?.scrollIntoView({ block: "nearest" });
    if (focus || narrow.matches) find("#thread-title")?.focus();
  }

  function close() {
    const thread = panel().dataset.thread;
    history.pushState(null, "", find("[data-close]").getAttribute("href"));
    panel().hidden = true;
    panel().dataset.thread = wanted = "";
    mark();
    (find(`#messages [data-open="${thread}"]`) ?? find("#composer-channel"))?.focus();
  }

  addEventListener("popstate", () => {
    const asked = new URLSearchParams(location.search).get("thread");
    open(location.href, asked ?? panel().dataset.thread, { push: false, focus: false });
  });

  // Sending

  async function send(text, thread, form) {
    const body = new URLSearchParams({ channel, thread, text });
    const problem = find(".problem", form ?? panel()) ?? find("#live");
    let sent;
    if (thread) mine.add(Number(thread));
    try {
      const answer = await fetch("/messages", { method: "POST", body, headers: { Accept: "application/json" } });
      sent = await answer.json();
    } catch {
      sent = { problem: problem.dataset.lost };
    }
    problem.hidden = !sent.problem;
    problem.textContent = sent.problem ?? "";
    if (sent.problem) return false;
    if (!loaded) location.assign(`/?${new URLSearchParams({ channel, thread: sent.thread })}`); // a page of the past
    mine.add(sent.thread);
    find(`#messages [data-message="${sent.id}"]`)?.scrollIntoView({ block: "nearest" });
    setTimeout(() => mine.delete(sent.thread), 60000);
    const opened = String(sent.thread);
    if (panel().dataset.thread !== opened || panel().hidden) {
      const address = new URLSearchParams(location.search);
      address.delete("before");
      address.set("thread", opened);
      await open(`/?${address}`, opened, { focus: false });
    }
    return true;
  }

  const formOf = (element) => element.closest("form") ?? find("form.composer", element.closest("#thread, main") ?? find("main"));

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    event.preventDefault();
    const box = form.elements.text;
    const text = box.value;
    if (!text.trim() || form.ariaBusy) return;
    form.ariaBusy = "true";
    box.value = "";
    suggest(form);
    if (!(await send(text, form.elements.thread.value, form)) && !box.value) box.value = text;
    form.ariaBusy = null;
  });

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    const plain = !(event.ctrlKey || event.metaKey || event.shiftKey || event.button);
    const pressed = on("[data-command]");
    if (pressed) {
      const inThread = pressed.closest("#thread")?.dataset.thread;
      send(pressed.dataset.command, inThread ?? pressed.closest("[data-message]")?.dataset.message ?? "", formOf(pressed));
    } else if (on("[data-fill]")) fill(formOf(event.target), on("[data-fill]").dataset.fill);
    else if (on(".suggestions li")) fill(formOf(event.target), on(".suggestions li").dataset.text);
    else if (on("[data-below]")) find("#replies").lastElementChild.scrollIntoView({ block: "nearest" });
    else if (plain && on("[data-open]")) {
      event.preventDefault();
      open(on("[data-open]").getAttribute("href"), on("[data-open]").dataset.open);
    } else if (plain && on("[data-close]")) {
      event.preventDefault();
      close();
    }
    if (!on(".composer")) for (const form of all("form.composer")) suggest(form, false);
  });

  document.addEventListener("scroll", (event) => {
    if (event.target.matches?.("#thread .scroll") && atEnd(event.target)) find("[data-below]").hidden = true;
  }, true);

  // Completion: a combobox over a list of options, https://www.w3.org/WAI/ARIA/apg/patterns/combobox/

  function suggest(form, wanted = true) {
    const box = form.elements.text;
    const typed = box.value.toLowerCase().trimStart();
    const query = typed.replace(/^[/、]\s*(digest(\s+|$))?/, "");
    const options = all("[role=option]", form);
    const finished = options.some((option) => option.dataset.text === box.value); // Enter sends it
    const asked = wanted && !finished && /^[/、]/.test(typed) && !typed.includes("\n");
    for (const option of options) {
      const fits = option.dataset.keys.split("\n").some((key) => key.toLowerCase().startsWith(query));
      option.hidden = !asked || !fits || (!query && "deep" in option.dataset);
    }
    choose(form, all("[role=option]:not([hidden])", form)[0]);
  }

  function choose(form, option) {
    for (const other of all("[role=option]", form)) other.ariaSelected = String(other === option);
    find("[role=listbox]", form).hidden = !option;
    if (option) form.elements.text.setAttribute("aria-activedescendant", option.id);
    else form.elements.text.removeAttribute("aria-activedescendant");
    option?.scrollIntoView({ block: "nearest" });
  }

  function fill(form, text) {
    form.elements.text.value = text;
    form.elements.text.focus();
    suggest(form);
  }

  document.addEventListener("input", (event) => { if (event.target.form?.matches(".composer")) suggest(event.target.form); });

  document.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return; // the keys of an input method are its own
    const form = event.target.closest?.(".composer");
    const chosen = form && find("[aria-selected=true]", form);
    const shown = form ? all("[role=option]:not([hidden])", form) : [];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (chosen && step) choose(form, shown.at((shown.indexOf(chosen) + step) % shown.length));
    else if (chosen && (event.key === "Tab" || event.key === "Enter") && !event.shiftKey) fill(form, chosen.dataset.text);
    else if (chosen && event.key === "Escape") choose(form, null);
    else if (event.target.matches("textarea") && event.key === "Enter" && !event.shiftKey) form.requestSubmit();
    else if (event.key === "Escape" && !panel().hidden && find("[data-close]")) close();
    else return;
    event.preventDefault();
  });
})();

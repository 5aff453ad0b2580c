"""A strict local Slack: Web API, Socket Mode, HTTP delivery and response_url on one port of the loopback interface.

In a test (threads; nothing leaves the machine)::

    with Slack(scopes=REQUIRED_SCOPES) as slack:  # default: every scope the bot can use
        zhang, infra = slack.user("zhang"), slack.channel("infra")
        ...  # the bot under test: slack.api_url, slack.bot_token, slack.app_token, slack.signing_secret
        slack.until(slack.connected)
        ts = slack.say(infra, zhang, "本周风险?", mention=True)  # app_mention and message, as Slack sends them
        slack.until(lambda: slack.messages(infra, thread=ts))
        command = slack.slash(infra, zhang, "top 3")  # command.acked, command.latency, command.failed
        slack.until(lambda: slack.messages(infra, user=zhang))  # what zhang sees, ephemeral answers too
        slack.press(root.ts, "风险", zhang)  # by label, value or action_id

Without a server: `violations(payload)` lists why Slack would refuse a message, `live(payload)` its live mentions and
links, `shown(payload)` the words it shows.

People: user, channel, dm, say, other_bot, edit, delete, add_bot, remove_bot, slash, press (module people).
Faults: fail("chat.postMessage", "ratelimited" | "http_500" | "drop_before" | "drop_after" | "slow" | "late" | ERROR),
disconnect, drop, freeze, thaw, advance (the clock), hold and release, redeliver, emit, use_http, `slack.http.tamper`,
`slack.deliveries.retry_delays` (seconds; Slack's own by default), `rate_limit=True`, `charts=False` (chaos, faults).
Reading: show, messages, everything, by_app, keys, alive, calls, events_of, latencies, connected, requests, until
(reading).

As a process: `python -m tests.doubles.slack --port 0 --channel infra=C0123456 --user zhang` prints its addresses and
tokens as one line of JSON; `GET /control` lists the verbs, and this types a command::

    curl -d '{"channel": "C0123456", "user": "U000000001", "text": "top 3"}' http://127.0.0.1:PORT/control/slash
"""

from tests.doubles.slack.double import Slack
from tests.doubles.slack.live import live
from tests.doubles.slack.shown import shown
from tests.doubles.slack.validator import violations
from tests.doubles.slack.workspace import FULL_SCOPES, REQUIRED_SCOPES, Message

__all__ = ["FULL_SCOPES", "REQUIRED_SCOPES", "Message", "Slack", "live", "shown", "violations"]

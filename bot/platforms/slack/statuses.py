"""The line in a thread that says the bot is at work.

https://docs.slack.dev/reference/methods/assistant.threads.setStatus: needs chat:write only; a reply of the bot ends it,
and so do two minutes.
"""

from __future__ import annotations

import logging

from bot.platforms.slack.api import SlackApi
from bot.ports import NotSent, Refused, ThreadGone, Unsure
from bot.text import Wording

_METHOD = "assistant.threads.setStatus"
_log = logging.getLogger(__name__)


class Statuses:
    """Shows statuses until the workspace refuses one; usable from several threads."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._refused = False

    def show(self, channel: str, thread: str) -> bool:
        """Show that an answer is being made; whether it is shown."""
        return self._set(channel, thread, Wording(str).sentence("replies/thinking"))

    def clear(self, channel: str, thread: str) -> None:
        """Show nothing any more."""
        self._set(channel, thread, "")

    def _set(self, channel: str, thread: str, status: str) -> bool:
        if self._refused:
            return False
        try:
            self._api.write(_METHOD, {"channel_id": channel, "thread_ts": thread, "status": status})
        except Refused as refused:
            self._refused = True
            _log.warning("no status is shown while an answer is made: %s", refused)
        except (NotSent, Unsure, ThreadGone) as error:
            _log.info("the status of thread %s is not shown: %s", thread, error)
        else:
            return True
        return False

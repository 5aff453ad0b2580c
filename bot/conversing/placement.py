"""Where an answer belongs: a question about a pull request of a posted digest is answered in that digest's thread."""

from __future__ import annotations

from collections.abc import Callable

from bot.message import Message, PullRequestRef
from bot.ports import Incoming, Place
from bot.store.deliveries import Citation

Citing = Callable[[str, str, str], Citation | None]
"""Platform, channel and address of a pull request: where the latest digest speaks of it (`Ledger.citing`)."""


def place_of(incoming: Incoming, url: str | None, citing: Citing) -> Place | None:
    """The thread in which to answer a question about the pull request at `url`; None: where it was asked.

    Only what was said in a channel for everybody to read is moved: a private answer stays with the asker, and a direct
    message has no digest. The caller does not ask for what was said in the thread of a digest.
    """
    if url is None or incoming.direct or incoming.private or not incoming.addressed:
        return None
    found = citing(incoming.platform, incoming.channel, url)
    if found is None or found.thread == incoming.thread:
        return None
    return Place(found.thread, found.beside)


def only_cited(message: Message) -> str | None:
    """The address of the pull request that a message cites; None when it cites none, or several."""
    cited = {span.url for span in message.spans() if isinstance(span, PullRequestRef)}
    return cited.pop() if len(cited) == 1 else None

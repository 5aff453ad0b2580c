"""Which events are handled for the first time, and in the process that took them: nothing is posted for those yet."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from threading import Lock

_MOST = 10_000


class Firsts:
    """Tokens that were given out and not yet used, the newest 10,000; usable from several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: OrderedDict[str, None] = OrderedDict()

    def token(self) -> str:
        """A new token."""
        token = secrets.token_hex(8)
        with self._lock:
            self._open[token] = None
            if len(self._open) > _MOST:
                self._open.popitem(last=False)
        return token

    def use(self, token: str) -> bool:
        """Whether the token is of this process and is used for the first time."""
        with self._lock:
            return self._open.pop(token, token) is None

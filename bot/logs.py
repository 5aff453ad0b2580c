"""The running bot's log: one line an event on stderr, without a secret in it."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable

_TOKENS = re.compile(r"\b(?:xox[a-z]|xapp|gh[a-z]|github_pat)[-_][\w-]{6,}|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)")
"""Tokens of Slack and GitHub by their form, and user and password in an address."""

_SHORTEST = 6  # characters; a shorter secret would blank out words


def log_to_stderr(secrets: Iterable[str]) -> None:
    """Log from INFO on; each of `secrets`, and whatever looks like a token, becomes `***`, in tracebacks too."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Redacting(secrets))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)  # tells of every start and end of a listener


class Redacting(logging.Formatter):
    """Formats a record, then takes the secrets out of it."""

    def __init__(self, secrets: Iterable[str]) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._secrets = sorted((one for one in secrets if len(one) >= _SHORTEST), key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The record as one text."""
        text = super().format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return _TOKENS.sub("***", text)

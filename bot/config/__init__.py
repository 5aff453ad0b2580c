"""The configuration: config.yaml as frozen models, secrets from the environment or from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from bot.config.file import ConfigError, ConfigFile
from bot.config.sections import (
    Admin,
    Channel,
    Config,
    Database,
    Exclude,
    GitHub,
    GitHubApp,
    LanguageModel,
    Lark,
    Local,
    Platform,
    Repository,
    Server,
    Slack,
)
from bot.config.values import Place, Weekday

__all__ = [
    "Admin",
    "Channel",
    "Config",
    "ConfigError",
    "Database",
    "Exclude",
    "GitHub",
    "GitHubApp",
    "LanguageModel",
    "Lark",
    "Local",
    "Platform",
    "Repository",
    "Server",
    "Slack",
    "Weekday",
    "load",
]


def load(path: Path, environ: Mapping[str, str]) -> Config:
    """The configuration in the YAML file at `path`, with `${NAME}` taken from `environ`.

    Relative paths in it count from the file's folder. Raises ConfigError with one line (file, line, key, what was
    expected) for each thing to mend; a secret is never part of it.
    """
    file = ConfigFile.read(path, environ)
    place = Place(path.parent.absolute(), environ.get("HOME"))
    try:
        return Config.model_validate(file.values, context=place)
    except ValidationError as error:
        problem = file.error(error.errors(include_url=False, include_input=False))
    raise problem  # outside the handler, so that no traceback carries what pydantic was given

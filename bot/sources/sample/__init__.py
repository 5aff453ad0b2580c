"""The bundled sample: an invented repository whose last full week is always last week."""

from bot.sources.sample.source import REPOSITORY, SampleSource

__all__ = ["REPOSITORY", "SampleSource"]

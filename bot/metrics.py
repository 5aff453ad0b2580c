"""What the bot counts of itself, as Prometheus reads it at /metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.ports import Incoming, Reply, Respond

Take = Callable[[tuple[str, ...], str], None]

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """One registry a running bot. `deliveries` gives how many stand in each state, `ticked` when the clock last did."""

    def __init__(self, deliveries: Callable[[], Mapping[str, int]], ticked: Callable[[], datetime | None]) -> None:
        self.registry = CollectorRegistry()
        self._kept = Histogram(
            "digest_bot_keep_seconds",
            "How long it took to keep an event, before it was acknowledged.",
            ["platform"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._answers = Histogram(
            "digest_bot_answer_seconds",
            "How long answers took to make.",
            ["platform", "outcome"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.registry.register(_Stored(deliveries, ticked))

    def timing(self, respond: Respond, clock: Callable[[], float]) -> Respond:
        """`respond`, with the time (seconds of `clock`) of every answer, silence and failure counted."""

        def answered(incoming: Incoming) -> Reply | None:
            began, outcome = clock(), "failure"
            try:
                reply = respond(incoming)
                outcome = "silence" if reply is None else "answer"
                return reply
            finally:
                self._answers.labels(incoming.platform, outcome).observe(clock() - began)

        return answered

    def keeping(self, platform: str, take: Take, clock: Callable[[], float]) -> Take:
        """`take`, with its time counted whether or not it could keep the event."""

        def kept(keys: tuple[str, ...], payload: str) -> None:
            began = clock()
            try:
                take(keys, payload)
            finally:
                self._kept.labels(platform).observe(clock() - began)

        return kept

    def text(self) -> bytes:
        """Everything in the text format. Raises StoreError when the ledger cannot be read."""
        return generate_latest(self.registry)


class _Stored(Collector):
    """What is read where it is kept each time it is asked for."""

    def __init__(self, deliveries: Callable[[], Mapping[str, int]], ticked: Callable[[], datetime | None]) -> None:
        self._deliveries = deliveries
        self._ticked = ticked

    def describe(self) -> Iterable[GaugeMetricFamily]:
        return ()  # or registering would read the ledger

    def collect(self) -> Iterable[GaugeMetricFamily]:
        states = GaugeMetricFamily("digest_bot_deliveries", "Deliveries in the ledger by state.", labels=["state"])
        for state, count in self._deliveries().items():
            states.add_metric([state], count)
        yield states
        ticked = self._ticked()
        if ticked is not None:
            yield GaugeMetricFamily(
                "digest_bot_last_tick_timestamp_seconds", "When the clock last ticked.", ticked.timestamp()
            )

"""Metrics for Prometheus: the state of the database as on the host's page, and how long pages take.

Only this module imports the client library.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.run.alarms import AlarmKind, find_alarms
from arena.run.host_status import HostStatus
from arena.web.protection.middleware import ENDLESS

if TYPE_CHECKING:
    from prometheus_client.core import Metric

Values: TypeAlias = Sequence[tuple[Sequence[str], float]]
"""The values of a metric, each with those of its labels."""
BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one server, in a registry of its own. Raises ModuleNotFoundError without the package prometheus-client."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Histogram  # noqa: PLC0415  # an extra, and only for servers that are monitored
        from prometheus_client.exposition import CONTENT_TYPE_LATEST  # noqa: PLC0415  # as above

        self.content_type = CONTENT_TYPE_LATEST
        self._registry = CollectorRegistry()
        self._pages = Histogram(
            "arena_page_seconds", "Time to send a page, by its kind.", ["page", "status"], buckets=BUCKETS, registry=self._registry
        )

    def observe(self, page: str, status: int, seconds: float) -> None:
        """Count a page of that kind."""
        self._pages.labels(page, f"{status // 100}xx").observe(seconds)

    def text(self, status: HostStatus) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        from prometheus_client import CollectorRegistry, generate_latest  # noqa: PLC0415  # as above

        registry = CollectorRegistry()
        registry.register(_State(status))
        return generate_latest(registry) + generate_latest(self._registry)


class _State:
    """The state of the database as metrics."""

    def __init__(self, status: HostStatus) -> None:
        self._status = status

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; unknown ones are left out."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily  # noqa: PLC0415  # as above

        def gauge(name: str, what: str, values: Values, labels: tuple[str, ...] = ()) -> Metric:
            family = GaugeMetricFamily(name, what, labels=labels)
            for each, value in values:
                family.add_metric(each, value)
            return family

        status, run = self._status, self._status.going_on
        played = CounterMetricFamily("arena_matches", "Matches stored.", labels=("tournament",))
        for each in status.seals:
            played.add_metric((each.tournament,), each.played)
        yield played
        sealed = [((each.tournament,), each.matches) for each in status.seals if each.matches is not None]
        yield gauge("arena_sealed_matches", "Matches that the newest seal covers.", sealed, ("tournament",))
        rates = [(("now",), status.rate.now), (("before",), status.rate.before)]
        yield gauge("arena_matches_per_second", "Matches per second, now and before.", rates, ("when",))
        faults = [((each.tournament, each.bot, kind), n) for each in status.activity.faults for kind, n in each.kinds.items()]
        yield gauge("arena_faults", "Faults in the last hour.", faults, ("tournament", "bot", "kind"))
        longest = [((), each.seconds) for each in status.activity.longest[:1]]
        yield gauge("arena_longest_match_seconds", "The longest match of the last hour.", longest)
        newest = [((), each.timestamp()) for each in (status.newest,) if each is not None]
        yield gauge("arena_newest_match_timestamp_seconds", "When the newest match was stored.", newest)
        queue = [(("waiting",), status.uploads.waiting), (("checking",), status.uploads.checking)]
        yield gauge("arena_uploads", "Uploads without a verdict.", queue, ("state",))
        yield gauge("arena_run", "1 while a run is in progress.", [((), status.is_running)])
        if run is not None:
            yield gauge("arena_run_seen_timestamp_seconds", "Last heartbeat of the run's driver.", [((), run.seen.timestamp())])
            seen = [((each.name,), each.seen.timestamp()) for each in run.workers]
            yield gauge("arena_worker_seen_timestamp_seconds", "When a worker last answered.", seen, ("worker",))
            answers = [((each.name,), each.matches) for each in run.workers]
            yield gauge("arena_worker_matches", "Matches of this run by worker.", answers, ("worker",))
        space = status.space
        for name, what, size in (
            ("database", "Size of the database.", space.used),
            ("disk_free", "Free space on the disk of the database.", space.free),
            ("disk", "Size of the disk of the database.", space.total),
        ):
            yield gauge(f"arena_{name}_bytes", what, [] if size is None else [((), size)])
        alarms = {each.kind for each in find_alarms(status, status.moment)}
        yield gauge(
            "arena_alarm", "1 if there is an alarm of this kind.", [((kind.value,), kind in alarms) for kind in AlarmKind], ("kind",)
        )


class PageTimes:
    """ASGI middleware that measures each response from its request to its end; streams of events, which have none, are left out."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"].endswith(ENDLESS):
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 500

        async def note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, note)
        finally:
            page = getattr(scope.get("route"), "path", "other")  # the route's path: by address there would be a metric for each match
            self._metrics.observe(page, status, perf_counter() - begun)

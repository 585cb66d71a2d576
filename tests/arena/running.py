"""Runs of tournaments in tests: the versions of a spec's bots, when a run stops, and the digests that it ends with."""

from __future__ import annotations

from collections.abc import Callable

from arena.run.runner import Summary
from arena.spec.spec import Spec
from bots.loader.loading import resolve
from bots.loader.version import BotVersion


def versions_of(spec: Spec) -> dict[str, BotVersion]:
    """The versions of a spec's bots."""
    return {each.name: resolve(each.source, name=each.name) for each in spec.bots}


def stop_after(number: int) -> Callable[[], bool]:
    """Has a run stop when it has begun so many matches."""
    asked = iter(range(number))
    return lambda: next(asked, None) is None


def digests(summary: Summary) -> tuple[str, str]:
    """The digests that a run ended with."""
    return summary.results_digest, summary.ratings_digest

"""Playing on Ray workers, of this machine or of a cluster. The only module that imports Ray."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from arena.executor import ATTEMPTS, Batches, HostError, Job, Played, Tickets, play_tickets
from bots.house import House
from bots.sandbox import Level
from engine.records import MatchResult, Ticket, VoidMatch

# Ray reads these when it is imported or started. Usage reports would go to another host.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")

import ray
from ray.exceptions import RayError, RayTaskError

WINDOW: Final = 3
"""Batches in hand for each worker: one being played, the next already there, one on its way."""

_ENCODER: Final = msgspec.msgpack.Encoder()
_RESULTS: Final = msgspec.msgpack.Decoder(tuple[list[MatchResult], list[VoidMatch]])
"""A batch travels as bytes: Ray's own way takes five times as long to read in the driver, of which there is only one."""


class RayExecutor:
    """Plays batches of tickets on ``workers`` Ray workers.

    Without an address it starts Ray on this machine with that many workers (default: one for each core); with one it joins the cluster
    and uses its cores. A batch whose worker is lost is played again, ticket by ticket.
    """

    def __init__(self, workers: int | None = None, address: str | None = None, temp_dir: Path | None = None) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True}
        if address is None:
            options |= {"num_cpus": workers or os.cpu_count(), "include_dashboard": False}
            if temp_dir is not None:
                options["_temp_dir"] = str(temp_dir)
        try:
            if address is not None:
                _knock(address)
            ray.init(address=address or "local", **options)  # 'local': not whatever other cluster runs on this machine
        except (RayError, OSError, ValueError, RuntimeError, OverflowError) as error:
            where = f"the cluster at {address} can't be reached" if address else "Ray did not start on this machine"
            raise HostError(f"{where}: {_first_line(error)}; '--executor inline' plays without it") from None
        self._workers = workers or int(_resources().get("CPU", 1))
        self._where = f"the cluster at {address}" if address else "this machine"
        self._play = ray.remote(num_cpus=1, max_retries=0)(_play_batch)

    @property
    def description(self) -> str:
        """The number of workers and where they are."""
        return f"{self._workers} Ray worker{'s' if self._workers != 1 else ''} on {self._where}"

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Batches as they come back; a ticket whose worker is lost three times is void.

        Raises HostError when the cluster is lost, but only when all that is in hand has come back, so that what has been played is
        not lost.
        """
        batches = Batches(tickets, self._workers)
        in_hand: dict[ray.ObjectRef[bytes], tuple[list[Ticket], int]] = {}
        again: list[tuple[list[Ticket], int]] = []
        failure: HostError | None = None
        shared, known = ray.put(job), len(job.bots)
        while True:
            while failure is None and (free := WINDOW * self._workers - len(in_hand)) > 0:
                batch, attempt = again.pop() if again else (batches.take(free), 1)
                if not batch:
                    break
                if len(job.bots) > known:  # somebody has joined
                    shared, known = ray.put(job), len(job.bots)
                in_hand[self._play.remote(shared, batch)] = (batch, attempt)
            if not in_hand:
                if failure is not None:
                    raise failure
                if batches.is_paused:
                    raise RuntimeError("the schedule waits for results, but all that it has given have been played")
                return
            for ref in ray.wait(list(in_hand), num_returns=1)[0]:
                batch, attempt = in_hand.pop(ref)
                try:
                    results = _unpacked(ray.get(ref))
                except RayTaskError as error:
                    failure = HostError(f"a worker failed in a way that no bot should bring about: {_first_line(error.cause or error)}")
                    continue
                except RayError as error:
                    if attempt == ATTEMPTS:
                        yield [VoidMatch(ticket, f"its worker was lost {ATTEMPTS} times ({_first_line(error)})") for ticket in batch]
                    else:  # each ticket by itself, so that one that kills its worker takes no other with it
                        again += [([ticket], attempt + 1) for ticket in batch]
                    continue
                batches.sizer.add(results)
                yield results

    def close(self) -> None:
        """Leave the cluster, or stop the workers of this machine."""
        ray.shutdown()


def _knock(address: str) -> None:
    """Raise OSError when nobody answers at ``HOST:PORT``: Ray itself would go on asking for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


def _play_batch(job: Job, tickets: list[Ticket]) -> bytes:
    """What runs in a worker."""
    played = play_tickets(job, tickets, _house(job.level))
    voids = [each for each in played if isinstance(each, VoidMatch)]
    return _ENCODER.encode(([each for each in played if isinstance(each, MatchResult)], voids))


def _unpacked(batch: bytes) -> list[Played]:
    results, voids = _RESULTS.decode(batch)
    return [*results, *voids]


@cache
def _house(level: Level) -> House:
    """The worker's house, kept from batch to batch; when the worker ends in whatever way, its bots do."""
    return House(level)


def _resources() -> dict[str, float]:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray has no type for it
    return resources


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")

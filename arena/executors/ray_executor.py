"""Playing on Ray workers, of this machine or of a cluster; no other module imports Ray."""

from __future__ import annotations

import gc
import logging
import os
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Final

from arena.executors.base import ATTEMPTS, Answer, Batches, HostError, Item, Job, Pause, Played, Task, Tickets, play_tickets, stuck
from arena.executors.cluster_check import program_digest, report_node, unfit
from arena.executors.wire import PackedMatches, Pickled
from bots.host.player_pool import PlayerPool
from bots.runtime import Runtime
from bots.sandbox import Level
from engine.core import Game
from engine.records import Ticket, VoidMatch
from engine.text import one_line

# Ray reads these when it is imported or started. Usage reports would go to another host.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_task_events_report_interval_ms", "0")  # a history of tasks, for a dashboard that is not started

import ray
from ray._private import ray_constants
from ray.exceptions import RayError, RayTaskError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

WINDOW: Final = 3
"""Batches in hand for each worker: one being played, the next already there, one on its way."""

_LOST: Final = "Ray, which runs the workers, can't be used any more"
_CLUSTERS: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
_HAS_CLUSTERS: Final[bool] = ray_constants.ENABLE_RAY_CLUSTER


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
        where = f"the cluster at {address} can't be reached" if address else "Ray did not start on this machine"
        with _host_errors(where, "; '--executor inline' plays without it"):
            context: Any = _join(address, options) if address is not None else _start(options)
        self._own_folder = None if address else Path(context.address_info["session_dir"])
        self._workers = workers or int(_resources().get("CPU", 1))
        self._where = f"the cluster at {address}" if address else "this machine"
        self._is_cluster = address is not None
        self._remote: Any = ray.remote(num_cpus=1, max_retries=0)(_work_batch)
        _spare_collector()

    @property
    def description(self) -> str:
        """The number of workers and where they are."""
        return f"{self._workers} Ray worker{'s' if self._workers != 1 else ''} on {self._where}"

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results as batches come back; a ticket whose worker is lost three times is void.

        The nodes of a cluster are checked first, and those that join later before they play: each must have this very program and what
        bots need, and offer the job's level of isolation. Raises HostError, which names a node that does not.
        """
        with _host_errors(_LOST):
            play = _Play(job, _look_at_nodes(job) if self._is_cluster else None)
        return self._work(play, tickets, PackedMatches)

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield answers as batches come back. Raises HostError, also if a node of the cluster has another version of this program."""
        if self._is_cluster:
            with _host_errors(_LOST):
                _look_at_nodes(None)
        return self._work(task, items, Pickled)

    def _work(self, task: Task[Item, Answer], items: Iterator[Item | Pause], wire: type[Pickled]) -> Iterator[list[Answer]]:
        """Yield batches as they come back.

        Raises HostError when the cluster is lost, but only once all that is in hand has come back, so that what has been done is kept.
        """
        batches = Batches(items, self._workers)
        in_hand: dict[ray.ObjectRef[tuple[list[Answer], float]], tuple[list[Item], int]] = {}
        again: list[tuple[list[Item], int]] = []
        failure: HostError | None = None
        shared, sent = _put((task, wire)), task.edition
        while True:
            while failure is None and (free := WINDOW * self._workers - len(in_hand)) > 0:
                batch, attempt = again.pop() if again else (batches.take(free), 1)
                if not batch:
                    break
                if task.edition > sent:
                    shared, sent = _put((task, wire)), task.edition
                with _host_errors(_LOST):
                    given = self._remote.remote(shared, wire.pack_items(batch))
                in_hand[given] = (batch, attempt)
            if not in_hand:
                if failure is not None:
                    raise failure
                if batches.is_paused:
                    raise stuck()
                return
            with _host_errors(_LOST):
                ready = ray.wait(list(in_hand), num_returns=1)[0]
            for ref in ready:
                batch, attempt = in_hand.pop(ref)
                try:
                    packed, seconds = ray.get(ref)
                    answers = wire.unpack_answers(packed)
                except RayTaskError as error:
                    failure = _host_error(error)
                    continue
                except RayError as error:
                    if attempt == ATTEMPTS:
                        reason = f"its worker was lost {ATTEMPTS} times ({_first_line(error)})"
                        yield [task.lost(item, reason) for item in batch]
                    else:  # each item by itself, so that one that kills its worker takes no other with it
                        again += [([item], attempt + 1) for item in batch]
                    continue
                except Exception as error:  # noqa: BLE001  # Ray raises whatever its parts do when they are gone
                    failure = HostError(f"{_LOST}: {_first_line(error)}")
                    continue
                batches.sizer.add(len(answers), seconds)
                yield answers

    def close(self) -> None:
        """Leave the cluster, or stop the workers of this machine and remove the folder that Ray made for them."""
        ray.shutdown()
        gc.unfreeze()
        if self._own_folder is not None:
            _remove(self._own_folder)


@contextmanager
def _host_errors(what: str, advice: str = "") -> Iterator[None]:
    """Raise whatever Ray raises as a HostError: what does not start in time, for one, is a bare Exception."""
    try:
        yield
    except HostError:
        raise
    except Exception as error:  # noqa: BLE001  # as above
        raise HostError(f"{what}: {_first_line(error)}{advice}") from None


def _join(address: str, options: dict[str, Any]) -> object:
    """Join the cluster there."""
    _knock(address)
    return ray.init(address=address, **options)


def _start(options: dict[str, Any]) -> object:
    """Start Ray on this machine, where nobody from elsewhere can reach it: all of its ports are on 127.0.0.1.

    Ray does so only where it is told that there are no clusters, which is its default on macOS and Windows; its processes read that
    from the environment.
    """
    before = os.environ.get(_CLUSTERS)
    os.environ[_CLUSTERS], ray_constants.ENABLE_RAY_CLUSTER = "0", False
    try:
        return ray.init(address="local", **options)  # 'local': not whatever other cluster runs on this machine
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = _HAS_CLUSTERS
        if before is None:
            del os.environ[_CLUSTERS]
        else:
            os.environ[_CLUSTERS] = before


def _put(task: tuple[object, type[Pickled]]) -> ray.ObjectRef[Any]:
    """Send the task, and how its batches travel, to where workers find it. Raises HostError."""
    with _host_errors(_LOST):
        return ray.put(task)


def _remove(session: Path) -> None:
    """Remove a session's folder, and the link to it as the latest; what a process that is ending still writes there is left."""
    shutil.rmtree(session, ignore_errors=True)
    latest = session.with_name("session_latest")
    if latest.is_symlink() and not latest.exists():
        latest.unlink(missing_ok=True)


def _knock(address: str) -> None:
    """Raise OSError when nobody answers at ``HOST:PORT``: Ray itself would go on asking for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


def _host_error(error: RayTaskError) -> HostError:
    cause = error.cause
    if isinstance(cause, HostError):
        return HostError(str(cause))
    return HostError(f"a worker failed in a way that no bot should bring about: {_first_line(cause or error)}")


def _work_batch(shared: tuple[Task[Any, Any], type[Pickled]], packed: Any) -> tuple[Any, float]:
    """What runs in a worker: the answers of a batch, packed, and the seconds it took."""
    _settle()
    began = perf_counter()
    task, wire = shared
    answers = task.do(wire.unpack_items(packed), None if task.table is None else _pool(*task.table))
    return wire.pack_answers(answers), perf_counter() - began


def _spare_collector() -> None:
    """Keep the garbage collector from going through all that Ray has imported again and again."""
    gc.collect()
    gc.freeze()


@cache
def _settle() -> None:
    """Prepare this worker, once, before its first batch."""
    _spare_collector()


class _Play(Task[Ticket, Played]):
    """Playing the tickets of a job. ``looked_at`` are the ids of a cluster's nodes that are known to be fit; None on this machine."""

    def __init__(self, job: Job, looked_at: frozenset[str] | None) -> None:
        self._job = job
        self._looked_at = looked_at
        self._program = program_digest() if looked_at is not None else ""

    @property
    def edition(self) -> int:
        return len(self._job.bots)  # bots may join

    @property
    def table(self) -> tuple[Level, Game, Runtime]:
        return self._job.level, self._job.make_game(), self._job.runtime

    def do(self, items: Sequence[Ticket], pool: PlayerPool | None) -> list[Played]:
        assert pool is not None
        if self._looked_at is not None and (node := ray.get_runtime_context().get_node_id()) not in self._looked_at:
            _check_late_node(node, self._job, self._program)
        return play_tickets(self._job, items, pool)

    def lost(self, item: Ticket, reason: str) -> Played:
        return VoidMatch(item, reason)


_fit: Final[set[str]] = set()
"""In a worker: that its node has been looked at, though it joined late."""


def _check_late_node(node: str, job: Job, program: str) -> None:
    """Raise HostError unless this node is fit; looked at once for each worker."""
    if node not in _fit:
        report = report_node(_address(), list(job.bots.values()), job.game, job.runtime.packages)
        if (why := unfit(report, job, program)) is not None:
            raise HostError(why)
        _fit.add(node)


def _look_at_nodes(job: Job | None) -> frozenset[str]:
    """The ids of all nodes that are there now. Raises HostError that names the first one which is not fit to play the job, or to check."""
    look: Any = ray.remote(num_cpus=0, max_retries=0)(report_node)
    program = program_digest()
    installed = [version for version in job.bots.values() if version.is_installed] if job else []
    game, packages = (job.game, job.runtime.packages) if job else (None, ())
    names, answers = {}, {}
    for node in ray.nodes():  # type: ignore[no-untyped-call]  # Ray has no type for it
        if node["Alive"] and node["Resources"].get("CPU"):
            key, address = node["NodeID"], node["NodeManagerAddress"]
            names[key] = f"{node['NodeManagerHostname']} ({address})"
            there = NodeAffinitySchedulingStrategy(key, soft=False)
            answers[key] = look.options(scheduling_strategy=there).remote(address, installed, game, packages)
    fit = set()
    for node, answer in answers.items():
        try:
            why = unfit(ray.get(answer), job, program)
        except RayTaskError as error:
            why = f"the node {names[node]} can't play: {_first_line(error.cause or error)}; install this program there"
        except RayError:
            continue  # it has gone; if it comes back, it is looked at then
        if why is not None:
            raise HostError(why)
        fit.add(node)
    return frozenset(fit)


@cache
def _pool(level: Level, game: Game, runtime: Runtime) -> PlayerPool:
    """The worker's pool, kept from batch to batch; when the worker ends in whatever way, its bots do."""
    return PlayerPool(level, game=game, runtime=runtime)


def _resources() -> dict[str, float]:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray has no type for it
    return resources


def _address() -> str:
    return str(ray.util.get_node_ip_address())  # type: ignore[no-untyped-call]  # Ray has no type for it


def _first_line(error: BaseException) -> str:
    return one_line((str(error).strip().splitlines() or [type(error).__name__])[0]).rstrip(".")

"""The executor that plays on Ray workers, on this machine or in a cluster; no other module imports Ray."""

from __future__ import annotations

import ctypes
import logging
import os
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, Final

from arena.play.executors.base import Answer, BatchSizer, HostError, Item, Job, Pause, Played, Task, Tickets
from arena.play.executors.batch_executor import (
    BatchExecutor,
    Done,
    Handle,
    Lost,
    Notify,
    PackedMatches,
    PlayTask,
    Shared,
    failure_of,
    first_line,
    say_nothing,
    work_batch,
)
from arena.play.executors.cluster import program_digest, report_node, unfit
from bots.host.player_pool import PlayerPool
from engine.records import Ticket

# Ray reads these when it is imported or started. Usage reports would go to another host.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_task_events_report_interval_ms", "0")  # a history of tasks, for a dashboard that is not started

import ray
from ray._common.utils import get_default_system_temp_dir
from ray._private import ray_constants
from ray._private import worker as ray_worker
from ray.exceptions import RayError, RayTaskError
from ray.job_config import JobConfig
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

import psutil  # isort: skip  # Ray bundles psutil, which can be imported once Ray has been imported

# Ray would explain at length, on standard output, what this program reports in one sentence or repairs.
ray_worker.print_to_stdstream = lambda *_message, **_options: None

_LOST: Final = "Ray, which runs the workers, can no longer be used"
_LOOK_SECONDS: Final = 1.0
"""Seconds between checks that Ray's own processes are alive: Ray ends the driver about ten seconds after one of them has ended."""
_MOST_BYTES_OF_SIGACTION: Final = 1024
"""More bytes than ``struct sigaction`` has on any system (Linux: 152)."""
_VITAL: Final = (ray_constants.PROCESS_TYPE_RAYLET, ray_constants.PROCESS_TYPE_GCS_SERVER)
_CLUSTERS: Final = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
_HAS_CLUSTERS: Final[bool] = ray_constants.ENABLE_RAY_CLUSTER


class RayExecutor(BatchExecutor):
    """Plays batches of tickets on ``workers`` Ray workers.

    Without an address, it starts Ray on this machine with ``workers`` workers (default: one for each core). With an address, it joins that
    cluster and uses its cores. A batch whose worker is lost is played again, ticket by ticket.
    """

    def __init__(
        self,
        workers: int | None = None,
        address: str | None = None,
        temp_dir: Path | None = None,
        *,
        notify: Notify = say_nothing,
    ) -> None:
        options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR, "configure_logging": True, "job_config": _Job()}
        if address is None:
            options |= {"num_cpus": workers or os.cpu_count(), "include_dashboard": False}
        self._folder: Path | None = None
        where = f"the cluster at {address} can't be reached" if address else "Ray did not start on this machine"
        with _host_errors(where, "; '--executor processes' plays without it"), _keeping_sigterm():
            if address is not None:
                _join(address, options)
            else:
                parent = get_default_system_temp_dir()  # type: ignore[no-untyped-call]  # Ray has no type for it
                if temp_dir is not None:
                    temp_dir.mkdir(parents=True, exist_ok=True)
                self._folder = Path(mkdtemp(prefix="arena-ray-", dir=temp_dir or parent))  # a new folder contains no files of other users
                _start(options, self._folder)
        super().__init__(workers or int(_resources().get("CPU", 1)), notify)
        self._where = f"the cluster at {address}" if address else "this machine"
        self._is_cluster = address is not None
        self._remote: Any = ray.remote(num_cpus=1, max_retries=0)(work_batch)

    @property
    def description(self) -> str:
        """The number of workers, and where they run."""
        return f"{self._workers} Ray worker{'s' if self._workers != 1 else ''} on {self._where}"

    def run(self, job: Job, tickets: Tickets) -> Iterator[list[Played]]:
        """Yield results as batches come back; a ticket whose worker is lost three times is void.

        Each node of a cluster is checked before it plays, even if it joins later: it must have the same program and the packages that bots
        need, and offer the job's level of isolation. Raises HostError, which names a node that fails the check.
        """
        with _host_errors(_LOST):
            play = _ClusterPlay(job, _look_at_nodes(job)) if self._is_cluster else PlayTask(job)
        return self._work(play, tickets, PackedMatches)

    def work(self, task: Task[Item, Answer], items: Iterator[Item | Pause]) -> Iterator[list[Answer]]:
        """Yield answers as batches come back. Raises HostError, for example if a node has a different version of the program."""
        if self._is_cluster:
            with _host_errors(_LOST):
                _look_at_nodes(None)
        return super().work(task, items)

    def _share(self, shared: Shared) -> None:
        if not self._is_cluster:
            _check_processes()  # Ray ends the driver silently if its store has gone
        with _host_errors(_LOST):
            self._shared = ray.put(shared)

    def _send(self, packed: Any, *, is_long: bool) -> Handle:  # Ray gives each batch to a free worker
        with _host_errors(_LOST):
            handle: Handle = self._remote.remote(self._shared, packed)
            return handle

    def _wait(self, handles: Collection[Handle]) -> Sequence[tuple[Handle, Done | Lost | HostError]]:
        ready: list[Any] = []
        while not ready:
            if not self._is_cluster:
                _check_processes()
            with _host_errors(_LOST):
                ready = ray.wait(list(handles), num_returns=1, timeout=_LOOK_SECONDS)[0]
        return [(each, _outcome(each)) for each in ready]

    def _window(self, sizer: BatchSizer) -> int:
        """The number of batches per worker: one being played, one waiting at the worker, and one in transit."""
        return 3

    def close(self) -> None:
        """Leave the cluster, or stop the workers on this machine and remove the folder that Ray created for them."""
        with _keeping_sigterm():
            ray.shutdown()
        if self._folder is not None:
            rmtree(self._folder, ignore_errors=True)  # a process that is ending may still write to it


class _Job(JobConfig):
    """Gives workers the driver's import path; Ray itself would add the folder where it was started, which may contain unrelated files."""

    def _serialize(self) -> Any:
        known = {os.path.abspath(each) for each in sys.path}  # noqa: PTH100  # as Ray makes its paths
        self._py_driver_sys_path = [each for each in self._py_driver_sys_path if each in known]
        return super()._serialize()


@contextmanager
def _host_errors(what: str, advice: str = "") -> Iterator[None]:
    """Turn any error that Ray raises in the block into a HostError; if Ray starts too slowly, for instance, it raises a plain Exception."""
    try:
        yield
    except HostError:
        raise
    except Exception as error:  # noqa: BLE001  # as above
        raise HostError(f"{what}: {first_line(error)}{advice}") from None


@contextmanager
def _keeping_sigterm() -> Iterator[None]:
    """Restore the handling of SIGTERM after the block.

    When Ray starts, its native library replaces the handler of SIGTERM with one that prints a stack trace and aborts; when Ray stops, it
    leaves no handler. Python can set handlers only in the main thread, and Ray may start in a different one.
    """
    library, action = ctypes.CDLL(None), ctypes.create_string_buffer(_MOST_BYTES_OF_SIGACTION)
    handler = signal.getsignal(signal.SIGTERM)
    library.sigaction(int(signal.SIGTERM), None, action)
    try:
        yield
    finally:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)
        library.sigaction(int(signal.SIGTERM), action, None)


def _join(address: str, options: dict[str, Any]) -> None:
    """Join the cluster at the address. Raises HostError if the cluster answers but can't be joined, and Ray's own error if none answers."""
    _knock(address)
    try:
        ray.init(address=address, **options)
    except Exception as error:  # noqa: BLE001  # if a token is wrong, Ray says only that it could not connect
        raise HostError(
            f"the cluster at {address} answers, but this run can't join it: {first_line(error)}; if the cluster requires a token, put "
            "the same token into ~/.ray/auth_token or the environment variable RAY_AUTH_TOKEN, and set RAY_AUTH_MODE=token"
        ) from None


def _start(options: dict[str, Any], folder: Path) -> None:
    """Start Ray on this machine, with all of its ports on 127.0.0.1, so that other machines can't reach it.

    If Ray does not start, or its start is interrupted, its processes are killed and the folder removed.

    Ray uses 127.0.0.1 only while clusters are disabled, the default on macOS and Windows; its processes read this from the environment.
    """
    _make_token_private()
    before = os.environ.get(_CLUSTERS)
    os.environ[_CLUSTERS], ray_constants.ENABLE_RAY_CLUSTER = "0", False
    try:
        ray.init(address="local", _temp_dir=str(folder), **options)  # 'local': don't join a cluster that already runs on this machine
    except BaseException:
        ray.shutdown()
        _kill_processes(folder)  # Ray lists no process until all have started
        rmtree(folder, ignore_errors=True)
        raise
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = _HAS_CLUSTERS
        if before is None:
            del os.environ[_CLUSTERS]
        else:
            os.environ[_CLUSTERS] = before


def _make_token_private() -> None:
    """Make the token of this user's clusters unreadable for other users of this machine; Ray would let everybody read it."""
    if os.environ.get("RAY_AUTH_MODE", "token").lower() != "token":
        return
    token = Path.home() / ".ray" / "auth_token"
    with suppress(OSError):  # Ray reports what it can't use
        token.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with suppress(FileExistsError), os.fdopen(os.open(token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
        token.chmod(0o600)


def _kill_processes(folder: Path) -> None:
    """Kill the processes of the Ray instance in this folder, recognised by the folder's name in their arguments, and all processes that
    these have started."""
    started = []
    for each in psutil.Process().children():
        with suppress(psutil.Error):  # it has ended
            if any(str(folder) in word for word in each.cmdline()):
                started.append(each)
                for process in (*each.children(recursive=True), each):
                    process.kill()
    psutil.wait_procs(started, timeout=_LOOK_SECONDS)


def _check_processes() -> None:
    """Raise HostError if Ray was started by this process and one of Ray's essential processes has ended."""
    node: Any = ray._private.worker.global_worker.node  # noqa: SLF001  # there is no public access to it
    for kind in _VITAL:
        for each in node.all_processes.get(kind, ()):
            if (code := each.process.poll()) is not None:
                how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
                raise HostError(
                    f"{_LOST}: its process '{kind}' {how}; run the same command again, and it goes on where it stopped "
                    "('--executor processes' plays without Ray)"
                )


def _knock(address: str) -> None:
    """Raise OSError if no server answers at ``HOST:PORT``; Ray itself would retry for many minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdecimal():
        socket.create_connection((host, int(port)), timeout=10).close()


def _outcome(given: Any) -> Done | Lost | HostError:
    try:
        return Done(*ray.get(given))
    except RayTaskError as error:
        return failure_of(error.cause or error)
    except RayError as error:
        return Lost(first_line(error))
    except Exception as error:  # noqa: BLE001  # if parts of Ray are gone, it may raise anything
        return HostError(f"{_LOST}: {first_line(error)}")


class _ClusterPlay(PlayTask):
    """The task of playing on a cluster. ``looked_at`` has the ids of nodes that have passed the check."""

    def __init__(self, job: Job, looked_at: frozenset[str]) -> None:
        super().__init__(job)
        self._looked_at = looked_at
        self._program = program_digest()

    def do(self, items: Sequence[Ticket], pool: PlayerPool | None) -> list[Played]:
        if (node := ray.get_runtime_context().get_node_id()) not in self._looked_at:
            _check_late_node(node, self._job, self._program)
        return super().do(items, pool)


_fit: Final[set[str]] = set()
"""In a worker: not empty once its node, which joined late, has been checked."""


def _check_late_node(node: str, job: Job, program: str) -> None:
    """Raise HostError unless this node passes the check, which each worker does once."""
    if node not in _fit:
        report = report_node(_address(), list(job.bots.values()), job.game, job.runtime.packages)
        if (why := unfit(report, job, program)) is not None:
            raise HostError(why)
        _fit.add(node)


def _look_at_nodes(job: Job | None) -> frozenset[str]:
    """Return the ids of all present nodes. Raises HostError, which names the first node that must not play or check the job."""
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
            why = f"the node {names[node]} can't play: {first_line(error.cause or error)}; install this program there"
        except RayError:
            continue  # the node has gone; if it comes back, it is checked then
        if why is not None:
            raise HostError(why)
        fit.add(node)
    return frozenset(fit)


def _resources() -> dict[str, float]:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]  # Ray has no type for it
    return resources


def _address() -> str:
    return str(ray.util.get_node_ip_address())  # type: ignore[no-untyped-call]  # Ray has no type for it

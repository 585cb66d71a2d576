"""The small trusted process that runs one build: it writes the source, runs each step locked down, and returns the products. It runs as pid
1 of a bubblewrap sandbox (L3) or as an ordinary process, in one thread. When the host is gone and the channel closes, it ends what it
started, removes its folder, and exits. `bots.building.session` is the host's end. It needs only the standard library.
"""

from __future__ import annotations

import contextlib
import encodings.ascii  # noqa: F401  # the user that root drops to may not be allowed into the interpreter's folder
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Final, NoReturn

from bots.building.workspace import ProductError, Room, measure, read_products, remove
from bots.sandbox import forking, lockdown
from bots.sandbox.channel import ChannelClosedError, Message, file_of, number_of, read_all, receive, send, split, texts_of
from bots.sandbox.landlock import Ruleset
from bots.sandbox.levels import Level
from bots.sandbox.limits import Limits, apply_rlimits, cpu_rlimits
from bots.sandbox.reaping import children_of, kill_group, watch

SOURCE: Final = "source"
SPARE: Final = "spare"
"""The subfolders of a build's writable folder: one for its files, where it works, and one for its home and temporary files."""
ATTACKS: Final = "(attacks)"
"""Stands for a step's program, to attempt what a build must not do outside its folder; the next word has the targets."""
_MILLISECONDS: Final = 50
_NOT_LOCKED: Final = b"!"
_NICE: Final = 5


@dataclass(frozen=True, slots=True)
class _Setup:
    """How the steps of this build are run."""

    folder: Path
    source: int
    """The subfolder of ``folder`` where the steps work, opened before the first step, so that it can't be replaced."""
    is_alone: bool
    rules: Ruleset | None
    program: bytes | None
    """The seccomp filter."""
    rlimits: tuple[tuple[int, int, int], ...]
    environment: Mapping[str, str]
    log: int


class _StopError(Exception):
    """The step was stopped; the text says why, and is empty if the host requested it."""


def main(control: int) -> NoReturn:
    """Serve one build, and end. Never returns."""
    channel = socket.socket(fileno=os.dup(control))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, control)
    folder: Path | None = None
    try:
        message, descriptors = receive(channel)
        folder = Path(str(message["folder"]))
        _serve(channel, folder, message, descriptors)
    except ChannelClosedError:
        pass
    except Exception as error:  # noqa: BLE001  # whatever failed, it was not the build, and the host has to be notified
        with contextlib.suppress(ChannelClosedError, OSError):
            send(channel, {"error": str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"})
    if folder is not None and os.getpid() != 1:  # a folder in memory goes with the namespaces
        with contextlib.suppress(OSError):
            remove(folder)
    os._exit(0)


def _serve(channel: socket.socket, folder: Path, message: Message, descriptors: list[int]) -> None:
    """Run the steps in order until one fails, and send the result."""
    log, payload, *programs = descriptors
    level = Level(number_of(message, "level"))
    steps: list[list[str]] = json.loads(str(message["steps"]))
    if any(step[0] == ATTACKS for step in steps):
        for module in ("bots.sandbox.exploit_checks", "encodings.idna"):
            importlib.import_module(module)  # before the step, which can't read either
    lockdown.drop_to(number_of(message, "uid"), number_of(message, "gid"))
    lockdown.close_to_others()
    lockdown.adopt_orphans()
    with contextlib.suppress(OSError):
        os.nice(_NICE)
    lockdown.bind(number_of(message, "core"))
    _lay_down(folder, message, read_all(payload))
    is_alone = level > Level.L0 and bool(message["alone"]) and forking.can_be_alone()
    limits = Limits(
        memory=number_of(message, "memory"),
        file_bytes=number_of(message, "file_bytes"),
        open_files=512,
        processes=number_of(message, "processes"),
    )
    own = [str(folder / each) for each in (SOURCE, SPARE)]
    tasks = 1 if is_alone else number_of(message, "tasks")
    setup = _Setup(
        folder=folder,
        source=os.open(folder / SOURCE, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW),
        is_alone=is_alone,
        rules=lockdown.rules_for_build(own, texts_of(message, "readable")) if level >= Level.L2 else None,
        program=read_all(programs[int(is_alone)]) if programs else None,
        rlimits=limits.rlimits(is_command=True, tasks_of_user=tasks) + cpu_rlimits(number_of(message, "cpu")),
        environment=json.loads(str(message["environment"])),
        log=log,
    )
    room = Room(number_of(message, "most_bytes"), number_of(message, "most_files"), is_own=level is Level.L3)
    for number, step in enumerate(steps):
        status, complaint = _run(channel, setup, room, step)
        if status != 0:
            send(channel, {"step": number, "status": status, "complaint": complaint})
            return
    _hand_back(channel, setup.source, texts_of(message, "products"))


def _lay_down(folder: Path, message: Message, content: bytes) -> None:
    """Write the source. The paths have been checked by the host."""
    source = folder / SOURCE
    for each in (source, folder / SPARE):
        each.mkdir(mode=0o755)
    for name, piece in zip(texts_of(message, "names"), split(content, json.loads(str(message["sizes"]))), strict=True):
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(piece)
        path.chmod(0o755)  # archives and uploads don't tell which files are executable
        os.utime(path, (1, 1))  # equal times, since otherwise the order of the files' ages would depend on how long this takes


def _hand_back(channel: socket.socket, source: int, products: list[str]) -> None:
    try:
        products_made = read_products(source, products)
    except ProductError as error:
        send(channel, {"product": str(error)})
        return
    with file_of(b"".join(products_made.values())) as file:
        send(channel, {"done": True, "sizes": json.dumps([len(each) for each in products_made.values()])}, [file.fileno()])


# One step


def _run(channel: socket.socket, setup: _Setup, room: Room, step: list[str]) -> tuple[int, str]:
    """Run one step to its end; return its exit code, negative for a signal, and why it was stopped, if it was.

    Kills the processes that it has left behind. Raises OSError if it can't be locked down, and ChannelClosedError if the host is gone.
    """
    read, write = os.pipe()
    pid = forking.fork_alone() if setup.is_alone else os.fork()
    if pid == 0:
        _become(setup, step, write)
    os.close(write)
    with os.fdopen(read, "rb") as line:
        complaint = line.read()  # until it is executed, which closes its end
    if complaint.startswith(_NOT_LOCKED):
        os.waitpid(pid, 0)
        raise OSError(f"a build can't be locked down: {complaint[1:].decode(errors='replace')}")
    why = complaint.decode(errors="replace")
    stopped, status = "", None
    try:
        status = _wait(channel, setup, room, pid)
    except _StopError as error:
        stopped = str(error) or "stopped"
    finally:
        kill_group(pid)
        if status is None:
            _, status = os.waitpid(pid, 0)
        if not setup.is_alone:
            _end_the_rest()
    code = os.waitstatus_to_exitcode(status)
    if (over := measure(setup.folder, room)) and (code != 0 or stopped):
        stopped = over
    return (code or 1, stopped) if stopped else (code, why)


def _wait(channel: socket.socket, setup: _Setup, room: Room, pid: int) -> int:
    """Wait for the process and return its status. Raises _StopError if it has to be stopped, and ChannelClosedError."""
    poll = select.poll()
    poll.register(channel, select.POLLIN)
    handles = watch(pid)
    for handle in handles:
        poll.register(handle, select.POLLIN)
    try:
        while True:
            ready = dict(poll.poll(_MILLISECONDS))
            if channel.fileno() in ready:
                receive(channel)
                raise _StopError
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                return status
            if over := measure(setup.folder, room):
                raise _StopError(over)
    finally:
        for handle in handles:
            os.close(handle)


def _become(setup: _Setup, step: list[str], line: int) -> NoReturn:
    """Replace this process by the step. Nothing runs unless the lockdown succeeded; all other descriptors close on exec."""
    parent = 0 if setup.is_alone else os.getppid()
    try:
        os.setsid()
        for place in (1, 2):
            os.dup2(setup.log, place)
        os.chdir("/" if step[0] == ATTACKS else setup.source)
        lockdown.die_with(parent)
        apply_rlimits(setup.rlimits)
        if setup.is_alone:
            lockdown.drop_capabilities()
        if setup.rules is not None:
            setup.rules.restrict_self()
        if setup.program is not None:
            lockdown.Filter(setup.program).load()
    except BaseException as error:  # noqa: BLE001  # whatever failed, nothing may be run
        os.write(line, _NOT_LOCKED + f"{type(error).__name__}: {error}".encode()[:1000])
        os._exit(1)
    if step[0] == ATTACKS:
        os.close(line)
        sys.modules["bots.sandbox.exploit_checks"].run(step[1].encode())
        os._exit(0)
    try:
        os.execvpe(step[0], step, setup.environment)  # noqa: S606  # running the step is the point
    except OSError as error:
        os.write(line, f"'{step[0][:60]}' can't be executed: {error.strerror}".encode())
    os._exit(127)


def _end_the_rest() -> None:
    """Kill and reap all processes that the build has left behind, even those that keep forking."""
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    while True:
        left = _descendants(os.getpid())
        for pid in left:  # stop all first, or one could fork while the others are looked for
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGSTOP)
        if left == _descendants(os.getpid()):
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        if sys.platform != "linux":
            return  # other systems don't report what was left
        sleep(0.001)


def _descendants(pid: int) -> set[int]:
    descendants: set[int] = set()
    wanted = [pid]
    while wanted:
        more = {each for parent in wanted for each in children_of(parent)} - descendants
        descendants |= more
        wanted = list(more)
    return descendants

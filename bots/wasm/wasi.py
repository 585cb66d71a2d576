"""Stubs of ``wasi_snapshot_preview1``, which language runtimes import. They offer no files, real time, environment or other processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bots.wasm.fuel import PART
from bots.wasm.host import LONGEST, Host
from bots.wasm.native import Arguments
from bots.wasm.positions import CallError

MODULE: Final = "wasi_snapshot_preview1"
_BAD_DESCRIPTOR: Final = 8
_NOT_SUPPORTED: Final = 52
_MOST_PARTS: Final = 1024
_LOGS: Final = (1, 2)
_STEP: Final = 1000
"""The nanoseconds that the clock advances whenever it is read. Go's runtime treats a clock that never advances as broken."""
_SUBSCRIPTION: Final = 48
_ABSOLUTE: Final = 1
_U64: Final = 0xFFFFFFFFFFFFFFFF


def _no_descriptor(_host: Host, args: Arguments) -> None:
    args[0] = _BAD_DESCRIPTOR


def _not_supported(_host: Host, args: Arguments) -> None:
    args[0] = _NOT_SUPPORTED


def _none(host: Host, args: Arguments) -> None:
    """Return success without writing any arguments or environment variables."""
    args[0] = 0


def _no_sizes(host: Host, args: Arguments) -> None:
    for place in (0, 4):
        host.write(args[place], bytes(4))
    args[0] = 0


def _clock(host: Host, args: Arguments) -> None:
    """Write the time. The parameters are the clock's number, the precision and the address."""
    host.time = (host.time + _STEP) & _U64
    host.write(args[8], host.time.to_bytes(8, "little"))
    args[0] = 0


def _poll(host: Host, args: Arguments) -> None:
    source, target, count, result = args[0], args[4], args[8], args[12]
    if not 0 < count <= _MOST_PARTS:
        raise CallError(f"the number of events must be from 1 to {_MOST_PARTS:,}, not {count:,}")
    host.charge(count * PART)
    asked = host.read(source, _SUBSCRIPTION * count)
    each = [asked[at : at + _SUBSCRIPTION] for at in range(0, len(asked), _SUBSCRIPTION)]
    sleeps = [int.from_bytes(one[24:32], "little") for one in each if one[8] == 0 and not one[40] & _ABSOLUTE]
    host.time = (host.time + min(sleeps, default=0)) & _U64
    host.write(target, b"".join(one[:8] + bytes(2) + one[8:9] + bytes(21) for one in each))
    host.write(result, count.to_bytes(4, "little"))
    args[0] = 0


def _resolution(host: Host, args: Arguments) -> None:
    host.write(args[4], (1).to_bytes(8, "little"))
    args[0] = 0


def _random(host: Host, args: Arguments) -> None:
    size = args[4]
    if not 0 <= size <= LONGEST:
        raise CallError(f"a length must be from 0 to {LONGEST:,}, not {size:,}")
    host.write(args[0], host.random.randbytes(size))
    args[0] = 0


def _write(host: Host, args: Arguments) -> None:
    descriptor, address, count, result = args[0], args[4], args[8], args[12]
    if descriptor not in _LOGS:
        args[0] = _BAD_DESCRIPTOR
        return
    if not 0 <= count <= _MOST_PARTS:
        raise CallError(f"fd_write accepts 0 to {_MOST_PARTS:,} buffers, not {count:,}")
    host.charge(count * PART)
    parts = host.read(address, 8 * count)
    written = 0
    for place in range(0, 8 * count, 8):
        start, size = (int.from_bytes(parts[each : each + 4], "little") for each in (place, place + 4))
        host.log(host.read(start, size))
        written += size
    host.write(result, written.to_bytes(4, "little"))
    args[0] = 0


def _status(host: Host, args: Arguments) -> None:
    if args[0] not in (0, *_LOGS):
        args[0] = _BAD_DESCRIPTOR
        return
    host.write(args[4], bytes(24))
    args[0] = 0


def _exit(_host: Host, args: Arguments) -> None:
    raise CallError(f"bots must not exit (the code was {args[0]})")


_OTHERS: Final = """
    fd_advise:iIIi fd_allocate:iII fd_close:i fd_datasync:i fd_fdstat_set_flags:ii fd_fdstat_set_rights:iII fd_filestat_get:ii
    fd_filestat_set_size:iI fd_filestat_set_times:iIIi fd_pread:iiiIi fd_prestat_dir_name:iii fd_prestat_get:ii fd_pwrite:iiiIi
    fd_read:iiii fd_readdir:iiiIi fd_renumber:ii fd_seek:iIii fd_sync:i fd_tell:ii path_create_directory:iii path_filestat_get:iiiii
    path_filestat_set_times:iiiiIIi path_link:iiiiiii path_open:iiiiiIIii path_readlink:iiiiii path_remove_directory:iii
    path_rename:iiiiii path_symlink:iiiii path_unlink_file:iii sock_accept:iii sock_recv:iiiiii sock_send:iiiii sock_shutdown:ii
"""
"""Calls that take a file descriptor. They fail, since no files can be opened."""

CALLS: Final[dict[str, tuple[str, str, Callable[[Host, Arguments], None]]]] = {
    **{name: (kinds, "i", _no_descriptor) for name, kinds in (each.split(":") for each in _OTHERS.split())},
    "args_get": ("ii", "i", _none),
    "args_sizes_get": ("ii", "i", _no_sizes),
    "clock_res_get": ("ii", "i", _resolution),
    "clock_time_get": ("iIi", "i", _clock),
    "environ_get": ("ii", "i", _none),
    "environ_sizes_get": ("ii", "i", _no_sizes),
    "fd_fdstat_get": ("ii", "i", _status),
    "fd_write": ("iiii", "i", _write),
    "poll_oneoff": ("iiii", "i", _poll),
    "proc_exit": ("i", "", _exit),
    "proc_raise": ("i", "i", _not_supported),
    "random_get": ("ii", "i", _random),
    "sched_yield": ("", "i", _none),
}
"""By name of a function: the types of its parameters and of its result, and its implementation, as in ``calls.CALLS``."""

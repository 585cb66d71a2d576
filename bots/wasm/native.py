"""Calls of wasmtime's C API that every turn makes, without the conversions of wasmtime-py's own wrappers, which cost 20 us a call.

Everything else goes through wasmtime-py. Structures and functions are those of ``wasmtime._bindings``, which it generates from the header.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from wasmtime import Instance, Linker, Store, Trap, WasmtimeError
from wasmtime import _bindings as c
from wasmtime._ffi import dll

Arguments: TypeAlias = Any
"""A pointer to a call's 16-byte slots, in which its results are left, too; as int32 by default, so that slot n is ``[4 * n]``."""

_P = ctypes.c_void_p


def _quick(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function that keeps Python's lock, since it takes less time than releasing that."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, dll))


def _slow(name: str, result: Any, *arguments: Any) -> Any:
    """Return a function that lets other threads run meanwhile."""
    return ctypes.CFUNCTYPE(result, *arguments)((name, dll))


_get_fuel: Final = _quick("wasmtime_context_get_fuel", _P, _P, _P)
_set_fuel: Final = _quick("wasmtime_context_set_fuel", _P, _P, ctypes.c_uint64)
_set_deadline: Final = _quick("wasmtime_context_set_epoch_deadline", None, _P, ctypes.c_uint64)
_memory_data: Final = _quick("wasmtime_memory_data", _P, _P, _P)
_memory_size: Final = _quick("wasmtime_memory_data_size", ctypes.c_size_t, _P, _P)
_call: Final = _slow("wasmtime_func_call_unchecked", _P, _P, _P, _P, ctypes.c_size_t, _P)
_define: Final = _quick(
    "wasmtime_linker_define_func_unchecked",
    _P, _P, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, _P, _P, _P, _P,
)  # fmt: skip
_new_trap: Final = _quick("wasmtime_trap_new", _P, ctypes.c_char_p, ctypes.c_size_t)
_new_error: Final = _quick("wasmtime_error_new", _P, ctypes.c_char_p)
_on_deadline: Final = _quick("wasmtime_store_epoch_deadline_callback", None, _P, _P, _P, _P)

HostCall = ctypes.CFUNCTYPE(_P, _P, _P, ctypes.POINTER(ctypes.c_int32), ctypes.c_size_t)
Deadline = ctypes.CFUNCTYPE(_P, _P, _P, ctypes.POINTER(ctypes.c_uint64), _P)
_SLOT: Final = 16
_Slots: Final = ctypes.c_int32 * (_SLOT // 4)


def trap_of(text: bytes) -> int:
    """Return a trap for a `HostCall` to give back, which owns it."""
    return _new_trap(text, len(text))  # type: ignore[no-any-return]


def error_of(text: bytes) -> int:
    """Return an error for a `Deadline` to give back, which owns it."""
    return _new_error(text)  # type: ignore[no-any-return]


def define(linker: Linker, module: str, name: str, kind: Any, callback: Any) -> None:
    """Define a function that modules may import; the caller keeps ``callback`` alive."""
    first, second = module.encode(), name.encode()
    pointer = ctypes.cast(callback, _P)
    failed = _define(_address(linker.ptr()), first, len(first), second, len(second), _address(kind.ptr()), pointer, None, None)
    if failed:
        raise WasmtimeError._from_ptr(ctypes.cast(failed, ctypes.POINTER(c.wasmtime_error_t)))  # noqa: SLF001  # as wasmtime-py does


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, _P).value or 0


class Function:
    """An exported function of at most one argument and one result, both i32."""

    __slots__ = ("_context", "_function", "_kept", "_slots", "_trap", "_trap_reference")

    def __init__(self, store: Store, found: c.wasmtime_extern_t) -> None:
        self._kept = found
        self._context = _address(store._context())  # noqa: SLF001  # there is no other way to it
        self._function = ctypes.addressof(found.of)
        self._slots = _Slots()
        self._trap = ctypes.c_void_p()
        self._trap_reference = ctypes.byref(self._trap)

    def __call__(self, argument: int = 0) -> int:
        """Call it. Raises Trap or WasmtimeError."""
        slots = self._slots
        slots[0] = argument
        error = _call(self._context, self._function, slots, 1, self._trap_reference)
        if error:
            raise WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(c.wasmtime_error_t)))  # noqa: SLF001
        if self._trap.value:
            trap = ctypes.cast(self._trap.value, ctypes.POINTER(c.wasm_trap_t))
            self._trap.value = None
            raise Trap._from_ptr(trap)  # noqa: SLF001
        return slots[0]


class Machine:
    """A store and its one instance: fuel, memory and exported functions."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._context = _address(store._context())  # noqa: SLF001  # there is no other way to it
        self._fuel = ctypes.c_uint64()
        self._fuel_reference = ctypes.byref(self._fuel)
        self._memory: int | None = None
        self._kept: list[object] = []

    def on_deadline(self, callback: Any) -> None:
        """Call that each time the epoch passes the deadline, which is the next tick."""
        self._kept.append(callback)
        _on_deadline(_address(self._store.ptr()), ctypes.cast(callback, _P), None, None)

    def adopt(self, instance: Instance) -> None:
        """Take the instance's memory."""
        found = self._export(instance, "memory")
        assert found is not None
        self._kept.append(found)
        self._memory = ctypes.addressof(found.of)

    def function(self, instance: Instance, name: str) -> Function | None:
        """Return an exported function, None if there is none of that name."""
        found = self._export(instance, name)
        return None if found is None else Function(self._store, found)

    def _export(self, instance: Instance, name: str) -> c.wasmtime_extern_t | None:
        found = c.wasmtime_extern_t()
        encoded = ctypes.create_string_buffer(name.encode())
        raw = ctypes.byref(instance._instance)  # noqa: SLF001  # there is no other way to it
        is_there = c.wasmtime_instance_export_get(self._store._context(), raw, encoded, len(encoded) - 1, ctypes.byref(found))  # noqa: SLF001
        return found if is_there else None

    @property
    def fuel(self) -> int:
        """What is left."""
        _get_fuel(self._context, self._fuel_reference)
        return self._fuel.value

    @fuel.setter
    def fuel(self, units: int) -> None:
        _set_fuel(self._context, units)

    def set_deadline(self) -> None:
        """Have the next tick be noticed."""
        _set_deadline(self._context, 1)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes of the memory. Raises IndexError if they are not all within it."""
        return ctypes.string_at(self._place(address, size), size)

    def write(self, address: int, data: bytes) -> None:
        """Write to the memory. Raises IndexError if that is not all within it."""
        ctypes.memmove(self._place(address, len(data)), data, len(data))

    def check(self, address: int, size: int) -> None:
        """Raise IndexError unless that part of the memory is there."""
        self._place(address, size)

    def _place(self, address: int, size: int) -> int:
        if self._memory is None or address < 0 or size < 0 or address + size > _memory_size(self._context, self._memory):
            raise IndexError(address)
        return (_memory_data(self._context, self._memory) or 0) + address


def host_call(function: Callable[[Arguments], None], failed: Callable[[BaseException], None]) -> Any:
    """Return a function for `define`, which traps when ``function`` raises anything; ``failed`` is told what."""

    def call(_environment: object, _caller: object, arguments: Arguments, _count: int) -> int | None:
        try:
            function(arguments)
        except BaseException as error:  # noqa: BLE001  # nothing may be raised through the module's frames, not even Ctrl-C
            failed(error)
            return trap_of(b"a call of the host")
        return None

    return HostCall(call)

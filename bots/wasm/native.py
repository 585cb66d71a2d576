"""Fast versions of the calls to wasmtime's C API that are made in every turn. The wrappers in wasmtime-py take 20 us more per call.

Everything else goes through wasmtime-py. The structures and functions come from ``wasmtime._bindings``, generated from the C header.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from wasmtime import Instance, Linker, Store, Trap, WasmtimeError
from wasmtime import _bindings as c
from wasmtime._ffi import dll

Arguments: TypeAlias = Any
"""A pointer to a call's 16-byte slots for parameters and results, with elements of type int32, so that slot n starts at ``[4 * n]``."""

Function: TypeAlias = Callable[[int], int]
"""An exported function with at most one argument and one result, both i32. It may raise Trap or WasmtimeError."""

_P = ctypes.c_void_p


def _quick(name: str, result: Any, *arguments: Any) -> Any:
    """Return a C function that keeps the GIL, since it takes less time than releasing the GIL would."""
    return ctypes.PYFUNCTYPE(result, *arguments)((name, dll))


def _slow(name: str, result: Any, *arguments: Any) -> Any:
    """Return a C function that releases the GIL."""
    return ctypes.CFUNCTYPE(result, *arguments)((name, dll))


_get_fuel: Final = _quick("wasmtime_context_get_fuel", _P, _P, _P)
_set_fuel: Final = _quick("wasmtime_context_set_fuel", _P, _P, ctypes.c_uint64)
_memory_data: Final = _quick("wasmtime_memory_data", _P, _P, _P)
_memory_size: Final = _quick("wasmtime_memory_data_size", ctypes.c_size_t, _P, _P)
_export_get: Final = _quick("wasmtime_instance_export_get", ctypes.c_bool, _P, _P, ctypes.c_char_p, ctypes.c_size_t, _P)
_call: Final = _slow("wasmtime_func_call_unchecked", _P, _P, _P, _P, ctypes.c_size_t, _P)
_define: Final = _quick(
    "wasmtime_linker_define_func_unchecked",
    _P, _P, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t, _P, _P, _P, _P,
)  # fmt: skip
_new_trap: Final = _quick("wasmtime_trap_new", _P, ctypes.c_char_p, ctypes.c_size_t)

_memmove: Final = ctypes.memmove
_string_at: Final = ctypes.string_at

HostCall = ctypes.CFUNCTYPE(_P, _P, _P, ctypes.POINTER(ctypes.c_int32), ctypes.c_size_t)
_SLOT: Final = 16
_STOPPED: Final = b"stopped by the host"
_Slots: Final = ctypes.c_int32 * (_SLOT // 4)


def define(linker: Linker, module: str, name: str, kind: Any, callback: Any) -> None:
    """Define a function that modules may import. The caller must keep ``callback`` alive."""
    first, second = module.encode(), name.encode()
    pointer = ctypes.cast(callback, _P)
    failed = _define(_address(linker.ptr()), first, len(first), second, len(second), _address(kind.ptr()), pointer, None, None)
    if failed:
        raise WasmtimeError._from_ptr(ctypes.cast(failed, ctypes.POINTER(c.wasmtime_error_t)))  # noqa: SLF001  # as wasmtime-py does


def _address(pointer: Any) -> int:
    return ctypes.cast(pointer, _P).value or 0


def _function(context: int, export: c.wasmtime_extern_t) -> Function:
    function = ctypes.addressof(export.of)
    slots, trap = _Slots(), _P()
    place, trap_place = ctypes.addressof(slots), ctypes.addressof(trap)

    def call(argument: int, _export: c.wasmtime_extern_t = export) -> int:  # keeps the export alive
        slots[0] = argument
        error = _call(context, function, place, 1, trap_place)
        if error:
            raise WasmtimeError._from_ptr(ctypes.cast(error, ctypes.POINTER(c.wasmtime_error_t)))  # noqa: SLF001
        if trap:
            failed = ctypes.cast(trap, ctypes.POINTER(c.wasm_trap_t))
            trap.value = None
            raise Trap._from_ptr(failed)  # noqa: SLF001
        return slots[0]

    return call


class Machine:
    """The fuel, memory and exported functions of the WebAssembly instance in a wasmtime store that holds no other instance."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._context = _address(store._context())  # noqa: SLF001  # there is no public way to get it
        self._fuel = ctypes.c_uint64()
        self._fuel_place = ctypes.addressof(self._fuel)
        self._instance = self._memory = 0
        self._size = self._base = 0
        self._kept: list[object] = []

    def adopt(self, instance: Instance) -> None:
        """Set the instance and its memory. Nothing can be read or written before this."""
        self._instance = ctypes.addressof(instance._instance)  # noqa: SLF001  # there is no public way to get it
        export = self._export("memory")
        assert export is not None
        self._kept += [instance, export]
        self._memory = ctypes.addressof(export.of)

    def function(self, name: str) -> Function | None:
        """Return the exported function with this name, or None if there is none."""
        export = self._export(name)
        return None if export is None else _function(self._context, export)

    def _export(self, name: str) -> c.wasmtime_extern_t | None:
        export = c.wasmtime_extern_t()
        encoded = name.encode()
        is_there = _export_get(self._context, self._instance, encoded, len(encoded), ctypes.addressof(export))
        return export if is_there else None

    def fuel(self) -> int:
        """Return the remaining fuel."""
        _get_fuel(self._context, self._fuel_place)
        return self._fuel.value

    def set_fuel(self, units: int) -> None:
        """Set the remaining fuel."""
        _set_fuel(self._context, units)

    def read(self, address: int, size: int) -> bytes:
        """Return bytes from the memory. Raises IndexError unless all of them are within it."""
        return _string_at(self._place(address, size), size)

    def write(self, address: int, data: bytes, room: int = 0) -> None:
        """Write to the memory. Raises IndexError if the data, or ``room`` bytes at the same address, would not fit into it."""
        _memmove(self._place(address, max(room, len(data))), data, len(data))

    def _place(self, address: int, size: int) -> int:
        if address < 0 or size < 0:
            raise IndexError(address)
        if address + size > self._size:  # the memory may have grown
            self._size = _memory_size(self._context, self._memory) if self._memory else 0
            if address + size > self._size:
                raise IndexError(address)
            self._base = _memory_data(self._context, self._memory) or 0  # the memory never moves
        return self._base + address


def host_call(function: Callable[[Arguments], None], failed: Callable[[BaseException], None]) -> Any:
    """Return a callback for `define` that traps if ``function`` raises anything. ``failed`` is called with the exception."""

    def call(_environment: object, _caller: object, arguments: Arguments, _count: int) -> int | None:
        try:
            function(arguments)
        except BaseException as error:  # noqa: BLE001  # no exception may pass through the module's frames, not even Ctrl-C
            failed(error)
            return _new_trap(_STOPPED, len(_STOPPED))  # type: ignore[no-any-return]
        return None

    return HostCall(call)

"""The imports and exports that modules may or must have, and the linker that provides the imports."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from typing import Final

from wasmtime import FuncType, InstancePre, Linker, MemoryType, Module, ValType

from bots.errors import ModuleError
from bots.wasm import calls, wasi
from bots.wasm.engine import engine, load_compiled
from bots.wasm.fuel import CALL
from bots.wasm.host import Host, running
from bots.wasm.native import Arguments, define, host_call

BUFFER: Final = "arena_buffer"
MESSAGE: Final = "arena_message"
INITIALIZE: Final = "_initialize"
_KINDS: Final = {"i": ValType.i32, "I": ValType.i64, "F": ValType.f64}
_NAMES: Final = {"i": "i32", "I": "i64", "F": "f64"}
_OFFERED: Final[dict[str, dict[str, tuple[str, str, Callable[[Host, Arguments], None]]]]] = {
    calls.MODULE: calls.CALLS,
    wasi.MODULE: wasi.CALLS,
}
_NEEDED: Final = {BUFFER: ("i", "i"), MESSAGE: ("i", "i")}
_OPTIONAL: Final = {INITIALIZE: ("", "")}


def check_interface(module: Module) -> None:
    """Raise ModuleError unless the module exports everything that a bot must export, and imports only functions that hosts offer."""
    for each in module.imports:
        _check_import(each.module, each.name or "", each.type)
    exports = {each.name: each.type for each in module.exports}
    if not isinstance(exports.get("memory"), MemoryType):
        raise ModuleError("does not export its memory as 'memory'")
    for name, (parameters, results) in (_NEEDED | _OPTIONAL).items():
        if name not in exports and name in _OPTIONAL:
            continue
        wanted = _signature(parameters, results)
        if name not in exports:
            raise ModuleError(f"does not export the function {name} {wanted}")
        kind = exports[name]
        if not isinstance(kind, FuncType):
            raise ModuleError(f"exports {name}, but not as a function {wanted}")
        if _type_of(kind) != wanted:
            raise ModuleError(f"exports {name} as {_type_of(kind)}, but its type must be {wanted}")


def _check_import(module: str, name: str, kind: object) -> None:
    shown = f"{module:.60}.{name:.60}"
    offered = _OFFERED.get(module, {}).get(name)
    if not isinstance(kind, FuncType):
        raise ModuleError(f"imports {shown}, which is not a function; a bot must define its own memory, tables and globals")
    if offered is None:
        raise ModuleError(f"imports {shown}, which hosts don't offer; it may import the functions of {calls.MODULE} (docs/wasm.md)")
    wanted = _signature(offered[0], offered[1])
    if _type_of(kind) != wanted:
        raise ModuleError(f"imports {shown} as {_type_of(kind)}, but its type is {wanted}")


def _signature(parameters: str, results: str) -> str:
    text = f"({', '.join(_NAMES[each] for each in parameters)})"
    return f"{text} -> {_NAMES[results]}" if results else text


def _type_of(kind: FuncType) -> str:
    text = f"({', '.join(map(str, kind.params))})"
    results = ", ".join(map(str, kind.results))
    return f"{text} -> {results}" if results else text


@cache
def linker() -> Linker:
    """Return the linker, which provides the host's functions to modules."""
    made = Linker(engine())
    for module, offered in _OFFERED.items():
        for name, (parameters, results, function) in offered.items():
            kind = FuncType([_KINDS[each]() for each in parameters], [_KINDS[each]() for each in results])
            callback = host_call(partial(_answer, name, function), _failed)
            _CALLBACKS.append(callback)
            define(made, module, name, kind, callback)
    return made


_CALLBACKS: Final[list[object]] = []


def _answer(name: str, function: Callable[[Host, Arguments], None], arguments: Arguments) -> None:
    host = running()
    host.called = name
    host.charge(CALL)
    function(host, arguments)


def _failed(error: BaseException) -> None:
    running().failure = error


@lru_cache(maxsize=64)
def link(compiled: bytes) -> InstancePre:
    """Return a compiled module, ready to be instantiated. The bytes must be trusted, since they are machine code."""
    return linker().instantiate_pre(load_compiled(compiled))

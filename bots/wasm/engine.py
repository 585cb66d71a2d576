"""The engine that compiles and runs WebAssembly modules, with one configuration, so that code and fuel are the same everywhere."""

from __future__ import annotations

import platform
import sys
from functools import cache
from typing import Final

from wasmtime import Config, Engine, Module, WasmtimeError

from bots.errors import ModuleError

MIB: Final = 1 << 20
STACK: Final = 512 << 10
"""The size in bytes of the native stack for a module's calls, which is checked at each call. The host's threads have larger stacks."""
RESERVED: Final = 4 << 30
"""The address space reserved for a memory, in bytes. This is the memory's largest possible size, so the memory never moves."""
_BASELINE: Final = ("has_sse3", "has_ssse3", "has_sse41", "has_sse42", "has_popcnt")
"""Features of processors of the last fifteen years (x86-64-v2). Code for the exact processor of a machine would have different stack
frames."""
_OFF: Final = """
    parallel_compilation signals_based_traps memory_may_move memory_init_cow shared_memory gc_support wasm_threads wasm_relaxed_simd
    wasm_memory64 wasm_multi_memory wasm_custom_page_sizes wasm_gc wasm_function_references wasm_exceptions wasm_stack_switching
    wasm_component_model
"""
"""Settings of wasmtime that are turned off. Most of them enable proposals that modules must not use."""
_TARGETS: Final = {
    ("linux", "x86_64"): "x86_64-unknown-linux-gnu",
    ("linux", "aarch64"): "aarch64-unknown-linux-gnu",
    ("darwin", "x86_64"): "x86_64-apple-darwin",
    ("darwin", "arm64"): "aarch64-apple-darwin",
    ("win32", "AMD64"): "x86_64-pc-windows-msvc",
}


@cache
def engine() -> Engine:
    """Return the engine of this process. It has no threads and no signal handlers, so the process may fork."""
    return Engine(configuration())


def configuration() -> Config:
    """Return the configuration for compiling and running modules."""
    config = Config()
    config.consume_fuel = True
    config.cranelift_nan_canonicalization = True
    config.max_wasm_stack = STACK
    config.memory_reservation = RESERVED
    config.memory_guard_size = 0
    for name in _OFF.split():
        assert hasattr(type(config), name), name
        setattr(config, name, False)
    target = _TARGETS.get((sys.platform, platform.machine()))
    if target is not None:
        config.target = target
        for flag in _BASELINE if target.startswith("x86_64") else ():
            config.cranelift_flag_enable(flag)
    return config


def compile_module(wasm: bytes) -> Module:
    """Return the compiled module. Raises ModuleError if ``wasm`` is not a module or uses a disabled proposal."""
    if not wasm.startswith(b"\0asm"):
        raise ModuleError("is not a WebAssembly module")
    if wasm[4:8] != b"\1\0\0\0":
        raise ModuleError("is not a WebAssembly module of version 1 (a component can't be played: link a core module)")
    try:
        return Module(engine(), wasm)
    except WasmtimeError as error:
        raise ModuleError(f"is not a valid module: {reason(error)}") from None


def load_compiled(compiled: bytes) -> Module:
    """Return a module that was compiled by this engine. The bytes must be trusted, since they are machine code."""
    return Module.deserialize(engine(), compiled)


def reason(error: WasmtimeError) -> str:
    """Return the cause of a wasmtime error, which is the last line of its message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].split(": ", 1)[-1] if lines and lines[-1][:2].rstrip(":").isdigit() else (lines[-1] if lines else "unknown")

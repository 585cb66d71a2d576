"""Modules for tests, written as text: a bot that plays the first legal move, with places where a test makes it do something else."""

from __future__ import annotations

from functools import cache

import wasmtime

from bots.loader import apart
from bots.loader.manifest import module_bundle
from bots.loader.version import BotVersion
from bots.wasm.engine import compile_module

HELLO = '{"type":"hello","protocol":1,"name":"wat"}'
HELLO_AND_FINISH = '{"type":"hello","protocol":1,"name":"wat","wants":["finish"]}'
ANSWER = '{"type":"answer","token":"0123456789abcdef","move":"'
IMPORTS = """
  (import "arena_v1" "log" (func $log (param i32 i32)))
  (import "arena_v1" "fuel" (func $fuel (result i64)))
  (import "arena_v1" "legal" (func $legal (param i32) (result i32)))
  (import "arena_v1" "move" (func $move (param i32 i32 i32 i32) (result i32)))
  (import "arena_v1" "find" (func $find (param i32 i32 i32) (result i32)))
  (import "arena_v1" "actor" (func $actor (param i32) (result i32)))
  (import "arena_v1" "text" (func $text (param i32 i32 i32) (result i32)))
  (import "arena_v1" "sample" (func $sample (param i64) (result i32)))
  (import "arena_v1" "copy" (func $copy (param i32) (result i32)))
  (import "arena_v1" "play" (func $play (param i32 i32) (result i32)))
  (import "arena_v1" "playout" (func $playout (param i32 i64) (result i32)))
  (import "arena_v1" "score" (func $score (param i32 i32) (result f64)))
  (import "arena_v1" "rank" (func $rank (param i32 i32) (result i32)))
  (import "arena_v1" "drop" (func $drop (param i32)))
"""
TEMPLATE = """
(module
  {imports}
  (memory (export "memory") {pages})
  (global $told (mut i32) (i32.const 0))
  (global $index (mut i32) (i32.const 0))
  (data (i32.const 1024) "{hello}")
  (data (i32.const 2048) "{answer}")
  {extra}
  (func $token (param $end i32) (result i32) (local $at i32)
    (local.set $at (i32.const 65536))
    (loop $next
      (if (i64.eq (i64.load (local.get $at)) (i64.const 0x223a226e656b6f74))
        (then (return (i32.add (local.get $at) (i32.const 8)))))
      (local.set $at (i32.add (local.get $at) (i32.const 1)))
      (br_if $next (i32.lt_u (local.get $at) (local.get $end))))
    (unreachable))
  (func $answer (param $n i32) (result i32) (local $length i32)
    (memory.copy (i32.const 2074) (call $token (i32.add (i32.const 65536) (local.get $n))) (i32.const 16))
    (memory.copy (i32.const 65536) (i32.const 2048) (i32.const 52))
    (local.set $length (call $move (i32.const 0) (global.get $index) (i32.const 65588) (i32.const 1000)))
    (i32.store16 (i32.add (i32.const 65588) (local.get $length)) (i32.const 0x7d22))
    (i32.add (i32.const 54) (local.get $length)))
  (func $say (param $from i32) (param $size i32) (result i32)
    (memory.copy (i32.const 65536) (local.get $from) (local.get $size))
    (local.get $size))
  (func (export "arena_buffer") (param $size i32) (result i32) {buffer})
  (func (export "arena_message") (param $n i32) (result i32) (local $h i32) (local $i i32)
    (if (i32.eqz (global.get $told)) (then
      (global.set $told (i32.const 1))
      {start}
      (return (call $say (i32.const 1024) (i32.const {hello_size})))))
    {decide}
    (call $answer (local.get $n))))
"""


def text_of(
    *, start: str = "", decide: str = "", extra: str = "", buffer: str = "(i32.const 65536)", pages: str = "4", hello: str = HELLO
) -> str:
    """Return the text of a bot with something else in some place. ``decide`` has the locals $n, $h and $i."""
    return TEMPLATE.format(
        imports=IMPORTS, pages=pages, hello=escaped(hello), hello_size=len(hello.encode()), answer=escaped(ANSWER), extra=extra,
        start=start, decide=decide, buffer=buffer,
    )  # fmt: skip


def escaped(text: str | bytes) -> str:
    """Return a string of the text format."""
    data = text if isinstance(text, bytes) else text.encode()
    return "".join(f"\\{byte:02x}" for byte in data)


def says(data: str | bytes, at: int = 4096) -> tuple[str, str]:
    """Return what a bot needs to answer with those bytes: a data segment, and instructions."""
    size = len(data.encode() if isinstance(data, str) else data)
    return f'(data (i32.const {at}) "{escaped(data)}")', f"(return (call $say (i32.const {at}) (i32.const {size})))"


@cache
def assembled(text: str) -> bytes:
    """Return the module."""
    return bytes(wasmtime.wat2wasm(text))


@cache
def compiled(text: str) -> bytes:
    """Return the module's machine code, compiled in this process, which takes a tenth of the time."""
    wasm = assembled(text)
    apart._COMPILED[wasm] = code = bytes(compile_module(wasm).serialize())
    return code


def version_of(wasm: bytes, name: str = "wat") -> BotVersion:
    """Return the version of a bot without reading it as a host does, so that its faults can be tried."""
    bundle = module_bundle(name, wasm)
    return BotVersion(name, bundle.digest(""), f"{name}.wasm", "", files=bundle.files, wasm=bundle.wasm)


def bot(name: str = "wat", **parts: str) -> BotVersion:
    """Return a bot that plays the first legal move, but for what is given."""
    compiled(text := text_of(**parts))
    return version_of(assembled(text), name)

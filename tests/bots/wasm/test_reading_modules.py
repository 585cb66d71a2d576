"""What is no bot is refused when it is read, in one sentence, and none of its code runs."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest
import wasmtime

from bots.errors import BotError, ModuleError
from bots.loader.loading import identify, resolve
from bots.loader.version import is_genuine, pack, unpack
from bots.wasm.engine import compile_module
from bots.wasm.interface import check_interface
from tests.bots.wasm.modules import assembled, text_of

GOOD = text_of()
MEMORY = '(memory (export "memory") 2)'
BUFFER = '(func (export "arena_buffer") (param i32) (result i32) (i32.const 0))'
MESSAGE = '(func (export "arena_message") (param i32) (result i32) (i32.const 0))'
ALL = MEMORY + BUFFER + MESSAGE
REFUSED = {
    "no_memory": (BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "hidden_memory": ("(memory 2)" + BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "memory_is_a_function": ('(func (export "memory"))' + BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "no_buffer": (MEMORY + MESSAGE, "does not export the function arena_buffer (i32) -> i32"),
    "no_message": (MEMORY + BUFFER, "does not export the function arena_message (i32) -> i32"),
    "message_is_a_global": (
        MEMORY + BUFFER + '(global (export "arena_message") i32 (i32.const 0))',
        "exports arena_message, which should be a function (i32) -> i32, as something else",
    ),
    "wrong_signature": (
        MEMORY + BUFFER + '(func (export "arena_message") (param i64))',
        "exports arena_message (i64), which should be (i32) -> i32",
    ),
    "wrong_initialize": (ALL + '(func (export "_initialize") (param i32))', "exports _initialize (i32), which should be ()"),
    "unknown_module": ('(import "env" "abort" (func (param i32)))' + ALL, "imports env.abort, which no host offers; it may import"),
    "unknown_call": ('(import "arena_v1" "time" (func (result i64)))' + ALL, "imports arena_v1.time, which no host offers"),
    "later_version": ('(import "arena_v2" "legal" (func (param i32) (result i32)))' + ALL, "imports arena_v2.legal, which no host offers"),
    "other_wasi": ('(import "wasi_unstable" "random_get" (func (param i32 i32) (result i32)))' + ALL, "imports wasi_unstable.random_get"),
    "wrong_import": (
        '(import "arena_v1" "legal" (func (param i64) (result i32)))' + ALL,
        "imports arena_v1.legal as (i64) -> i32, which is (i32) -> i32",
    ),
    "imports_memory": ('(import "env" "memory" (memory 1))' + BUFFER + MESSAGE, "imports env.memory, which is not a function"),
    "imports_table": ('(import "env" "table" (table 1 funcref))' + ALL, "imports env.table, which is not a function"),
    "imports_global": ('(import "arena_v1" "legal" (global i32))' + ALL, "imports arena_v1.legal, which is not a function"),
    "shared_memory": ('(memory (export "memory") 1 2 shared)' + BUFFER + MESSAGE, "threads must be enabled"),
    "atomics": (ALL + "(func (drop (i32.atomic.load (i32.const 0))))", "threads support is not enabled"),
    "two_memories": (ALL + "(memory 1)", "multiple memories"),
    "memory64": ('(memory (export "memory") i64 1)' + BUFFER + MESSAGE, "memory64 must be enabled"),
    "relaxed_simd": (
        ALL + "(func (param v128) (result v128) (f32x4.relaxed_madd (local.get 0) (local.get 0) (local.get 0)))",
        "relaxed SIMD support is not enabled",
    ),
    "exceptions": (ALL + "(tag (param i32))", "exceptions proposal not enabled"),
    "garbage_collection": (ALL + "(type (struct (field i32)))", "without the gc feature"),
    "invalid": (ALL + "(func (result i32))", "type mismatch: expected i32 but nothing on stack"),
}


def refusal(path: Path) -> str:
    with pytest.raises(BotError) as caught:
        identify(str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_a_module_that_is_no_bot_is_refused_by_what_is_wrong(text: str, words: str) -> None:
    with pytest.raises(ModuleError) as caught:
        check_interface(compile_module(assembled(f"(module {text})")))
    assert words in str(caught.value)


def test_a_bot_is_refused_by_what_is_wrong_with_its_module(tmp_path: Path) -> None:
    text, words = REFUSED["no_buffer"]
    (tmp_path / "bot.wasm").write_bytes(assembled(f"(module {text})"))
    assert words in refusal(tmp_path / "bot.wasm")


def test_every_truncation_of_a_module_is_refused(tmp_path: Path) -> None:
    wasm = assembled(GOOD)
    for size in range(20, len(wasm) - 1, len(wasm) // 3):
        (tmp_path / "bot.wasm").write_bytes(wasm[:size])
        assert refusal(tmp_path / "bot.wasm").startswith(f"the bot {tmp_path / 'bot.wasm'} ")


@pytest.mark.parametrize(
    "kind", [pytest.param("functions", marks=pytest.mark.slow), "blocks", "locals", pytest.param("exports", marks=pytest.mark.slow)]
)
def test_what_is_slow_to_compile_is_compiled_or_refused_in_time(kind: str, tmp_path: Path) -> None:
    texts = {
        "functions": "(func (result i32) (i32.add (i32.const 1) (i32.const 2)))" * 100_000,
        "blocks": "(func " + "(block " * 3000 + ")" * 3000 + ")",
        "locals": "(func (local " + "i64 " * 49_000 + ")" + "(local.set 48999 (local.get 0))" * 20_000 + ")",
        "exports": "(func $f)" + "".join(f'(export "f{number}" (func $f))' for number in range(50_000)),
    }
    (tmp_path / "bot.wasm").write_bytes(bytes(wasmtime.wat2wasm(f"(module {ALL} {texts[kind]})")))
    began = monotonic()
    with suppress(BotError):
        identify(str(tmp_path / "bot.wasm"))
    assert monotonic() - began < 250  # pytest ends it after 300 s


def test_a_module_is_the_same_bot_alone_in_a_folder_and_in_an_archive(tmp_path: Path) -> None:
    wasm = assembled(GOOD)
    (tmp_path / "mine.wasm").write_bytes(wasm)
    folder = tmp_path / "mine"
    (folder / "build").mkdir(parents=True)
    (folder / "build" / "out.wasm").write_bytes(wasm)
    (folder / "main.c").write_text("int main;")
    (folder / "bot.toml").write_text('wasm = "build/out.wasm"\n')
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        archive.writestr("bot.wasm", wasm)
    versions = [identify(str(tmp_path / name)) for name in ("mine.wasm", "mine", "mine.zip")]
    assert {version.digest for version in versions} == {versions[0].digest}
    assert {version.name for version in versions} == {"mine"}
    assert all(is_genuine(version) and unpack(pack(version)) == version for version in versions)
    assert resolve(str(tmp_path / "mine.wasm")) == versions[0]


def test_without_wasmtime_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.wasm").write_bytes(assembled(text_of(decide="(nop) (nop) (nop) (nop)")))
    monkeypatch.setattr("bots.loader.apart.find_spec", lambda name: None)
    assert refusal(tmp_path / "bot.wasm").endswith("wasmtime, which is not installed; pip install 'tile-arena[wasm]'")

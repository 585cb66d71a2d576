"""Modules that misbehave while they play or that are no bots: each gets its fault or its sentence."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
import wasmtime

from bots.errors import BotError, ModuleError
from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.loader.loading import identify, resolve
from bots.loader.version import is_genuine, pack, unpack
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.probe import best_level
from bots.wasm.engine import compile_module
from bots.wasm.interface import check_interface
from engine.records import FaultKind, MatchResult
from tests.bots.playing import CRASH, FLOOD, ILLEGAL, INIT, LATE, MEMORY, PROTOCOL, play_random
from tests.bots.wasm.modules import HELLO_AND_FINISH, assembled, bot, says, text_of

FUEL = ClockSpec(mode=ClockMode.FUEL, start=None, move=None, start_fuel=5_000_000, move_fuel=10_000_000)

CPU = ClockSpec(start=0.25, move=0.1, strikes=0, slack=100.0)

LOOP = "(loop $ever (br $ever))"

ALL_MEMORY = "(drop (memory.grow (i32.const 4000))) (loop $ever (memory.fill (i32.const 0) (i32.const 1) (i32.const 0xfa00000)) (br $ever))"


def answering(data: str | bytes) -> dict[str, str]:
    """Return a bot that answers its first decision with those bytes."""
    segment, instructions = says(data)
    return {"extra": segment, "decide": instructions}


WANTED: dict[str, tuple[dict[str, str], FaultKind, str]] = {
    "unreachable": ({"decide": "(unreachable)"}, CRASH, "it trapped: wasm `unreachable` instruction executed"),
    "divides": ({"decide": "(drop (i32.div_s (i32.const 1) (i32.const 0)))"}, CRASH, "it trapped: integer divide by zero"),
    "overflows": ({"decide": "(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))"}, CRASH, "it trapped: integer overflow"),
    "converts": ({"decide": "(drop (i32.trunc_f64_s (f64.const nan)))"}, CRASH, "it trapped: invalid conversion to integer"),
    "reads_outside": ({"decide": "(drop (i32.load (i32.const 0x7fffffff)))"}, CRASH, "it trapped: out of bounds memory access"),
    "fills_outside": ({"decide": "(memory.fill (i32.const 0) (i32.const 0) (i32.const -1))"},
        CRASH, "it trapped: out of bounds memory access"),
    "calls_null": ({"extra": "(table 1 funcref) (type $none (func))", "decide": "(call_indirect (type $none) (i32.const 0))"},
        CRASH, "it trapped: uninitialized element"),
    "named_trap": ({"extra": '(func $inner unreachable) (func $outer (call $inner))', "decide": "(call $outer)"},
        CRASH, "(in inner, called by outer, called by "),
    "recurses": ({"extra": "(func $again (call $again))", "decide": "(call $again)"}, CRASH, "it ran out of stack"),
    "recurses_at_start": ({"extra": "(func $again (call $again))", "start": "(call $again)"}, CRASH, "it ran out of stack"),
    "initialize_traps": ({"extra": '(func (export "_initialize") unreachable)'}, CRASH, "(in function 14)"),
    "initialize_loops": ({"extra": f'(func (export "_initialize") {LOOP})'}, INIT, "used all of its 5,000,000 units of fuel before"),
    "start_loops": ({"extra": f"(func $begin {LOOP}) (start $begin)"}, INIT, "used all of its 5,000,000 units of fuel before"),
    "start_traps": ({"extra": "(func $begin unreachable) (start $begin)"}, CRASH, "it trapped: wasm `unreachable` instruction executed"),
    "start_calls": ({"extra": "(func $begin (drop (call $copy (i32.const 0)))) (start $begin)"},
        CRASH, "it called 'copy', but position 0 is what the seat knows"),
    "start_logs": ({"extra": "(func $begin (call $log (i32.const 0) (i32.const 5))) (start $begin)"},
        CRASH, "it called 'log', but 5 bytes at the address 0x0 are outside its memory"),
    "loops": ({"decide": LOOP}, LATE, "it used all of its 10,000,000 units of fuel for a decision"),
    "grows": ({"decide": "(loop $ever (br_if $ever (i32.ne (memory.grow (i32.const 100)) (i32.const -1)))) (unreachable)"},
        CRASH, "it trapped: wasm `unreachable` instruction executed"),
    "grows_for_ever": ({"decide": "(loop $ever (drop (memory.grow (i32.const 1))) (br $ever))"},
        LATE, "it used all of its 10,000,000 units of fuel for a decision"),
    "wants_much_memory": ({"pages": "5000"}, MEMORY, "module can't be instantiated: memory minimum size of 5000 pages exceeds"),
    "wants_much_table": ({"extra": "(table 9000000 funcref)"}, CRASH, "module can't be instantiated: table minimum size of 9000000"),
    "buffer_outside": ({"buffer": "(i32.const 0x40000)"}, PROTOCOL, "arena_buffer(65536) returned 0x40000, but its memory has no 65,536"),
    "buffer_at_the_end": ({"buffer": "(i32.const 0x3ff00)"}, PROTOCOL, "arena_buffer(65536) returned 0x3ff00"),
    "buffer_negative": ({"buffer": "(i32.const -1)"}, PROTOCOL, "arena_buffer(65536) returned 0xffffffff"),
    "length_negative": ({"decide": "(return (i32.const -5))"}, PROTOCOL, "arena_message must return a length from 0 to"),
    "length_too_large": ({"decide": "(return (i32.const 65537))"}, PROTOCOL, "but returned 65,537"),
    "says_nothing": ({"decide": "(return (i32.const 0))"}, PROTOCOL, "it sent 'bye' instead of 'answer'"),
    "says_nothing_at_start": ({"start": "(return (i32.const 0))"}, PROTOCOL, "it sent 'bye' instead of 'hello'"),
    "not_json": (answering("settle 3"), PROTOCOL, "it wrote 'settle 3', which is not JSON"),
    "not_utf8": (answering(b'{"type":"answer","token":"\xff","move":"x"}'), PROTOCOL, "is not JSON"),
    "many_lines": (answering('{"type":"answer",\n\n"token":"x","move":"settle 3"}'), PROTOCOL, "has the wrong token"),
    "wrong_token": (answering('{"type":"answer","token":"ffffffffffffffff","move":"settle 3"}'), PROTOCOL, "has the wrong token"),
    "claims_fuel": (
        answering('{"type":"answer","token":"0000000000000001","move":"x","fuel":1}'),
        PROTOCOL,
        "its answer includes 'fuel', but fuel is counted by the host; leave it out",
    ),
    "claims_a_timeout": (answering('{"type":"error","kind":"move timeout","detail":"x"}'), PROTOCOL, "which bots must not send"),
    "says_ready": (answering('{"type":"ready"}'), PROTOCOL, "which bots must not send"),
    "gives_up": (answering('{"type":"error","kind":"crash","detail":"I give up"}'), CRASH, "I give up"),
    "illegal": (answering('{"type":"answer","token":"0000000000000001","move":"settle 99"}'), ILLEGAL, "settle 99"),
    "plays_what_it_knows": (
        {"decide": "(drop (call $play (i32.const 0) (i32.const 0)))"},
        CRASH,
        "it called 'play', but position 0 is what the seat knows, so it can't be played, copied, scored or dropped; use a sample of it",
    ),
    "drops_twice": ({"decide": "(local.set $h (call $sample (i64.const 1))) (call $drop (local.get $h)) (call $drop (local.get $h))"},
        CRASH, "it called 'drop', but there is no position 1"),
    "handle_of_last_turn": (
        {
            "decide": "(if (global.get $index) (then (drop (call $legal (i32.const 1)))))"
            "(global.set $index (call $sample (i64.const 1)))"
        },
        CRASH,
        "it called 'legal', but there is no position 1",
    ),
    "index_too_large": ({"decide": "(drop (call $play (call $sample (i64.const 1)) (i32.const 900)))"},
        CRASH, "it called 'play', but there is no move 900 in position 1, which "),
    "index_negative": ({"decide": "(drop (call $move (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 9)))"},
        CRASH, "it called 'move', but there is no move -1 in position 0"),
    "many_copies": ({"decide": "(local.set $h (call $sample (i64.const 1))) (loop $more (drop (call $copy (local.get $h))) (br $more))"},
        CRASH, "it called 'copy', but it already holds 1,024 positions, which is the limit; drop positions that"),
    "scores_too_soon": ({"decide": "(drop (call $score (call $sample (i64.const 1)) (i32.const 0)))"},
        CRASH, "it called 'score', but the game is not over in position 1"),
    "seat_of_nobody": (
        {
            "decide": "(local.set $h (call $sample (i64.const 1))) (drop (call $playout (local.get $h) (i64.const 1)))"
            "(drop (call $rank (local.get $h) (i32.const 2)))"
        },
        CRASH,
        "it called 'rank', but there is no seat 2; seats are",
    ),
    "logs_from_outside": ({"decide": "(call $log (i32.const -100) (i32.const 200))"},
        CRASH, "it called 'log', but 200 bytes at the address 0xffffff9c are outside its memory"),
    "logs_much_at_once": ({"decide": "(call $log (i32.const 0) (i32.const 70000))"}, CRASH, "must be from 0 to 65,536, not 70,000"),
    "writes_outside": ({"decide": "(drop (call $text (i32.const 0) (i32.const 0x3fff0) (i32.const 60000)))"},
        CRASH, "are outside its memory"),
    "log_flood": ({"decide": "(loop $ever (call $log (i32.const 65536) (i32.const 65536)) (br $ever))"},
        FLOOD, "it wrote more than 1 MiB to its log in a turn"),
    "plays_for_ever": ({"decide": "(loop $ever (drop (call $playout (call $sample (i64.const 1)) (i64.const 1))) (br $ever))"},
        LATE, "it used all of its 10,000,000 units of fuel for a decision"),
}  # fmt: skip


@pytest.fixture(scope="module")
def host() -> Iterator[PlayerPool]:
    with PlayerPool(Level.NONE) as pool:
        yield pool


@pytest.fixture(scope="module")
def sealed() -> Iterator[PlayerPool]:
    with PlayerPool(best_level()) as pool:
        yield pool


def play(pool: PlayerPool, parts: dict[str, str], clock: ClockSpec = FUEL) -> MatchResult:
    return play_random(pool, bot(**parts), clock=clock)


def clock_of(name: str) -> ClockSpec:
    return replace(FUEL, move_fuel=200_000_000) if name in {"many_copies", "log_flood"} else FUEL  # what they do before has a price, too


@pytest.mark.parametrize("name", WANTED)
def test_a_hostile_module_gets_its_fault(name: str, host: PlayerPool) -> None:
    parts, kind, words = WANTED[name]
    hostile, other = play(host, parts, clock_of(name)).seats
    assert hostile.fault is not None
    assert hostile.fault.kind is kind
    assert words in hostile.fault.detail
    assert other.fault is None


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", WANTED)
def test_its_fault_is_the_same_in_process_and_sealed(name: str, host: PlayerPool, sealed: PlayerPool) -> None:
    parts, _, _ = WANTED[name]
    inside, outside = play(host, parts, clock_of(name)), play(sealed, parts, clock_of(name))
    assert [seat.fault for seat in outside.seats] == [seat.fault for seat in inside.seats]
    assert outside.replay == inside.replay


@pytest.mark.parametrize("parts", [{"decide": LOOP}, {"decide": ALL_MEMORY}, {"start": LOOP}], ids=["loop", "memory", "start"])
def test_what_takes_too_long_by_the_clock_is_stopped(parts: dict[str, str], host: PlayerPool, sealed: PlayerPool) -> None:
    for pool in (host, sealed):
        fault = play(pool, parts, CPU).seats[0].fault
        assert fault is not None
        assert fault.kind is (INIT if "start" in parts else LATE)
        assert "CPU time" in fault.detail


@pytest.mark.slow  # waits for the limit
def test_what_fuel_hardly_counts_is_stopped_by_the_wall_clock(host: PlayerPool, sealed: PlayerPool) -> None:
    for pool in (host, sealed):
        fault = play(pool, {"decide": ALL_MEMORY}, replace(FUEL, move_fuel=10**15, wall=0.5)).seats[0].fault
        assert fault is not None
        assert fault.kind is LATE
        assert fault.detail.startswith("it had not answered after 0.5 s by the wall clock; ")


def test_what_goes_wrong_after_the_match_is_a_remark(host: PlayerPool, sealed: PlayerPool) -> None:
    finish = "(if (i32.eq (i32.load8_u (i32.const 65545)) (i32.const 0x66)) (then unreachable))"  # of {"type":"finish"
    notes = [play(pool, {"hello": HELLO_AND_FINISH, "decide": finish}).notes for pool in (host, sealed)]
    assert notes[0] == notes[1]
    assert "after the match, it trapped: wasm `unreachable` instruction executed" in notes[0][0]


GOOD = text_of()

EXPORTED_MEMORY = '(memory (export "memory") 2)'

BUFFER = '(func (export "arena_buffer") (param i32) (result i32) (i32.const 0))'

MESSAGE = '(func (export "arena_message") (param i32) (result i32) (i32.const 0))'

ALL = EXPORTED_MEMORY + BUFFER + MESSAGE

REFUSED = {
    "no_memory": (BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "hidden_memory": ("(memory 2)" + BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "memory_is_a_function": ('(func (export "memory"))' + BUFFER + MESSAGE, "does not export its memory as 'memory'"),
    "no_buffer": (EXPORTED_MEMORY + MESSAGE, "does not export the function arena_buffer (i32) -> i32"),
    "no_message": (EXPORTED_MEMORY + BUFFER, "does not export the function arena_message (i32) -> i32"),
    "message_is_a_global": (
        EXPORTED_MEMORY + BUFFER + '(global (export "arena_message") i32 (i32.const 0))',
        "exports arena_message, but not as a function (i32) -> i32",
    ),
    "wrong_signature": (
        EXPORTED_MEMORY + BUFFER + '(func (export "arena_message") (param i64))',
        "exports arena_message as (i64), but its type must be (i32) -> i32",
    ),
    "wrong_initialize": (ALL + '(func (export "_initialize") (param i32))', "exports _initialize as (i32), but its type must be ()"),
    "unknown_module": ('(import "env" "abort" (func (param i32)))' + ALL, "imports env.abort, which hosts don't offer; it may import"),
    "unknown_call": ('(import "arena_v1" "time" (func (result i64)))' + ALL, "imports arena_v1.time, which hosts don't offer"),
    "later_version": ('(import "arena_v2" "legal" (func (param i32) (result i32)))' + ALL, "imports arena_v2.legal, which hosts"),
    "other_wasi": ('(import "wasi_unstable" "random_get" (func (param i32 i32) (result i32)))' + ALL, "imports wasi_unstable.random_get"),
    "wrong_import": (
        '(import "arena_v1" "legal" (func (param i64) (result i32)))' + ALL,
        "imports arena_v1.legal as (i64) -> i32, but its type is (i32) -> i32",
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

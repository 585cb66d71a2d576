"""Hostile modules: each gets the right fault in one sentence, the same in the host's process and in a sealed one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from bots.host.player_pool import PlayerPool
from bots.limits import Level
from bots.protocol import ClockMode, ClockSpec
from bots.sandbox.probe import best_level
from engine.records import FaultKind, MatchResult
from tests.bots.playing import CRASH, FLOOD, ILLEGAL, INIT, LATE, MEMORY, PROTOCOL, play_random
from tests.bots.wasm.modules import HELLO_AND_FINISH, bot, says

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
    "recurses": ({"extra": "(func $again (call $again))", "decide": "(call $again)"}, CRASH, "it used up its stack"),
    "recurses_at_start": ({"extra": "(func $again (call $again))", "start": "(call $again)"}, CRASH, "it used up its stack"),
    "initialize_traps": ({"extra": '(func (export "_initialize") unreachable)'}, CRASH, "(in function 14)"),
    "initialize_loops": ({"extra": f'(func (export "_initialize") {LOOP})'}, INIT, "it used all its fuel to get ready, 5,000,000 units"),
    "start_loops": ({"extra": f"(func $begin {LOOP}) (start $begin)"}, INIT, "it used all its fuel to get ready, 5,000,000 units"),
    "start_traps": ({"extra": "(func $begin unreachable) (start $begin)"}, CRASH, "it trapped: wasm `unreachable` instruction executed"),
    "start_calls": ({"extra": "(func $begin (drop (call $copy (i32.const 0)))) (start $begin)"},
        CRASH, "it called 'copy', but position 0 is what the seat knows"),
    "start_logs": ({"extra": "(func $begin (call $log (i32.const 0) (i32.const 5))) (start $begin)"},
        CRASH, "it called 'log', but 5 bytes at the address 0x0 are not within its memory"),
    "loops": ({"decide": LOOP}, LATE, "it used all its fuel for a decision, 10,000,000 units"),
    "grows": ({"decide": "(loop $ever (br_if $ever (i32.ne (memory.grow (i32.const 100)) (i32.const -1)))) (unreachable)"},
        CRASH, "it trapped: wasm `unreachable` instruction executed"),
    "grows_for_ever": ({"decide": "(loop $ever (drop (memory.grow (i32.const 1))) (br $ever))"},
        LATE, "it used all its fuel for a decision, 10,000,000 units"),
    "wants_much_memory": ({"pages": "5000"}, MEMORY, "its module can't be made: memory minimum size of 5000 pages exceeds memory limits"),
    "wants_much_table": ({"extra": "(table 9000000 funcref)"}, CRASH, "its module can't be made: table minimum size of 9000000 elements"),
    "buffer_outside": ({"buffer": "(i32.const 0x40000)"}, PROTOCOL, "arena_buffer(65536) returned 0x40000, where its memory has no 65,536"),
    "buffer_at_the_end": ({"buffer": "(i32.const 0x3ff00)"}, PROTOCOL, "arena_buffer(65536) returned 0x3ff00"),
    "buffer_negative": ({"buffer": "(i32.const -1)"}, PROTOCOL, "arena_buffer(65536) returned 0xffffffff"),
    "length_negative": ({"decide": "(return (i32.const -5))"}, PROTOCOL, "arena_message returned -5, which is not a length from 0 to"),
    "length_too_large": ({"decide": "(return (i32.const 65537))"}, PROTOCOL, "arena_message returned 65,537"),
    "says_nothing": ({"decide": "(return (i32.const 0))"}, PROTOCOL, "it sent 'bye' instead of 'answer'"),
    "says_nothing_at_start": ({"start": "(return (i32.const 0))"}, PROTOCOL, "it sent 'bye' instead of 'hello'"),
    "not_json": (answering("settle 3"), PROTOCOL, "it wrote 'settle 3', which is not JSON"),
    "not_utf8": (answering(b'{"type":"answer","token":"\xff","move":"x"}'), PROTOCOL, "is not JSON"),
    "many_lines": (answering('{"type":"answer",\n\n"token":"x","move":"settle 3"}'), PROTOCOL, "does not have the token of this decision"),
    "wrong_token": (answering('{"type":"answer","token":"ffffffffffffffff","move":"settle 3"}'), PROTOCOL, "does not have the token"),
    "claims_fuel": (
        answering('{"type":"answer","token":"0000000000000001","move":"x","fuel":1}'),
        PROTOCOL,
        "it wrote 'fuel' into its answer, which its host counts",
    ),
    "claims_a_timeout": (answering('{"type":"error","kind":"move timeout","detail":"x"}'), PROTOCOL, "which only a host's own"),
    "says_ready": (answering('{"type":"ready"}'), PROTOCOL, "which only a host's own program may say"),
    "gives_up": (answering('{"type":"error","kind":"crash","detail":"I give up"}'), CRASH, "I give up"),
    "illegal": (answering('{"type":"answer","token":"0000000000000001","move":"settle 99"}'), ILLEGAL, "settle 99"),
    "plays_what_it_knows": (
        {"decide": "(drop (call $play (i32.const 0) (i32.const 0)))"},
        CRASH,
        "it called 'play', but position 0 is what the seat knows, which can't be played on, copied or scored; take a sample of it",
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
        CRASH, "it called 'play', but position 1 has no move 900, but "),
    "index_negative": ({"decide": "(drop (call $move (i32.const 0) (i32.const -1) (i32.const 0) (i32.const 9)))"},
        CRASH, "it called 'move', but position 0 has no move -1"),
    "many_copies": ({"decide": "(local.set $h (call $sample (i64.const 1))) (loop $more (drop (call $copy (local.get $h))) (br $more))"},
        CRASH, "it called 'copy', but it holds 1,024 positions, which is the limit; drop those that it no longer needs"),
    "scores_too_soon": ({"decide": "(drop (call $score (call $sample (i64.const 1)) (i32.const 0)))"},
        CRASH, "it called 'score', but the game is not over in position 1"),
    "seat_of_nobody": (
        {
            "decide": "(local.set $h (call $sample (i64.const 1))) (drop (call $playout (local.get $h) (i64.const 1)))"
            "(drop (call $rank (local.get $h) (i32.const 2)))"
        },
        CRASH,
        "it called 'rank', but there is no seat 2 among 2",
    ),
    "logs_from_outside": ({"decide": "(call $log (i32.const -100) (i32.const 200))"},
        CRASH, "it called 'log', but 200 bytes at the address 0xffffff9c are not within its memory"),
    "logs_much_at_once": ({"decide": "(call $log (i32.const 0) (i32.const 70000))"}, CRASH, "70,000 is not a length from 0 to 65,536"),
    "writes_outside": ({"decide": "(drop (call $text (i32.const 0) (i32.const 0x3fff0) (i32.const 60000)))"},
        CRASH, "are not within its memory"),
    "log_flood": ({"decide": "(loop $ever (call $log (i32.const 65536) (i32.const 65536)) (br $ever))"},
        FLOOD, "it wrote more than 1 MiB to its log in a turn"),
    "plays_for_ever": ({"decide": "(loop $ever (drop (call $playout (call $sample (i64.const 1)) (i64.const 1))) (br $ever))"},
        LATE, "it used all its fuel for a decision, 10,000,000 units"),
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
        assert fault.detail.startswith("it had not answered after 0.5 s by the wall clock, ")


def test_what_goes_wrong_after_the_match_is_a_remark(host: PlayerPool, sealed: PlayerPool) -> None:
    finish = "(if (i32.eq (i32.load8_u (i32.const 65545)) (i32.const 0x66)) (then unreachable))"  # of {"type":"finish"
    notes = [play(pool, {"hello": HELLO_AND_FINISH, "decide": finish}).notes for pool in (host, sealed)]
    assert notes[0] == notes[1]
    assert "after the match it trapped: wasm `unreachable` instruction executed" in notes[0][0]

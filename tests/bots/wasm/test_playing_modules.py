"""Modules play: alike wherever they run, with the fuel that their work takes, and with positions that are those of the game."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random

import pytest

from bots.errors import MISSING, BotFaultError, SandboxError
from bots.host.player_pool import PlayerPool
from bots.limits import Level, Runtime
from bots.loader.loading import resolve
from bots.protocol import Clock, ClockMode, ClockSpec
from bots.sandbox.probe import best_level
from bots.wasm import fuel
from bots.wasm.conversation import Conversation
from bots.wasm.interface import link
from bots.wasm.trial import try_out
from engine.core import Game, State, playout
from engine.records import MatchResult
from engine.registry import find_game
from tests.bots import playing
from tests.bots.wasm.modules import HELLO_AND_FINISH, bot, compiled, text_of

FUEL = ClockSpec(mode=ClockMode.FUEL, start=None, move=None, start_fuel=10**10, move_fuel=10**10)
UNLIMITED = Clock()
SAMPLED = """
  (local.set $h (call $sample (i64.const 7)))
  (local.set $i (call $copy (local.get $h)))
  (global.set $index (i32.rem_u (call $playout (local.get $i) (i64.const -9)) (call $legal (local.get $h))))
  (drop (call $text (local.get $h) (i32.const 8192) (i32.const 4096)))
  (call $drop (local.get $h))
"""
"""Chooses by the length of a random game."""


PARTS = """
(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "poll_oneoff" (func $poll (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 4)
  (func (export "arena_buffer") (param i32) (result i32) (i32.const 65536))
  (func (export "arena_message") (param i32) (result i32)
    {call}
    (i32.const 0)))
"""


def play(pool: PlayerPool, game: Game, clock: ClockSpec = FUEL, **parts: str) -> tuple[MatchResult, int]:
    players = [pool.seat(bot(**parts)), pool.seat(resolve("random"))]
    return playing.play(players, game, clock), players[0].fuel()


@pytest.mark.slow  # plays it twice
@pytest.mark.parametrize(("name", "options"), [("tongiaki", {}), ("sunda", {"level": 3, "mode": "simultaneous"})])
def test_a_module_plays_alike_and_uses_the_same_fuel_in_process_and_out_of_it(
    name: str, options: dict[str, int | str], pools: list[PlayerPool]
) -> None:
    game = find_game(name, options)
    played = [play(pool, game, decide=SAMPLED, hello=HELLO_AND_FINISH) for pool in (*pools, pools[0])]
    first, fuel = played[0]
    assert first.seats[0].fault is None
    assert first.seats[0].decisions > 5
    assert fuel > 0
    assert all(result.replay == first.replay and used == fuel for result, used in played)


@pytest.fixture(scope="module")
def pools() -> Iterator[list[PlayerPool]]:
    with ExitStack() as stack:
        yield [stack.enter_context(PlayerPool(level)) for level in (Level.NONE, Level.L0, best_level())]


def converse(state: State, text: str, *, seed: int = 1, clock: Clock = UNLIMITED, memory: int = 1 << 24) -> tuple[bytes, int]:
    """Return what a module logs in one decision about the position, and the fuel that takes."""
    log: list[bytes] = []
    conversation = Conversation(link(compiled(text)), memory=memory, log=log.append)
    conversation.start(b'{"type":"match"}', seed, Clock(), lambda: state.view(0))
    before = conversation.fuel
    log.clear()
    conversation.tell(b'{"type":"decide","token":"0123456789abcdef"}', clock, lambda: state.view(0))
    conversation.close()
    return b"".join(log), conversation.fuel - before


def middle(name: str = "tongiaki") -> State:
    """Return a position in the middle of a game, in which seat 0 has to decide."""
    state, rng = find_game(name).new(2, 3), Random(4)
    for _ in range(20):
        state.play(state.random_move(rng))
    while state.actor != 0 or state.count_moves() < 2:
        state.play(state.random_move(rng))
    return state


def test_calls_answer_what_the_game_says() -> None:
    state = middle()
    logs = """
      (i32.store (i32.const 8192) (call $legal (i32.const 0)))
      (i32.store (i32.const 8196) (call $actor (i32.const 0)))
      (local.set $i (call $move (i32.const 0) (i32.const 1) (i32.const 9000) (i32.const 100)))
      (i32.store (i32.const 8200) (call $find (i32.const 0) (i32.const 9000) (local.get $i)))
      (i32.store (i32.const 8204) (call $find (i32.const 0) (i32.const 9000) (i32.const 1)))
      (i32.store (i32.const 8208) (call $move (i32.const 0) (i32.const 1) (i32.const 0) (i32.const 2)))
      (local.set $h (call $sample (i64.const 7)))
      (i32.store (i32.const 8212) (call $play (local.get $h) (i32.const 1)))
      (i32.store (i32.const 8216) (call $playout (local.get $h) (i64.const -9)))
      (f64.store (i32.const 8220) (call $score (local.get $h) (i32.const 1)))
      (i32.store (i32.const 8228) (call $rank (local.get $h) (i32.const 1)))
      (i32.store (i32.const 8232) (call $actor (local.get $h)))
      (call $log (i32.const 8192) (i32.const 44))
      (call $log (i32.const 9000) (local.get $i))
      (call $log (i32.const 12288) (call $text (i32.const 0) (i32.const 12288) (i32.const 8000)))
    """
    told, _ = converse(state, text_of(decide=logs))
    view = state.view(0)
    world = view.sample(Random(7))
    world.play(view.legal_moves[1])
    turn, moves, rest = world.actor, 0, world.copy()
    rng = Random(-9 & ((1 << 64) - 1))
    while rest.actor is not None:
        rest.play(rest.random_move(rng))
        moves += 1
    outcome = playout(world, Random(-9 & ((1 << 64) - 1)))
    notation = str(view.legal_moves[1])
    length = len(notation)
    wanted = struct.pack("<7idii", len(view.legal_moves), 0, 1, -1, length, turn, moves, outcome.scores[1], outcome.ranks[1], -1)
    assert told == wanted + f"\n{notation}\n{view.position.text.rstrip()}\n".encode()


@pytest.mark.parametrize(
    ("first", "second", "price"),
    [
        ("", "(drop (call $actor (i32.const 0)))", fuel.CALL),
        ("", "(drop (call $fuel))", fuel.CALL),
        ("(drop (call $legal (i32.const 0)))", "(drop (call $legal (i32.const 0)))", fuel.CALL),
        (
            "(local.set $h (call $sample (i64.const 1)))",
            "(drop (call $copy (local.get $h)))",
            fuel.CALL + fuel.prices_of("tongiaki").copy,
        ),
        ("", "(drop (call $sample (i64.const 1)))", fuel.CALL + fuel.prices_of("tongiaki").sample),
        ("", "(call $log (i32.const 0) (i32.const 500))", fuel.CALL + 500 * fuel.BYTE),
    ],
)
def test_a_call_costs_its_price_and_the_instructions_around_it(first: str, second: str, price: int) -> None:
    state = middle()
    with_call, without = (converse(state, text_of(decide=text))[1] for text in (first + second, first))
    assert price < with_call - without < price + 20


def test_nans_are_canonical() -> None:
    logs = """
      (f32.store (i32.const 8192) (f32.div (f32.const -0) (f32.const 0)))
      (f64.store (i32.const 8196) (f64.add (f64.reinterpret_i64 (i64.const 0xfff0000000000abc)) (f64.const 1)))
      (call $log (i32.const 8192) (i32.const 12))
    """
    told, _ = converse(middle(), text_of(decide=logs))
    assert struct.unpack("<IQx", told) == (0x7FC00000, 0x7FF8000000000000)


WASI = """
(module
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
  (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ (param i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "path_open" (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))
  (memory (export "memory") 4)
  (data (i32.const 0) "\\10\\00\\00\\00\\40\\00\\00\\00")
  (func (export "arena_buffer") (param i32) (result i32) (i32.const 65536))
  (func (export "arena_message") (param i32) (result i32)
    (i64.store (i32.const 40) (i64.const -1))
    (drop (call $random (i32.const 16) (i32.const 16)))
    (i32.store (i32.const 32) (call $read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 100)))
    (i32.store (i32.const 36) (call $open (i32.const 3) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i64.const 0) (i64.const 0)
      (i32.const 0) (i32.const 0)))
    (drop (call $time (i32.const 0) (i64.const 1) (i32.const 40)))
    (i64.store (i32.const 48) (i64.const -1))
    (drop (call $environ (i32.const 48) (i32.const 52)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 200)))
    (i32.const 0)))
"""


def test_the_system_interface_does_nothing_but_log_and_give_seeded_numbers() -> None:
    told = [converse(middle(), WASI, seed=seed)[0] for seed in (5, 5, 6)]
    numbers, read, opened, time, environment = struct.unpack("<16siiqq24x", told[0])
    assert (read, opened, time, environment) == (8, 8, 2000, 0)  # the clock counts how often it was read
    assert told[0] == told[1]
    assert told[0] != told[2]
    assert numbers != bytes(16)


def test_a_module_must_not_exit() -> None:
    with pytest.raises(BotFaultError, match=r"it called 'proc_exit', but bots must not exit \(the code was 3\)"):
        converse(middle(), WASI.replace("(i32.const 0)))\n", "(call $exit (i32.const 3)) (i32.const 0)))\n"))


def test_the_memory_of_a_bot_is_what_the_host_says() -> None:
    grow = "(if (i32.eq (memory.grow (i32.const 3000)) (i32.const -1)) (then unreachable))"
    for level, memory, has_fault in ((Level.L0, 128 << 20, True), (Level.NONE, 256 << 20, False)):
        with PlayerPool(level, runtime=Runtime(memory=memory)) as pool:
            result, _ = play(pool, find_game("tongiaki"), decide=f"(if (i32.lt_u (memory.size) (i32.const 3000)) (then {grow}))")
        assert (result.seats[0].fault is not None) == has_fault


def test_without_wasmtime_nothing_is_played_and_the_doctor_is_content(monkeypatch: pytest.MonkeyPatch) -> None:
    version = bot(decide="(nop) (nop) (nop)")
    monkeypatch.setattr("bots.loader.apart._COMPILED", {})
    monkeypatch.setattr("bots.loader.apart.find_spec", lambda name: None)
    with (
        PlayerPool(Level.NONE) as pool,
        pytest.raises(SandboxError, match=r"wat.wasm can't be played: .* pip install 'tile-arena\[wasm\]'"),
    ):
        pool.seat(version)
    assert try_out(middle().view(0)) == (True, MISSING)


@pytest.mark.parametrize(
    ("call", "size"),
    [
        ("(drop (call $write (i32.const 1) (i32.const 0) (i32.const {count}) (i32.const 60000)))", 8),
        ("(drop (call $poll (i32.const 0) (i32.const 131072) (i32.const {count}) (i32.const 60000)))", 48 + 32),
    ],
    ids=["write", "poll"],
)
def test_each_part_of_a_list_has_its_price_even_if_it_is_empty(call: str, size: int) -> None:
    one, many = (converse(middle(), PARTS.format(call=call.format(count=count)))[1] for count in (1, 1000))
    assert many - one == 999 * (fuel.PART + size * fuel.BYTE)

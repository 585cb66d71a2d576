"""Analysing matches: the sum that adds up, nothing hidden is used, mistakes and their grades, the sentence, the cache."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from functools import cache as kept
from pathlib import Path
from random import Random

import pytest

from arena.analysis import analyser
from arena.analysis.analyser import Settings, analyse, analysis_of
from arena.analysis.key_moments import changed_words, drawn_frames, moment_title, moments_of
from arena.analysis.match_analysis import (
    BLUNDER,
    MISTAKE,
    Account,
    Grade,
    MatchAnalysis,
    Method,
    MomentKind,
    MoveWorth,
    Unit,
    grade_of,
    read_analysis,
    write_analysis,
)
from arena.analysis.move_quality import BELOW, CHECKS, FIRST_CHECKS, MoveQuality, MoveSearch
from arena.analysis.position_value import NotAnalysableError, judge_of
from arena.analysis.sentence import sentence_of
from arena.report.analysis_lines import headline, loss_words, none_lost
from arena.result_cache import Cache, open_cache
from benchmarks.luck_truth import HANDS
from bots.reference.heuristics.base import Heuristic
from bots.reference.valuation.base import RankChances, ValueFunction, from_strengths, ranks_of
from engine.core import Game, Move, State, View
from engine.records import Forfeit, Replay, ranks_after
from engine.replay.format import Recorder
from engine.replay.verifier import timeline_of
from engine.simple import Chance, Position, simple_game
from tests.arena.web.replays import timeline_of_vector
from tests.small_games import RACE, SEALED, add, add_three_in_a_row

MATCHES = (
    "tongiaki/r2-70",
    "tongiaki/r4-16",
    "sunda/turns-L0-2p-34",
    "sunda/turns-L2-4p-37",
    "sunda/private-L2-2p-117",
    "sunda/simultaneous-L2-3p-35",
)


def recorded(name: str) -> Replay:
    """A replay of the test vectors."""
    return timeline_of_vector(name).replay


@pytest.fixture(scope="module")
def four(analyses: Path) -> MatchAnalysis:
    """The whole analysis of a match of four, in which losses were measured in few worlds."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FIRST_CHECKS", "CHECKS", "LAST_CHECKS"):
            patch.setattr(f"arena.analysis.move_quality.{name}", 2)
        return analysis_of(recorded("tongiaki/r4-16"), Settings(), open_cache(analyses))


def stopped(replay: Replay, looks: int) -> MatchAnalysis:
    """The analysis of a match that is stopped after so many looks at the time."""
    looked = iter(range(10_000))
    return analyse(replay, "", Settings(is_over=lambda: next(looked) >= looks))


def without_search(replay: Replay) -> MatchAnalysis:
    """The analysis of a match without better moves, which take longer."""
    return stopped(replay, 2 * len(replay.decisions))


@kept
def split(name: str) -> MatchAnalysis:
    """The same of a replay of the test vectors."""
    return without_search(recorded(name))


def played(game: Game, moves: str, *, players: int = 2, seed: int = 7, names: tuple[str, ...] = ()) -> Replay:
    """A match of these moves, divided by commas, and of the first legal ones from then on."""
    state = game.new(players, seed)
    recorder = Recorder(game, seed, names or tuple(f"bot {seat}" for seat in range(players)))
    given = moves.split(",") if moves else []
    while state.actor is not None:
        seat, legal = state.actor, state.count_moves()
        move = game.parse(given.pop(0)) if given else state.list_moves()[0]
        state.play(move)
        recorder.record(seat, move, legal, state)
    return recorder.finish(state)


def test_an_analysis_of_a_game_with_hands_says_what_its_luck_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.analysis.position_value.RANDOM_GAMES", 4)
    with_hands = without_search(played(add(monkeypatch, "hands", HANDS), "call,call"))
    with_dice = without_search(played(add(monkeypatch, "race", RACE), ""))
    assert "Decisions and luck are therefore separated only roughly" in " ".join(with_hands.notes)
    assert "roughly apart" not in " ".join(with_dice.notes)


class Steps(ValueFunction):
    """Chances by how far the seats are: wrong enough, but open to all."""

    @property
    def version(self) -> str:
        return "steps"

    def rank_chances(self, state: State) -> RankChances:
        if state.outcome is not None:
            return ranks_of(state.outcome)
        return from_strengths([each / 3 for each in json.loads(state.text)["position"]["steps"]])


class Baskets(Position):
    """Take two of three fruits in each turn, twice; whoever has the heaviest basket wins. For 2 players."""

    left: str = "abc"
    weights: list[int] = []  # noqa: RUF012  # a position gets a copy
    turns: int = 0

    def setup(self, options: object, chance: Chance) -> None:
        self.weights = [0, 0]

    def moves(self) -> list[str]:
        return list(self.left)

    def play(self, move: str, chance: Chance) -> None:
        assert self.actor is not None
        self.weights[self.actor] += {"a": 3, "b": 2, "c": 0}[move]
        self.left = self.left.replace(move, "")
        if len(self.left) == 1:
            self.left = "abc"
            self.turns += 1
            self.next()
        if self.turns == 4:
            self.end(self.weights, "full")

    def tally(self) -> dict[str, Sequence[float]]:
        return {"points": self.weights}


class Weights(Steps):
    """Chances by the weights of the baskets."""

    def rank_chances(self, state: State) -> RankChances:
        return from_strengths([float(each) for each in state.tally()["points"]]) if state.outcome is None else ranks_of(state.outcome)


class Greengrocer(Heuristic[State]):
    """Knows nothing of what a fruit weighs."""

    def choose(self, view: View[State], rng: Random) -> Move:
        return view.legal_moves[0]

    def scores(self, state: State, moves: Sequence[Move]) -> list[float]:
        return [0.0] * len(moves)

    def evaluate(self, state: State) -> list[float]:
        return [0.0] * state.players


@pytest.fixture
def baskets(monkeypatch: pytest.MonkeyPatch) -> Game:
    """A game in which a turn is two decisions."""
    plugin = simple_game(Baskets, "baskets", title="Baskets", players=(2, 2))
    return add(monkeypatch, "baskets", replace(plugin, value=Weights(), heuristic=Greengrocer()))


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> Game:
    """A race by dice, with a value function."""
    return add(monkeypatch, "race", replace(RACE, value=Steps()))


class TestSum:
    @pytest.mark.sampled(3)
    @pytest.mark.parametrize("name", MATCHES)
    def test_start_setup_decisions_and_luck_add_up_to_the_result(self, name: str) -> None:
        analysis = split(name)

        for account in analysis.accounts:
            parts = account.start + account.setup + account.own + account.rivals + account.luck
            assert parts + account.unsplit + account.forfeits == pytest.approx(account.result, abs=1e-9)
            assert (account.unsplit, account.forfeits) == (0, 0)
        assert analysis.chances[-1] == tuple(account.result for account in analysis.accounts)

    def test_without_draws_nothing_is_luck(self, four: MatchAnalysis) -> None:
        states = timeline_of_vector("tongiaki/r4-16").states

        quiet = [decision for decision in four.decisions if not states[decision.index + 1].events]
        assert quiet
        assert all(each == 0 for decision in quiet for each in decision.luck)
        assert any(each for decision in four.decisions for each in decision.luck)

    def test_who_chooses_in_secret_has_a_part_in_what_the_choices_changed_together(self) -> None:
        analysis = split("sunda/simultaneous-L2-3p-35")
        states = timeline_of_vector("sunda/simultaneous-L2-3p-35").states

        hidden = [each for each in analysis.decisions if states[each.index + 1].has_hidden_choice(each.seat)]
        assert hidden
        assert any(any(each.skill) for each in hidden)
        assert all(analysis.chances[each.index + 1] == pytest.approx(analysis.chances[each.index]) for each in hidden)

    def test_luck_is_what_a_die_gave_beyond_its_mean(self, race: Game) -> None:
        replay = played(race, "fast,slow,fast,slow,fast,slow")
        analysis = analyse(replay, "")

        first = analysis.decisions[0]
        rolled = int(timeline_of(replay).states[1].events[0].split(" ")[1])

        assert (first.luck[0] > 0) == (rolled > 3.5)
        assert first.skill[0] > 0

    def test_an_analysis_ends_at_a_forfeit_which_is_a_part_of_the_sum_and_the_reason(self) -> None:
        replay = recorded("tongiaki/r2-70")
        winner = replay.ranks.index(1)
        begin = next(at for at, decision in enumerate(replay.decisions) if at > 40 and decision.seat == winner)
        forfeits = (Forfeit(winner, begin, "crash"),)
        analysis = without_search(replace(replay, forfeits=forfeits, ranks=ranks_after(replay.ranks, forfeits)))

        assert (len(analysis.chances), len(analysis.decisions), analysis.total) == (begin + 1, begin, begin)
        assert all(moment.last < begin for moment in analysis.moments)
        for seat, account in enumerate(analysis.accounts):
            known = account.start + account.setup + account.own + account.rivals + account.luck
            assert known == pytest.approx(analysis.chances[-1][seat])
            assert known + account.forfeits == pytest.approx(account.result) == (seat != winner)
        why = f"uniform ({winner}) forfeited at decision {begin + 1} (crash)"
        assert analysis.sentence == f"uniform ({1 - winner}) won because {why}."
        assert f"{begin} decisions, then {why}: 1. " in headline(analysis)
        assert drawn_frames(analysis)[-1] == begin


@pytest.fixture
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Positions are valued by few games."""
    monkeypatch.setattr("arena.analysis.position_value.RANDOM_GAMES", 16)
    monkeypatch.setattr("arena.analysis.position_value.CHECKED_GAMES", 8)


class TestBetterMoves:
    def test_a_win_that_was_not_taken_is_the_loss_of_that_decision(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        analysis = analyse(played(game, "a1,a2,b1,b2,a3", names=("Ann", "Bob")), "")

        missed = analysis.decisions[4]

        assert missed.best is not None
        assert (missed.best.notation, missed.best.worth) == ("c1", 1.0)
        assert missed.loss > 0.5
        assert missed.best.words == "marks c1, a corner"
        assert analysis.decisions[5].best is not None
        assert analysis.decisions[5].best.notation == "c2"

    @pytest.mark.usefixtures("few_games")
    def test_a_mistake_is_a_key_moment_and_the_move_that_ended_the_match_is_none(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("arena.analysis.key_moments.MOMENTS", 5)
        game = add_three_in_a_row(monkeypatch)
        analysis = analyse(played(game, "a1,a2,b1,b2,a3,c2", names=("Ann", "Bob")), "")

        moments = {moment.index: moment for moment in analysis.moments}

        assert analysis.winners == (1,)
        assert 5 not in moments
        assert moments[4].kind is MomentKind.BLUNDER
        lost = int(100 * analysis.decisions[4].loss)
        assert moments[4].words == f"Ann marks a3, a corner; better by {lost} pp: marks c1, a corner"
        assert moment_title(analysis, moments[4]) == "Decision 5, Ann: blunder"
        assert moments[4].before == analysis.chances[4]
        assert moments[4].after == analysis.chances[5]
        assert analysis.sentence.startswith("Bob won after its chance was down to ")

    def test_the_order_of_moves_within_a_turn_loses_nothing(self, baskets: Game) -> None:
        analysis = analyse(played(baskets, "b,a,a,b,a,b,a,b"), "")

        at_once = analysis.chances[1][0], analyse(played(baskets, "a,b,a,b,a,b,a,b"), "").chances[1][0]
        assert at_once[0] < at_once[1]
        assert [decision.loss for decision in analysis.decisions] == [0] * 8

    def test_what_is_left_out_of_a_turn_is_lost_by_the_move_after_which_it_can_not_be_had(self, baskets: Game) -> None:
        analysis = analyse(played(baskets, "c,a,a,b,a,b,a,b"), "")

        assert analysis.decisions[0].loss > 0.02
        assert analysis.decisions[0].best is not None
        assert analysis.decisions[0].best.notation in {"a", "b"}
        assert not any(decision.loss for decision in analysis.decisions[1:])

    def test_what_is_hidden_changes_no_comparison(self) -> None:
        timeline = timeline_of_vector("tongiaki/r2-70")
        judge = judge_of(timeline.states[0].game, 2, "")
        drawing = [at for at in range(timeline.end) if timeline.states[at + 1].events and timeline.replay.decisions[at].legal > 1][:6]
        assert drawing
        for at in drawing:
            other = list(timeline.states)
            other[at] = timeline.states[at].view(-1).sample(Random(5))

            one = MoveSearch(timeline, judge).compare(at)
            two = MoveSearch(replace(timeline, states=tuple(other)), judge).compare(at)

            assert one == two


class TestKindsOfMatches:
    @pytest.mark.usefixtures("few_games")
    def test_a_game_without_a_value_function_is_played_out_and_the_analysis_says_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add_three_in_a_row(monkeypatch)
        analysis = analyse(played(game, ""), "")

        assert analysis.method is Method.PLAYOUTS
        assert analysis.notes == (
            "Three in a row has no value function: chances are shares of random games, each accurate to a few hundredths.",
        )

    def test_a_game_whose_secrets_can_not_be_sampled_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        game = add(monkeypatch, "sealed", SEALED)

        with pytest.raises(NotAnalysableError, match="matches of sealed can't be analysed: it has no value function"):
            analyse(played(game, ""), "")

    def test_a_seat_alone_has_points(self) -> None:
        replay = recorded("sunda/solo-L2-1p-29")
        analysis = stopped(replay, 2 * len(replay.decisions) + 4)

        assert analysis.unit is Unit.POINTS
        assert analysis.chances[-1] == replay.scores
        assert analysis.accounts[0].own == pytest.approx(replay.scores[0])
        assert f"ended with {replay.scores[0]} points; " in analysis.sentence
        losing = [decision for decision in analysis.decisions if decision.best is not None]
        assert losing
        assert all(each.best is not None and each.best.worth == each.played.worth + each.loss > replay.scores[0] for each in losing)

    def test_without_time_there_is_what_was_found_and_it_still_adds_up(self) -> None:
        replay = recorded("tongiaki/r4-16")
        frames = len(replay.decisions)

        analysis = stopped(replay, frames + 31)

        assert not analysis.is_whole
        assert (len(analysis.chances), len(analysis.decisions), analysis.total) == (frames + 1, 31, frames)
        assert not any(decision.is_searched for decision in analysis.decisions if decision.legal > 1)
        for account in analysis.accounts:
            known = account.start + account.setup + account.own + account.rivals + account.luck
            assert known + account.unsplit == pytest.approx(account.result)
        assert analysis.notes == (
            f"Time ran out: skill and luck are separated up to decision 31 of {frames}, and better moves were not looked for.",
        )
        assert analysis.sentence.endswith(" won; the analysis ran out of time before it was clear why.")
        assert none_lost(analysis) == "Time ran out before the search for better moves began."


class TestStory:
    @pytest.mark.parametrize(
        ("loss", "kind"),
        [(0.0, MomentKind.SETBACK), (0.017, MomentKind.SETBACK), (0.04, MomentKind.INACCURACY), (0.08, MomentKind.MISTAKE)],
    )
    def test_a_moment_is_called_by_the_grade_of_its_loss(self, four: MatchAnalysis, loss: float, kind: MomentKind) -> None:
        still = [replace(each, skill=(0.0,) * 4, luck=(0.0,) * 4, loss=0.0) for each in four.decisions]
        at = next(each.index for each in four.decisions if each.best is not None and each.seat == 0)
        still[at] = replace(still[at], skill=(-0.3, 0.1, 0.1, 0.1), loss=loss)

        (moment,) = moments_of(replace(four, decisions=tuple(still)))

        assert (moment.index, moment.kind) == (at, kind)

    def test_a_loss_below_a_grade_is_shown_below_it(self, four: MatchAnalysis) -> None:
        shown = loss_words(four, replace(four.decisions[0], loss=MISTAKE - BELOW))
        assert shown.endswith(", 6 pp worse than the best move found, an inaccuracy")

    def test_the_title_and_the_figures_of_a_move_that_changed_the_chances_of_others_name_who_gained(self, four: MatchAnalysis) -> None:
        still = [replace(each, skill=(0.0,) * 4, luck=(0.0,) * 4, loss=0.0) for each in four.decisions]
        at = next(each.index for each in still if each.seat == 0)
        still[at] = replace(still[at], skill=(0.0, -0.1, -0.1, 0.2))
        (moment,) = moments_of(replace(four, decisions=tuple(still)))

        assert f": helps {four.names[3]}" in moment_title(four, moment)
        assert changed_words(four, moment).startswith(f"{four.names[3]} ")


class TestCache:
    @pytest.fixture
    def cache(self, tmp_path: Path) -> Cache:
        return open_cache(tmp_path)

    @pytest.fixture
    def match(self, monkeypatch: pytest.MonkeyPatch) -> Replay:
        """A match that is short to analyse."""
        monkeypatch.setattr("arena.analysis.position_value.RANDOM_GAMES", 2)
        monkeypatch.setattr("arena.analysis.position_value.CHECKED_GAMES", 2)
        return played(add_three_in_a_row(monkeypatch), "a1,a2,b1,b2,a3,c2")

    def test_what_is_kept_equals_what_is_made_anew_and_is_not_made_again(
        self, cache: Cache, match: Replay, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fresh = analysis_of(match, Settings(), cache)
        monkeypatch.setattr(analyser, "analyse", None)

        assert analysis_of(match, Settings(), cache) == fresh
        assert read_analysis(write_analysis(fresh)) == fresh

    def test_what_is_not_whole_is_not_kept(self, cache: Cache, match: Replay) -> None:
        assert not analysis_of(match, Settings(is_over=lambda: True), cache).is_whole
        assert analysis_of(match, Settings(), cache).is_whole

    def test_a_damaged_value_is_as_if_it_had_never_been_there(self, cache: Cache) -> None:
        cache.put("key", b"value")
        with closing(sqlite3.connect(cache.path)) as connection, connection:
            connection.execute("update kept set value = ?", (b"other",))

        assert cache.get("key") is None
        assert not cache.trouble
        cache.put("key", b"value")
        assert cache.get("key") == b"value"

    @pytest.mark.parametrize("mode", [0o720, 0o702])
    @pytest.mark.parametrize("of_folder", [True, False])
    def test_a_cache_that_others_may_write_to_is_not_used(self, cache: Cache, mode: int, *, of_folder: bool) -> None:
        cache.put("key", b"value")
        wrong = cache.path.parent if of_folder else cache.path
        wrong.chmod(mode)

        assert cache.get("key") is None
        assert f"(other users may write to {wrong})" in cache.trouble

    def test_the_oldest_goes_when_there_is_too_much(self, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("arena.result_cache.MOST_BYTES", 5000)
        values = {str(number): Random(number).randbytes(1000) for number in range(6)}
        for key, value in values.items():
            cache.put(key, value)
            cache.get("0")

        assert cache.get("5") == values["5"]
        assert cache.get("0") == values["0"]
        assert cache.get("1") is None


def test_an_analysis_is_written_as_plain_json() -> None:
    analysis = split("tongiaki/r2-70")

    assert write_analysis(analysis).startswith(b'{"format":"arena-analysis/1","digest":"","game":"tongiaki","title":"Tongiaki"')
    with pytest.raises(ValueError, match="it is not an analysis"):
        read_analysis(b"{}")


DECISIONS = range(60, 90)
"""Decisions of a match in which much was given away."""


def qualities(decisions: range = DECISIONS) -> dict[int, MoveQuality]:
    """Return the qualities of these decisions."""
    timeline = timeline_of_vector("tongiaki/r2-70")
    search = MoveSearch(timeline, judge_of(timeline.states[0].game, 2, ""))
    return {at: search.compare(at) for at in decisions if timeline.replay.decisions[at].legal > 1}


Gains = tuple[float, ...]


def measure(
    monkeypatch: pytest.MonkeyPatch, *worlds: Gains, careful: tuple[float, float] = (1.0, 1.0)
) -> tuple[list[MoveQuality], set[int]]:
    """Return the qualities if worlds bring these gains in turn, and in how many worlds losses were measured again."""
    number: dict[int, int] = defaultdict(int)

    def gains(
        self: MoveSearch, at: int, played: Move, best: Move, rng: Random, turns: Sequence[int], choose: Callable[[State, Random], Move]
    ) -> list[float]:
        if choose == self._careful:
            return [careful[turns != [1]]]
        number[at] += 1
        return list(worlds[number[at] % len(worlds)])[: len(turns)]

    monkeypatch.setattr(MoveSearch, "_gains", gains)
    found = qualities()
    assert number, "some losses were measured again"
    return [each for at, each in found.items() if at in number], set(number.values())


@pytest.mark.parametrize(("gains", "worlds"), [((-0.01, 0.2, 0.2), FIRST_CHECKS), ((0.2, 0.2, -0.01), 2 * FIRST_CHECKS)])
def test_a_move_that_is_not_better_after_some_turns_is_not_named(monkeypatch: pytest.MonkeyPatch, gains: Gains, worlds: int) -> None:
    checked, measured = measure(monkeypatch, gains)

    assert all(each.best is None and each.loss == 0 for each in checked)
    assert measured == {worlds}


def test_the_loss_is_the_smallest_that_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, measured = measure(monkeypatch, (0.3, 0.1, 0.2))

    assert [each.loss for each in checked] == pytest.approx([0.1] * len(checked))
    assert measured == {2 * FIRST_CHECKS + CHECKS}


@pytest.mark.parametrize(
    ("gains", "loss", "grade"),
    [
        ((0.04, 0.06), 0.05, Grade.INACCURACY),
        ((0.0, 0.16), MISTAKE, Grade.INACCURACY),
        ((0.04, 0.2), 0.12, Grade.MISTAKE),
        ((0.0, 0.36), BLUNDER, Grade.MISTAKE),
        ((0.3, 0.32), 0.31, Grade.BLUNDER),
    ],
)
def test_the_grade_is_that_of_the_lower_end_of_an_interval(
    monkeypatch: pytest.MonkeyPatch, gains: tuple[float, float], loss: float, grade: Grade
) -> None:
    checked, _ = measure(monkeypatch, *((each,) * 3 for each in gains))

    assert [each.loss for each in checked] == pytest.approx([loss] * len(checked), abs=1e-5)
    assert {grade_of(each.loss) for each in checked} == {grade}


@pytest.mark.parametrize(("careful", "loss"), [((-0.1, 1.0), 0.0), ((0.1, -1.0), 0.1), ((0.3, 0.1), 0.1), ((0.3, 0.3), 0.2)])
def test_a_mistake_is_one_by_careful_moves_too_and_a_blunder_after_more_turns_of_them(
    monkeypatch: pytest.MonkeyPatch, careful: tuple[float, float], loss: float
) -> None:
    checked, _ = measure(monkeypatch, (0.2, 0.2, 0.2), careful=careful)

    assert [each.loss for each in checked] == pytest.approx([loss] * len(checked))


def test_a_match_is_always_measured_the_same_way() -> None:
    assert qualities(DECISIONS[:8]) == qualities(DECISIONS[:8])


WINNER = 2
"""The seat that won the match of four below."""

LANDING, SAILING = MoveWorth("land 1", "lands on Oahu", 0.0), MoveWorth("sail 2", "sails to Samoa", 0.0)


def quiet() -> MatchAnalysis:
    """A match of Ann, Bob, Cid and Dan, won by Cid, in which nothing has changed any chance."""
    analysis = split("tongiaki/r4-16")
    none = (0.0,) * 4
    decisions = tuple(replace(each, skill=none, luck=none, loss=0.0, best=None, is_hidden=False) for each in analysis.decisions)
    accounts = tuple(replace(each, setup=0.0, own=0.0, rivals=0.0, luck=0.0) for each in analysis.accounts)
    chances = tuple((0.25 + frame % 2 / 1000, 0.25 - frame % 2 / 1000, 0.25, 0.25) for frame in range(len(analysis.chances)))
    return replace(analysis, names=("Ann", "Bob", "Cid", "Dan"), decisions=decisions, accounts=accounts, chances=chances)


def with_winner(**parts: float) -> MatchAnalysis:
    """The same with these parts of the winner's sum, of which the first decision of Bob did most."""
    analysis = quiet()
    accounts, decisions = list(analysis.accounts), list(analysis.decisions)
    accounts[WINNER] = Account(**asdict(accounts[WINNER]) | parts | {"result": accounts[WINNER].start + sum(parts.values())})
    at = first_of(analysis, 1)
    gain = tuple(0.3 if each == WINNER else -0.1 for each in range(4))
    decisions[at] = replace(decisions[at], skill=gain, luck=gain, events=("Samoa is drawn",), played=LANDING, best=SAILING)
    return replace(analysis, accounts=tuple(accounts), decisions=tuple(decisions))


def first_of(analysis: MatchAnalysis, seat: int) -> int:
    return next(each.index for each in analysis.decisions if each.seat == seat)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"rivals": 0.5, "own": 0.15},
            "the others' decisions raised the winner's chance by 50 points, the most at decision {other} by Bob"
            " (lands on Oahu; better: sails to Samoa)",
        ),
        (
            {"luck": 0.5, "own": 0.2},
            "luck raised the winner's chance by 50 points, the most after decision {other} by Bob (Samoa is drawn)",
        ),
        (
            {"rivals": 0.302, "own": 0.299},
            "its own decisions and the others' decisions together raised the winner's chance by 60 points,"
            " the most at decision {other} by Bob",
        ),
        ({"setup": 0.5}, "its starting position raised the winner's chance by 50 points"),
        (
            {"setup": 0.9, "luck": -0.2},
            "its starting position raised the winner's chance by 90 points, despite 20 lost by bad luck",
        ),
    ],
)
def test_the_largest_part_of_the_sum_is_the_cause(parts: dict[str, float], words: str) -> None:
    analysis = with_winner(**parts)
    told = words.format(other=first_of(analysis, 1) + 1)

    assert sentence_of(analysis) == f"Cid won: {told}."


def test_of_causes_that_are_level_the_decision_that_did_most_is_named() -> None:
    analysis = with_winner(rivals=0.302, own=0.299)
    decisions, at = list(analysis.decisions), first_of(analysis, WINNER)
    decisions[at] = replace(decisions[at], skill=(-0.2, -0.1, 0.4, -0.1))

    assert f", the most at decision {at + 1} by Cid" in sentence_of(replace(analysis, decisions=tuple(decisions)))


@pytest.mark.parametrize("gain", [-0.04, 0.02])
def test_a_turn_is_a_key_moment_also_for_what_it_gave_away(gain: float) -> None:
    analysis = quiet()
    decisions, at = list(analysis.decisions), first_of(analysis, 0)
    decisions[at] = replace(decisions[at], skill=(gain, -gain, 0.0, 0.0), loss=0.2, played=LANDING, best=SAILING)
    lossy = replace(analysis, decisions=tuple(decisions))
    (moment,) = moments_of(lossy)

    assert (moment.index, moment.kind, moment.words) == (at, MomentKind.BLUNDER, "Ann lands on Oahu; better by 20 pp: sails to Samoa")
    assert loss_words(lossy, lossy.decisions[at]).startswith(f"{changed_words(lossy, moment).partition(',')[0]}, 20 pp worse")


@pytest.mark.parametrize(("low", "words"), [(0.02, "Cid won after its chance was down to 2%: "), (0.12, "Cid won: ")])
def test_a_comeback_says_from_how_far_behind(low: float, words: str) -> None:
    analysis = with_winner(own=0.75)
    at = first_of(analysis, WINNER)
    chances = tuple((0.3, 0.3, low, 0.4 - low) if frame == at else each for frame, each in enumerate(analysis.chances))

    assert sentence_of(replace(analysis, chances=chances)).startswith(words)


def test_who_shares_first_place() -> None:
    assert sentence_of(replace(quiet(), ranks=(1, 3, 1, 4))) == "Ann and Cid shared first place."


def test_points_of_a_seat_alone() -> None:
    analysis = split("sunda/solo-L2-1p-29")
    points = int(analysis.scores[0])
    still = tuple(replace(each, loss=0.0, best=None) for each in analysis.decisions)
    worst = (replace(still[0], loss=8.5, best=SAILING), *still[1:])

    assert analysis.unit is Unit.POINTS
    assert sentence_of(replace(analysis, decisions=still, is_whole=True)).endswith(f"{points} points; no better move was found.")
    assert sentence_of(replace(analysis, decisions=still)).endswith("; no better move was found before time ran out.")
    told = sentence_of(replace(analysis, decisions=worst))
    assert told.endswith(f" ended with {points} points; 8.5 more were within reach at decision 1: sails to Samoa.")


@pytest.mark.parametrize(("seats", "word"), [((0, 1, 3), "because"), ((0,), "after")])
def test_forfeits_are_the_reason_if_they_left_one_seat(seats: tuple[int, ...], word: str) -> None:
    analysis = replace(quiet(), forfeits=tuple(Forfeit(seat, 9, "crash") for seat in seats), scores=(1.0, 2.0, 9.0, 3.0))

    assert sentence_of(analysis).startswith(f"Cid won {word} Ann forfeited at decision 10 (crash)")

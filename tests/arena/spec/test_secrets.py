"""What follows from a tournament's secret: decks, seeds, ids; when it is settled; and balanced seatings."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import stat
from collections import Counter
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from arena.changes import ChangedError
from arena.formats.schedule import Schedule
from arena.play.match import play_match
from arena.run.ladder_entry import enter
from arena.run.runner import run_tournament
from arena.spec.lineups import count_balanced_blocks, count_seatings, seat, squares
from arena.spec.secret import (
    Keys,
    SecretError,
    TournamentSecret,
    check_public_value,
    commitment_of,
    open_root,
    read_secret_file,
    write_secret_file,
)
from arena.spec.spec import Spec, SpecError, make_spec
from arena.tournament import prepare, stored_spec
from bots.host.player_pool import InProcessPlayer
from bots.loader.loading import resolve
from bots.loader.version import BotVersion
from bots.protocol import MatchInfo
from engine.core.observer import Chronicle
from leaderboard.storage.store import Store, StoredTournament
from tests.arena.conftest import Run
from tests.arena.format_plans import plan, play
from tests.arena.running import Hasty, stop_after, versions_of

DATA = {
    "name": "cup",
    "game": "tongiaki",
    "bots": ["random", "greedy", {"name": "ann", "source": "random"}],
    "schedule": {"tables": [2, 3]},
}

SECRET = TournamentSecret(bytes(range(32)))


def played(spec: Spec, path: Path) -> StoredTournament:
    with Store.create(str(path)) as store:
        return run_tournament(spec, versions_of(spec), store, Hasty()).tournament


def test_two_tournaments_of_one_file_have_other_decks_ids_and_commitments(tmp_path: Path) -> None:
    spec = make_spec(DATA, "test")
    one, other = played(spec, tmp_path / "1.db"), played(spec, tmp_path / "2.db")
    assert one.secret is not None
    assert other.secret is not None
    assert one.secret.commitment != other.secret.commitment
    tickets = [
        Schedule(stored_spec(each), secret=TournamentSecret(bytes.fromhex(each.secret.secret))) for each in (one, other) if each.secret
    ]
    assert not {ticket.seed for ticket in tickets[0]} & {ticket.seed for ticket in tickets[1]}
    assert not {ticket.id for ticket in tickets[0]} & {ticket.id for ticket in tickets[1]}


def test_every_match_has_a_deck_of_its_own_unless_the_spec_shares_them() -> None:
    own = list(Schedule(make_spec(DATA, "test"), secret=SECRET))
    assert len({ticket.seed for ticket in own}) == len(own)
    shared = list(Schedule(make_spec(DATA | {"schedule": {"tables": [2, 3], "decks": "shared"}}, "test"), secret=SECRET))
    assert {ticket.block_key for ticket in shared} == {ticket.block_key for ticket in own}
    for key in {ticket.block_key for ticket in shared}:
        assert len({ticket.seed for ticket in shared if ticket.block_key == key}) == 1
    assert len({ticket.seed for ticket in shared}) == len({ticket.block_key for ticket in shared})


def test_the_derivation_is_the_documented_one() -> None:
    """As docs/verification.md writes it, by the standard library alone."""

    def mac(key: bytes, *labels: object) -> bytes:
        return hmac.digest(key, json.dumps(labels, sort_keys=True, separators=(",", ":")).encode(), "sha256")

    ticket = next(iter(Schedule(make_spec(DATA, "test"), secret=SECRET)))
    tournament = mac(SECRET.secret, "tile-arena/2", "cup", "tongiaki", {})
    numbers = {"random": 0, "greedy": 1, "ann": 2}
    lineup, seats = [numbers[name] for name in ticket.lineup], [numbers[name] for name in ticket.seats]
    labels = (len(seats), lineup, ticket.block)
    assert ticket.id == mac(mac(tournament, "ids"), "match", *labels, seats).hex()[:16]
    assert ticket.seed == int.from_bytes(mac(mac(tournament, "decks"), *labels, seats)[:8], "big") >> 11
    assert ticket.block_key == int.from_bytes(mac(mac(tournament, "ids"), "block", *labels)[:8], "big") >> 11
    assert ticket.key == mac(mac(tournament, "bots"), ticket.id).hex()


def test_a_bots_seed_does_not_follow_from_what_is_public() -> None:
    """The attack: enumerate public labels and seeds until a derived value is the bot's own seed."""
    told: list[int] = []

    class Listener(InProcessPlayer):
        def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
            told.append(info.seed)
            super().start(info, chronicle)

    spec = make_spec(DATA, "test")
    ticket = next(ticket for ticket in Schedule(spec, secret=SECRET) if len(ticket.seats) == 2)
    play_match(spec.make_game(), ticket, [Listener(resolve("random")), Listener(resolve("random"))])
    public = [ticket.id, *ticket.seats, spec.name, spec.game, str(ticket.block), commitment_of(SECRET.secret)]
    guesses = {
        int(hashlib.sha256(json.dumps([label, "bot", seat], separators=(",", ":")).encode()).hexdigest(), 16) >> (256 - 53)
        for label in public
        for seat in range(2)
    }
    assert len(set(told)) == 2
    assert not guesses & set(told)


@pytest.mark.parametrize("use", ["ids", "decks", "bots", "draws"])
def test_each_key_is_another(use: str) -> None:
    keys = Keys.of(SECRET.root, "cup")
    assert [getattr(keys, each) for each in ("ids", "decks", "bots", "draws")].count(getattr(keys, use)) == 1
    assert SECRET.secret.hex() not in repr(SECRET)
    assert getattr(keys, use).hex() not in repr(keys)


def test_a_public_value_changes_every_deck_and_not_the_commitment() -> None:
    spec = make_spec(DATA | {"public": "round 7"}, "test")
    one, other = (TournamentSecret(SECRET.secret, value) for value in ("12", "13"))
    assert one.commitment == other.commitment
    assert not {ticket.seed for ticket in Schedule(spec, secret=one)} & {ticket.seed for ticket in Schedule(spec, secret=other)}


def test_without_the_secret_a_schedule_can_be_counted_and_gives_no_ticket() -> None:
    schedule = Schedule(make_spec(DATA, "test"))
    assert len(schedule) == 3 * 2 + 6
    with pytest.raises(ValueError, match="derived without its secret"):
        next(iter(schedule))


class TestSettling:
    """What a file leaves open."""

    def test_a_resumed_tournament_keeps_its_secret(self, tmp_path: Path) -> None:
        spec = make_spec(DATA, "test")
        path = tmp_path / "t.db"
        with Store.create(str(path)) as store:
            first = run_tournament(spec, versions_of(spec), store, Hasty(), is_stopping=stop_after(4)).tournament
        again = played(spec.model_copy(update={"schedule": spec.schedule.model_copy(update={"blocks": 2})}), path)
        assert again.secret == first.secret
        assert again.total == 2 * (first.total or 0)

    @pytest.mark.parametrize("kind", ["round-robin", "swiss", "ladder"])
    def test_nothing_is_added_once_the_secret_is_published(self, kind: str, tmp_path: Path) -> None:
        rounds = {} if kind == "round-robin" else {"format": kind, "rounds": 1}
        spec = make_spec(DATA | {"schedule": {"tables": [2]} | rounds}, "test")
        stored = played(spec, tmp_path / "t.db")
        more = {"tables": [2, 3]} if kind == "round-robin" else {"rounds": 2}
        larger = make_spec(DATA | {"schedule": {"tables": [2]} | rounds | more}, "test")
        with pytest.raises(ChangedError, match="is over and its secret is published"):
            played(larger, tmp_path / "t.db")
        if kind == "ladder":
            with Store.create(str(tmp_path / "t.db")) as store, pytest.raises(ChangedError, match="is over and accepts no more bots"):
                enter(store, "cup", "walker", "walker@1", BotVersion("walker", "0" * 64, "submitted walker@1", "Bot", is_submitted=True))
        with Store.read(str(tmp_path / "t.db")) as store:
            assert store.tournament("cup") == stored

    def test_a_commitment_that_does_not_fit_is_refused(self, tmp_path: Path) -> None:
        write_secret_file(tmp_path / "s")
        spec = make_spec(DATA | {"secret": "s", "commitment": commitment_of(bytes(32))}, "test")
        with Store.create(tmp_path / "t.db") as store, pytest.raises(SecretError, match="doesn't match its secret"):
            prepare(spec, store, {}, base=tmp_path)

    def test_a_commitment_without_its_secret_is_refused(self, tmp_path: Path) -> None:
        spec = make_spec(DATA | {"commitment": commitment_of(bytes(32))}, "test")
        with Store.create(tmp_path / "t.db") as store, pytest.raises(SecretError, match="name the secret's file"):
            prepare(spec, store, {})

    def test_a_tournament_goes_on_with_its_own_secret_and_public_value_only(self, tmp_path: Path) -> None:
        write_secret_file(tmp_path / "s")
        write_secret_file(tmp_path / "other")
        spec = make_spec(DATA | {"secret": "s", "public": "lottery"}, "test")
        with Store.create(str(tmp_path / "t.db")) as store:
            begun = prepare(spec, store, versions_of(spec), base=tmp_path, public_value=" 1 2 3 ").stored
            assert prepare(spec, store, versions_of(spec), base=tmp_path).stored == begun
            with pytest.raises(SecretError, match="started with a different secret"):
                prepare(spec.model_copy(update={"secret": "other"}), store, versions_of(spec), base=tmp_path)
            with pytest.raises(SecretError, match="started with the public value '1 2 3'"):
                prepare(spec, store, versions_of(spec), base=tmp_path, public_value="4")

    def test_a_public_value_is_there_if_and_only_if_the_spec_names_one(self, tmp_path: Path) -> None:
        with Store.create(tmp_path / "t.db") as store:
            with pytest.raises(SecretError, match="give it with --public-value"):
                prepare(make_spec(DATA | {"public": "lottery"}, "test"), store, {})
            with pytest.raises(SecretError, match="does not say which public value"):
                prepare(make_spec(DATA, "test"), store, {}, public_value="5")

    def test_submitted_bots_don_t_play_on_an_open_seed(self, tmp_path: Path) -> None:
        spec = make_spec(DATA | {"seed": 20260501}, "test")
        strangers = {name: replace(each, is_submitted=True) for name, each in versions_of(spec).items()}
        with Store.create(tmp_path / "t.db") as store:
            with pytest.raises(SpecError, match="could compute every deck"):
                prepare(spec, store, strangers, allow_open_seed=False)
            prepare(spec, store, strangers)
            prepare(make_spec(DATA | {"name": "secret"}, "test"), store, strangers, allow_open_seed=False)

    def test_no_submitted_bot_enters_a_ladder_with_an_open_seed(self, tmp_path: Path) -> None:
        schedule = {"format": "ladder", "tables": [2]}
        stranger = BotVersion("walker", "0" * 64, "submitted walker@1", "Bot", "class Bot: ...", is_submitted=True, author="Ana")
        with Store.create(str(tmp_path / "t.db")) as store:
            for seed in ({"seed": 7}, {}):
                spec = make_spec(DATA | {"name": f"league {len(seed)}", "schedule": schedule} | seed, "test")
                run_tournament(spec, versions_of(spec), store, Hasty(), is_stopping=stop_after(4))
            with pytest.raises(ChangedError, match="has an open seed"):
                enter(store, "league 1", "walker", "walker@1", stranger)
            entered = enter(store, "league 0", "walker", "walker@1", stranger)
            assert [bot.author for bot in stored_spec(entered).bots] == [None, None, None, "Ana"]


class TestBadInput:
    """One sentence each."""

    @pytest.mark.parametrize("more", [{"secret": "s"}, {"commitment": commitment_of(bytes(32))}, {"public": "lottery"}])
    def test_a_seed_and_anything_of_a_secret(self, more: dict[str, str]) -> None:
        with pytest.raises(SpecError, match="there are both 'seed' and"):
            make_spec(DATA | {"seed": 1} | more, "test")

    def test_a_commitment_that_is_none(self) -> None:
        with pytest.raises(SpecError, match="should be 'sha256:' and 64 hex digits"):
            make_spec(DATA | {"commitment": "sha256:abc"}, "test")

    @pytest.mark.parametrize("content", ["", "abc", "0" * 63, "0" * 65, "g" * 64, "\udcff"])
    def test_a_file_that_holds_no_secret(self, content: str, tmp_path: Path) -> None:
        (tmp_path / "s").write_bytes(content.encode(errors="surrogateescape"))
        with pytest.raises(SecretError, match="should hold a secret of 64 hex digits"):
            read_secret_file(tmp_path / "s")

    def test_a_file_that_can_be_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("bots.loader.files.PATIENCE", 0.1)
        os.mkfifo(tmp_path / "pipe")
        for name in ("a\0b", str(tmp_path / "pipe"), str(tmp_path), "/dev/zero", "x" * 5000, "missing"):
            with pytest.raises(SecretError, match="secret"):
                read_secret_file(Path(name))

    def test_a_secret_is_never_overwritten_and_is_its_owners_alone(self, tmp_path: Path) -> None:
        assert write_secret_file(tmp_path / "s") == commitment_of(read_secret_file(tmp_path / "s"))
        assert stat.S_IMODE((tmp_path / "s").stat().st_mode) == 0o600
        with pytest.raises(SecretError, match="already exists"):
            write_secret_file(tmp_path / "s")


@pytest.mark.slow
def test_from_the_command_line(run: Run, tmp_path: Path) -> None:
    told = run("secret", "cup.secret").stdout.splitlines()[-1]
    assert run("secret", "cup.secret").stdout.strip() == told
    (tmp_path / "cup.toml").write_text(
        'name = "cup"\ngame = "tongiaki"\nbots = ["random", "greedy"]\nsecret = "cup.secret"\npublic = "the lottery of 1 May"\n'
        "[schedule]\ntables = [2]\n"
    )
    options = ("cup.toml", "--db", "t.db", "--executor", "inline", "--isolation", "none")
    refused = run("run", *options)
    assert refused.returncode == 2
    assert "depends on a public value (the lottery of 1 May)" in refused.stderr
    done = run("run", *options, "--public-value", "4 8 15 16 23 42")
    assert done.returncode == 0, done.stderr
    assert told in done.stdout.splitlines()
    secret = done.stdout.splitlines()[-1].removeprefix("secret ")
    assert "commit " + commitment_of(bytes.fromhex(secret)) == told
    assert run("verify", "t.db").returncode == 0
    board = json.loads(run("leaderboard", "--db", "t.db", "--json").stdout)
    assert (board["seed"], board["open_seed"], "commit " + board["commitment"]) == (None, False, told)
    assert told in run("leaderboard", "--db", "t.db").stdout.splitlines()


@pytest.mark.parametrize("value", ["", "   ", "a\nb", "x" * 301])
def test_a_public_value_is_named_in_one_line(value: str) -> None:
    with pytest.raises(SpecError, match="'public': should be a line of 1 to 300 printable characters"):
        make_spec(DATA | {"public": value}, "test")


def test_a_secret_in_the_place_of_its_file_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SecretError, match="must be the name of the file that holds the secret") as caught:
        read_secret_file(tmp_path / ("ab" * 32))
    assert "abab" not in str(caught.value)


@pytest.mark.parametrize("value", ["", " ", "x" * 1001, "a\tb"])
def test_a_public_value_is_a_line_of_printable_characters(value: str) -> None:
    with pytest.raises(SecretError, match=r"^a public value should be a line of 1 to 1000 printable characters$"):
        check_public_value(value)
    assert check_public_value(f" {'x' * 1000} ") == "x" * 1000


def test_roots_and_commitments_are_the_documented_ones() -> None:
    assert open_root(5) == hashlib.sha256(b"tile-arena/2 open seed 5").digest()
    assert SECRET.commitment == "sha256:" + hashlib.sha256(b"tile-arena/2 commitment " + SECRET.secret).hexdigest()
    assert SECRET.root == SECRET.secret
    mixed = TournamentSecret(SECRET.secret, "4 8 15")
    assert mixed.root == hmac.digest(SECRET.secret, b"tile-arena/2 public value 4 8 15", "sha256")


def test_a_file_that_cannot_be_written_or_holds_no_secret_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none" / "file"
    with pytest.raises(SecretError, match=rf"^{path} can't be written: No such file or directory$"):
        write_secret_file(path)
    with pytest.raises(SecretError, match=r"can't be written: .*embedded null"):
        write_secret_file(tmp_path / "a\0b")
    (tmp_path / "wrong").write_text("\u00e9", encoding="utf-8")
    with pytest.raises(SecretError, match=rf"^{tmp_path / 'wrong'} should hold a secret of 64 hex digits and nothing else"):
        read_secret_file(tmp_path / "wrong")


TICKETS = {
    "tongiaki": ([2, 3], "284f5982786f914782d0e05418233059659ed04ad7f41fddd0051df4fb47da42"),
    "sunda": ([1, 2], "6301e88dfff60b905602570d646d3764c95cd135d52ac92f789ed8a373d01fe7"),
}


@pytest.mark.parametrize("game", TICKETS)
def test_the_tickets_of_an_open_seed_stay_the_same(game: str) -> None:
    tables, digest = TICKETS[game]
    spec = make_spec(DATA | {"seed": 5, "game": game, "schedule": {"tables": tables, "blocks": 3}}, "test")
    tickets = [(each.id, each.key, each.block_key, each.seed, each.rotation, *each.seats) for each in Schedule(spec)]
    assert hashlib.sha256("\n".join(" ".join(map(str, each)) for each in tickets).encode()).hexdigest() == digest


PLAYERS = range(2, 7)


def neighbours(seatings: list[tuple[int, ...]]) -> Counter[tuple[int, int]]:
    """How often each ordered pair sits on neighbouring seats, around the table."""
    return Counter(pair for seating in seatings for pair in zip(seating, (*seating[1:], seating[0]), strict=True))


@pytest.mark.parametrize("players", PLAYERS)
def test_every_square_has_each_bot_in_each_seat_once(players: int) -> None:
    for square in squares(players):
        assert Counter((place, bot) for seating in square for place, bot in enumerate(seating)) == Counter(
            {(place, bot): 1 for place in range(players) for bot in range(players)}
        )


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("mode", ["balanced", "permutations"])
def test_a_block_has_each_ordered_pair_of_neighbours_equally_often(mode: str, players: int) -> None:
    for draw in range(20):
        seatings = list(seat(mode, players, draw, 0))
        assert len(seatings) == len(set(seatings)) == count_seatings(mode, players)
        found = neighbours(seatings)
        assert set(found) == set(permutations(range(players), 2))
        assert len(set(found.values())) == 1


@pytest.mark.parametrize("players", PLAYERS)
def test_rotations_are_balanced_over_one_block_less_than_there_are_seats(players: int) -> None:
    wanted = count_balanced_blocks("rotations", players)
    assert wanted == players - 1
    seatings = [seating for block in range(wanted) for seating in seat("rotations", players, 5, block)]
    assert len(set(neighbours(seatings).values())) == 1
    assert len(neighbours(seatings)) == players * (players - 1)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("seats", ["balanced", "rotations"])
@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "swiss", "ladder", "knockout"])
def test_every_format_balances_neighbours(kind: str, seats: str, players: int) -> None:
    options: dict[str, dict[str, object]] = {"gauntlet": {"challengers": ["b00"]}, "swiss": {"rounds": 2}, "ladder": {"rounds": 2}}
    more = options.get(kind, {})
    if kind == "knockout":
        more = {"extra": 0}
    blocks = 1 if seats == "balanced" else players - 1
    spec = plan(players + 1, format=kind, tables=[players], seats=seats, blocks=blocks, **more)
    _, rounds = play(spec, ties=0)
    tickets = [ticket for tickets in rounds for ticket in tickets]
    for key in {(ticket.lineup, ticket.round) for ticket in tickets}:
        mine = [ticket for ticket in tickets if (ticket.lineup, ticket.round) == key]
        numbers = {name: number for number, name in enumerate(key[0])}
        seatings = [tuple(numbers[name] for name in ticket.seats) for ticket in mine]
        assert len(set(neighbours(seatings).values())) == 1
        assert len(neighbours(seatings)) == players * (players - 1)
        assert set(Counter((place, bot) for seating in seatings for place, bot in enumerate(seating)).values()) == {len(mine) // players}

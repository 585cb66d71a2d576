"""Names that look alike, and who may have which: nobody can take the likeness or the next version of somebody else's bot."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.storage.names import look_alike, skeleton, unnumbered, version_name
from leaderboard.storage.store import Store
from leaderboard.storage.submissions import NameTakenError, check_claim, find_submission, submissions, submit
from tests.people import person

LETTERS = string.ascii_letters + string.digits
NAMES = st.text(LETTERS + "_.-", min_size=1, max_size=12).filter(lambda name: name[0] in LETTERS)
NUMBERS = st.integers(1, 9999)
DISGUISES = {"0": "oO", "1": "lIi", "5": "sS", "m": ["rn"], "w": ["vv"], "d": ["cl"]}
RESERVED = ("greedy", "mcts")


@contextmanager
def refused(words: str) -> Iterator[None]:
    with pytest.raises(NameTakenError) as caught:
        yield
    sentence = str(caught.value)
    assert words in sentence
    assert "\n" not in sentence
    assert len(sentence) < 200


def disguised(name: str, draw: Callable[[st.SearchStrategy[str]], str]) -> str:
    """The name with other case, look-alike characters and separators."""
    pieces = []
    for letter in name:
        forms = [letter, letter.upper(), letter.lower(), *DISGUISES.get(letter, [])]
        pieces.append(draw(st.sampled_from(forms)) + draw(st.sampled_from(["", "", "-", "_"])))
    return "".join(pieces)


LIKE_WALKER = """Walker WALKER walker2 walker.2 walker-2 walker_2 walker-v2 walkerV2 walker-version-3 walker-1-2 wa1ker waIker vvalker
    w-a-l-k-e-r walker- walker.l0 walker_I walkerS"""


@pytest.mark.parametrize("other", LIKE_WALKER.split())
def test_names_that_look_like_walker(other: str) -> None:
    assert look_alike("walker", other)
    assert look_alike(other, "walker")


@pytest.mark.parametrize("other", ["stalker", "walk", "walkers-friend", "walker2b2c", "talker", "v2", "w", "my-walker"])
def test_names_that_do_not(other: str) -> None:
    assert not look_alike("walker", other)


@pytest.mark.parametrize(
    ("one", "other"), [("hello", "he110"), ("hello", "hell0-v2"), ("storm", "5torrn"), ("walker-v1", "walker-v2"), ("b1", "b2")]
)
def test_digits_are_read_both_as_letters_and_as_the_number_of_a_version(one: str, other: str) -> None:
    assert look_alike(one, other)


@given(st.data(), NAMES)
def test_a_disguise_changes_no_skeleton(data: st.DataObject, name: str) -> None:
    assert skeleton(disguised(name, data.draw)) == skeleton(name)


@given(NAMES, NAMES)
def test_likeness_is_mutual_and_everything_is_like_itself(one: str, other: str) -> None:
    assert look_alike(one, other) == look_alike(other, one)
    assert look_alike(one, one)
    assert look_alike(one, one.swapcase())


@given(NAMES, st.sampled_from([".", "-", "_", "-v", "_v", "V", ".v", ""]), NUMBERS)
def test_every_way_to_write_a_version_looks_like_its_bot(name: str, mark: str, number: int) -> None:
    assert look_alike(name, f"{name}{mark}{number}")


@given(st.data(), NAMES, NUMBERS, NUMBERS)
def test_no_version_enters_under_a_name_like_one_that_another_author_may_have(data: st.DataObject, mine: str, one: int, two: int) -> None:
    entered = version_name(mine, one)
    theirs = data.draw(st.one_of(NAMES, st.just(disguised(entered, data.draw))))
    if unnumbered(theirs) is None and not look_alike(mine, theirs):
        assert version_name(theirs, two) != entered
        assert skeleton(theirs) != skeleton(entered)


@given(NAMES, st.integers(2, 9999))
def test_nobody_can_submit_under_the_name_of_a_version(name: str, number: int) -> None:
    assert unnumbered(version_name(name, number)) == name.rstrip(".") or name.endswith(".")


class TestClaims:
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        with Store.create(tmp_path / "s.db") as store:
            submit(store, "walker", "1" * 64, person(store, "Ana"), b"one")
            yield store

    @pytest.mark.parametrize("name", ["walker.2", "Walker", "walker-2", "wa1ker", "walker_v3"])
    def test_a_stranger_can_take_neither_the_next_version_nor_the_likeness(self, store: Store, name: str) -> None:
        with pytest.raises(Exception, match=name):
            submit(store, name, "2" * 64, person(store, "Eve"), b"two")
        assert [each.label for each in submissions(store)] == ["walker@1"]

    def test_the_sentences_say_what_the_name_looks_like(self, store: Store) -> None:
        with refused("the name 'Walker' looks like 'walker', another author's; choose another"):
            check_claim(store, "Walker", "Eve")
        with refused("the name 'walker' is taken by another author; choose another"):
            check_claim(store, "walker", "Eve")
        with refused("leave out '.2'"):
            check_claim(store, "runner.2", person(store, "Ana"))
        with refused("looks like the reference bot 'greedy'"):
            check_claim(store, "Greedy2", "Ana", reserved=RESERVED)
        with refused("looks like the reference bot 'mcts'"):
            check_claim(store, "rncts-v2", "Ana", reserved=RESERVED)

    def test_an_author_may_have_names_like_own_ones_and_any_number_of_versions(self, store: Store) -> None:
        for number in range(2, 12):
            assert submit(store, "walker", f"{number:064d}", person(store, "Ana"), b"more", reserved=["walker"]).number == number
        assert submit(store, "walker-fast", "a" * 64, person(store, "Ana"), b"fast").label == "walker-fast@1"
        assert submit(store, "Walker-2", "b" * 64, person(store, "Ana"), b"two").label == "Walker-2@1"

    def test_names_that_an_old_database_has_stay_and_go_on(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        with monkeypatch.context() as old:
            old.setattr("leaderboard.storage.submissions._check_claim", lambda *_: None)
            submit(store, "walker.2", "2" * 64, person(store, "Eve"), b"two")
            submit(store, "greedy", "3" * 64, person(store, "Eve"), b"three")
        assert find_submission(store, "walker.2").by == "Eve"
        assert submit(store, "walker", "4" * 64, person(store, "Ana"), b"four", reserved=RESERVED).label == "walker@2"
        assert submit(store, "walker.2", "5" * 64, person(store, "Eve"), b"five", reserved=RESERVED).label == "walker.2@2"
        assert submit(store, "greedy", "6" * 64, person(store, "Eve"), b"six", reserved=RESERVED).label == "greedy@2"

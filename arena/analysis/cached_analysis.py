"""Analyses from the cache, or made and kept there: ``analysis_of``."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from arena.analysis.analyser import Settings, analyse
from arena.analysis.judging import judge_of
from arena.analysis.match_analysis import FORMAT, MatchAnalysis, read_analysis, write_analysis
from arena.result_cache import Cache, key_of
from arena.version import __version__
from bots.loader.loading import identify
from engine.core import EngineError
from engine.records import Replay
from engine.replay.format import write_replay
from engine.replay.verifier import game_of


@cache
def program_digest() -> str:
    """Return the hex SHA-256 of the sources that make an analysis: with other ones it may come out otherwise."""
    digest = sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def digest_of(replay: Replay) -> str:
    """Return the hex SHA-256 of the replay's text, as a database has it."""
    return sha256(write_replay(replay).encode()).hexdigest()


def analysis_of(replay: Replay, settings: Settings, kept: Cache) -> MatchAnalysis:
    """Return the analysis of a match; it is made only if it is not in the cache, and kept if it is whole.

    Raises DisagreementError for a replay that can't be played, and NotAnalysableError.
    """
    digest = digest_of(replay)
    key = _key(replay, digest, settings)
    if key is not None and (found := kept.get(key)) is not None:
        with suppress(ValueError):  # of another version that has not changed its number
            return read_analysis(found)
    analysis = analyse(replay, digest, settings)
    if key is not None and analysis.is_whole:
        kept.put(key, write_analysis(analysis))
    return analysis


def _key(replay: Replay, digest: str, settings: Settings) -> str | None:
    """Return what the analysis depends on; None for a game that is not there, about which ``analyse`` complains."""
    try:
        judge = judge_of(game_of(replay), replay.players)
    except EngineError:
        return None
    asked = identify(settings.bot).digest if settings.bot else ""
    seat = settings.seat if settings.bot else None
    heuristics = identify("expert").digest
    return key_of(FORMAT, program_digest(), heuristics, digest, judge.version, settings.bot, asked, settings.nodes, seat)

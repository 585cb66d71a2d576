"""Old names of modules of this package, and of what they held: importing one raises an error with its new name."""

from __future__ import annotations

from typing import Final

MOVED: Final = {
    "engine.canvas": "engine.render.canvas",
    "engine.drawing": "engine.render.drawing",
    "engine.following": "engine.replay.observer",
    "engine.form": "engine.build_info",
    "engine.games": "engine.registry",
    "engine.packing": "engine.replay.compression",
    "engine.palette": "engine.render.palette",
    "engine.perft": "engine.core.perft",
    "engine.replay_format": "engine.replay.format",
    "engine.scene": "engine.render.scene",
    "engine.sunda.catalogue": "engine.sunda.rules.move_cache",
    "engine.sunda.claims": "engine.sunda.board.claims",
    "engine.sunda.drawing": "engine.sunda.render.drawing",
    "engine.sunda.drawn": "engine.sunda.rules.random_moves",
    "engine.sunda.fights": "engine.sunda.rules.challenges",
    "engine.sunda.flow": "engine.sunda.rules.apply",
    "engine.sunda.grids": "engine.sunda.board.grids",
    "engine.sunda.happenings": "engine.sunda.render.event_text",
    "engine.sunda.islands": "engine.sunda.board.islands",
    "engine.sunda.layout": "engine.sunda.render.layout",
    "engine.sunda.legal": "engine.sunda.rules.legal",
    "engine.sunda.moves": "engine.sunda.notation.moves",
    "engine.sunda.outline": "engine.sunda.render.outline",
    "engine.sunda.panel": "engine.sunda.render.panel",
    "engine.sunda.pictures": "engine.sunda.render.pictures",
    "engine.sunda.pots": "engine.sunda.rules.pots",
    "engine.sunda.reader": "engine.sunda.notation.fen_reader",
    "engine.sunda.scoring": "engine.sunda.rules.scoring",
    "engine.sunda.shifts": "engine.sunda.board.shifts",
    "engine.sunda.solo": "engine.sunda.puzzles.solo",
    "engine.sunda.spots": "engine.sunda.board.placement_index",
    "engine.sunda.tally": "engine.sunda.board.packed_counts",
    "engine.sunda.terminal": "engine.sunda.render.terminal",
    "engine.sunda.text": "engine.sunda.notation.fen",
    "engine.sunda.tiles": "engine.sunda.board.tiles",
    "engine.sunda.trigrid": "engine.sunda.board.trigrid",
    "engine.sunda.witness": "engine.sunda.board.shift_cache",
    "engine.svg": "engine.render.svg",
    "engine.tongiaki.chain": "engine.tongiaki.rules.departures",
    "engine.tongiaki.drawing": "engine.tongiaki.render.drawing",
    "engine.tongiaki.flow": "engine.tongiaki.rules.apply",
    "engine.tongiaki.focus": "engine.tongiaki.render.last_move",
    "engine.tongiaki.happenings": "engine.tongiaki.render.event_text",
    "engine.tongiaki.landing": "engine.tongiaki.rules.landing",
    "engine.tongiaki.layout": "engine.tongiaki.render.layout",
    "engine.tongiaki.moves": "engine.tongiaki.notation.moves",
    "engine.tongiaki.panel": "engine.tongiaki.render.panel",
    "engine.tongiaki.pictures": "engine.tongiaki.render.pictures",
    "engine.tongiaki.situation": "engine.tongiaki.position",
    "engine.tongiaki.terminal": "engine.tongiaki.render.terminal",
    "engine.tongiaki.tiles": "engine.tongiaki.board.tiles",
    "engine.tongiaki.turns": "engine.tongiaki.rules.legal",
}
"""Modules."""
MOVED_NAMES: Final = {
    "engine.replay.DisagreementError": "engine.DisagreementError",
    "engine.replay.FORMAT": "engine.replay.format.FORMAT",
    "engine.replay.Recorder": "engine.Recorder",
    "engine.replay.ReplayError": "engine.ReplayError",
    "engine.replay.chance_of": "engine.replay.recorder.chance_of",
    "engine.replay.game_of": "engine.replay.verifier.game_of",
    "engine.replay.read_replay": "engine.read_replay",
    "engine.replay.rederive": "engine.replay.verifier.rederive",
    "engine.replay.state_at": "engine.state_at",
    "engine.replay.verify_replay": "engine.verify_replay",
    "engine.replay.walk": "engine.walk",
    "engine.replay.write_replay": "engine.write_replay",
    "engine.sunda.board.Board": "engine.sunda.board.board.SundaBoard",
    "engine.sunda.board.CLOSED": "engine.sunda.board.board.CLOSED",
    "engine.sunda.notation.FORMS": "engine.sunda.notation.parse.FORMS",
    "engine.sunda.notation.explain_move": "engine.sunda.notation.parse.explain_move",
    "engine.sunda.notation.parse_move": "engine.sunda.notation.parse.parse_move",
    "engine.sunda.notation.read_number": "engine.sunda.notation.parse.read_number",
    "engine.sunda.notation.read_placement": "engine.sunda.notation.parse.read_placement",
    "engine.sunda.notation.read_tile": "engine.sunda.notation.parse.read_tile",
    "engine.sunda.notation.read_vertex": "engine.sunda.notation.parse.read_vertex",
    "engine.sunda.puzzles.Laid": "engine.sunda.puzzles.puzzle.Laid",
    "engine.sunda.puzzles.Puzzle": "engine.sunda.puzzles.puzzle.Puzzle",
    "engine.sunda.puzzles.PuzzleError": "engine.sunda.puzzles.puzzle.PuzzleError",
    "engine.sunda.puzzles.puzzle_of": "engine.sunda.puzzles.puzzle.puzzle_of",
    "engine.sunda.puzzles.read_puzzle": "engine.sunda.puzzles.puzzle.read_puzzle",
    "engine.sunda.puzzles.write_region": "engine.sunda.puzzles.puzzle.write_region",
    "engine.tongiaki.board.Board": "engine.tongiaki.board.board.TongiakiBoard",
    "engine.tongiaki.board.DELTA": "engine.tongiaki.board.board.DELTA",
    "engine.tongiaki.board.EMPTY": "engine.tongiaki.board.board.EMPTY",
    "engine.tongiaki.board.FAILS": "engine.tongiaki.board.board.FAILS",
    "engine.tongiaki.board.ORIGIN": "engine.tongiaki.board.board.ORIGIN",
    "engine.tongiaki.board.cell_of": "engine.tongiaki.board.board.cell_of",
    "engine.tongiaki.board.coordinates": "engine.tongiaki.board.board.coordinates",
}
"""Names in modules that have become packages."""


def find_spec(name: str, _path: object = None, _target: object = None) -> None:
    """Answer ``sys.meta_path``, of which this module is the last entry. Raises ImportError for an old name.

    ``from package import name`` looks for a module of that name, too, where the package has no such attribute. There a ModuleNotFoundError
    would be passed over.
    """
    new = MOVED.get(name) or MOVED_NAMES.get(name)
    if new is not None:
        raise ImportError(f"{name} is now {new}", name=name)

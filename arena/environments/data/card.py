"""The card of a file of decisions: a text that says what is in it and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from arena.environments.data.decisions import Decisions
from arena.environments.data.files import PREFIX
from arena.environments.encoding import Encoder
from arena.environments.game_adapter import VERSION
from arena.report.table import markdown_text
from arena.version import __version__
from engine.core import OptionValue

_PLAIN: Final = (
    ("match", "string", "the id of the match"),
    ("number", "int32", "the number of the decision in its match, from 0"),
    ("players", "int32", "the number of seats"),
    ("seat", "int32", "the seat that decides"),
    ("bot", "string", "the name of the bot in it"),
    ("version", "string", "the version of the bot, a hash"),
    ("by_substitute", "bool", "whether the bot had forfeited, so that the move is its substitute's"),
    ("legal", "int32", "how many legal moves there were"),
    ("action", "int32", "the index of the move among them, in the order of the rules: the action of the environments"),
    ("move", "string", "the move in the notation of the game"),
    ("rank", "int32", "the rank of the seat at the end, from 1"),
    ("score", "float64", "the score of the seat at the end"),
)


def write_card(
    file: str, decisions: Decisions, *, tournament: str, game: str, options: Mapping[str, OptionValue], match: str | None, rows: bool
) -> str:
    """Return the card in Markdown."""
    named = markdown_text(tournament)
    of = f"match {markdown_text(match)} of the tournament {named}" if match else f"the tournament {named}"
    shaped = "nested lists of numbers" if file.endswith(".jsonl") else "flat lists of numbers in C order"
    rules = markdown_text(", ".join(f"{key} = {value}" for key, value in options.items()))
    lines = [
        f"# {markdown_text(file)}",
        "",
        f"Every decision of {of}: what the seat saw, what it played, and how the match ended for it.",
        "",
        f"- game: {markdown_text(game)}" + (f" ({rules})" if rules else ""),
        f"- matches: {decisions.matches}",
        f"- decisions: {sum(decisions.decisions.values())}",
        f"- digest of the matches: sha256 {decisions.digest} (of a line `ID DIGEST` for each match, with the SHA-256 of its replay)",
        f"- written by: tile-arena {__version__}, environments version {VERSION}",
        "",
        "An observation has nothing that the seat did not know when it decided. Replays of the same matches give the same file.",
        "",
        "## Columns",
        "",
        "| column | type | what |",
        "|---|---|---|",
        *(f"| `{name}` | {kind} | {what} |" for name, kind, what in _PLAIN),
        *_arrays(decisions.encoders, rows=rows),
        "",
        f"Arrays are {shaped}; docs/environments.md says what they hold.",
        "",
        "## Bots",
        "",
        "| bot | version | decisions |",
        "|---|---|---:|",
        *(
            f"| {markdown_text(bot)} | {markdown_text(version)} | {number} |"
            for (bot, version), number in sorted(decisions.decisions.items())
        ),
        "",
    ]
    return "\n".join(lines)


def _arrays(encoders: Mapping[int, Encoder], *, rows: bool) -> list[str]:
    """Return a line for each column with arrays; shapes may differ with the number of players."""
    lines = []
    first = next(iter(encoders.values()))
    for name, field in first.fields.items():
        shape = _shape({players: str(encoder.fields[name].shape) for players, encoder in encoders.items()})
        lines.append(f"| `{PREFIX}{name}` | list of {np.dtype(field.dtype)} | the array `{name}` of the observation, of shape {shape} |")
    if rows:
        shape = _shape({players: f"(legal, {len(encoder.columns)})" for players, encoder in encoders.items()})
        lines.append(f"| `{PREFIX}moves` | list of {np.dtype(first.row_type)} | a row for each legal move, of shape {shape} |")
    return lines


def _shape(of: Mapping[int, str]) -> str:
    """Return the shape of an array, or each of its shapes with the number of players that it belongs to."""
    shapes = {shape: players for players, shape in sorted(of.items(), reverse=True)}
    return " or ".join(shape if len(shapes) == 1 else f"{shape} with {players} players" for shape, players in shapes.items())

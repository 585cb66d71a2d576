"""What OpenSpiel doesn't tell of some of its games with hidden information; ``benchmarks.openspiel_games`` and the tests check it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SAMPLED: Final = frozenset({"bargaining", "kuhn_poker", "leduc_poker", "oh_hell"})
"""Games whose ``resample_from_infostate`` gives a history that depends on what the player knows and on nothing else.

Of the others that have the method, gin_rummy and colored_trails keep the true history, euchre keeps what the dealer has put away,
blackjack gives other histories for states that look the same, hearts gives some in which somebody did not follow suit, bridge takes a
third of a second, and universal_poker for three ends the process.
"""

OPEN_MOVES: Final = frozenset({"bargaining", "bridge", "kuhn_poker", "leduc_poker", "liars_dice", "oh_hell", "spades", "universal_poker"})
"""Games with secret cards or dice, but none of whose decisions is hidden from anybody."""

LARGEST: Final[Mapping[str, Mapping[str, int]]] = {
    "havannah": {"board_size": 13},
    "hex": {"board_size": 26, "num_cols": 26, "num_rows": 26},
    "universal_poker": {"numRanks": 13, "numSuits": 4},
    "y": {"board_size": 26},
}
"""Parameters above which OpenSpiel runs out of letters for columns, or writes beyond the cards it has, and ends the process."""

BROKEN: Final = frozenset({"morpion_solitaire"})
"""Games that read memory which nothing has written: their moves differ from time to time, and some end the process."""

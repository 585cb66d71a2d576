"""The rules of Tongiaki for people who are new to the game; the complete rules are in docs/rules/tongiaki.md."""

from __future__ import annotations

from typing import Final

from engine.plugin import Chapter

RULES: Final = (
    Chapter(
        "What it is about",
        (
            "You lead a people of the South Seas. At the start all peoples live on one island, Tonga. Ships crowd its beaches, and"
            " a beach that is full sends all its ships out to sea, yours and everybody else's together. Voyages discover islands and"
            " stretches of water, tile by tile.",
            "At the end each island is worth its points to everybody who has a ship there. So you want to be on many islands, and"
            " you need the others to get there: many waters can only be crossed by ships of several colours.",
        ),
    ),
    Chapter(
        "The board",
        (
            "- An island shows its points and two to six beaches. A beach has a number of berths, one for each ship, and one or"
            " more piers by which ships leave. Ships may arrive from any side, with or without a pier.",
            "- A water shows foam routes, each from one of its sides to another. A number on a route says how many different"
            " colours a group of ships needs to pass; a route without a number lets everybody pass.",
            "- The small red crest marks a tile's first side. A tile that is discovered is laid with its crest towards the ships"
            " that discover it.",
        ),
    ),
    Chapter(
        "Your turn",
        (
            "At the beginning everybody puts two ships on Tonga. After that, do exactly one of these in your turn:",
            "- Expand: choose an island and count your ships there. Put as many new ships on its beaches, one on each"
            " (fewer only if there are fewer beaches, or fewer ships in your supply). The number is fixed, the beaches"
            " are your choice.",
            "- Found a royal island: if nobody but you has ships on an island (not Tonga), one of them becomes its king and the"
            " rest come back to your supply. Its points are yours, and nobody can enter, leave or cross it any more. You may do this"
            " twice in a game.",
            "- Colonise anew: take all your ships off the beaches, then draw tiles and lay them wherever they touch the map until"
            " you draw an island. Put one ship there. It costs you everything you held, so it is only a way out of trouble.",
            "- Enter: if you have no ship on any beach, put two on Tonga, or one on any other island that is not royal.",
            "With an empty supply you may first take one of your ships off a beach and expand with that one, or pass.",
        ),
    ),
    Chapter(
        "Voyages",
        (
            "When the last berth of a beach is taken, all ships on that beach must sail together, even if most are not yours. If it"
            " is your turn, you choose which full beach goes first and by which of its piers.",
            "- Into an empty place: draw a tile and lay it there.",
            "- Onto a water: the group follows the route from the side where it comes in. If it has fewer colours than the route"
            " asks for, the voyage fails and every ship goes back to its owner's supply.",
            "- Onto an island: it lands. You share the ships out among the beaches with free berths: each of them gets one while"
            " there are enough ships. Ships for which there is no berth go back to their owners.",
            "- To a royal island: the group turns round and goes back the way it came.",
            "A landing can fill other beaches, whose ships sail on in the same turn.",
            "Very rarely every way from a crowded island leads back to it. Then it sinks: its tile leaves the game, and its ships"
            " go back to their owners.",
        ),
    ),
    Chapter(
        "The end",
        (
            "When the last island or the last water is laid, the turn is played out without drawing more tiles, and the game is"
            " over. It also ends when nobody has discovered anything for ten rounds.",
            "You score the points of every island on which you have a ship, royal islands included. Tonga scores nothing. Ties"
            " are broken by the number of islands, then by having fewer ships on the board.",
        ),
    ),
    Chapter(
        "For your first match",
        (
            "- Fill a beach that has several colours: only mixed groups cross the difficult waters.",
            "- When anybody fills a beach that you share, its ships sail, so the others move your ships as well. Spread out.",
            "- A royal island is safe, but nobody can enter it any more: make one where you have little left to win.",
        ),
    ),
)

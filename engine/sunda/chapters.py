"""The rules of Sunda to Sahul, as shown to people before their first match; docs/rules/sunda.md has every detail."""

from __future__ import annotations

from typing import Final

from engine.plugin import Chapter

RULES: Final = (
    Chapter(
        "What it is about",
        (
            "Ice melts, the sea rises, and a continent becomes islands. You lay jigsaw tiles that show land and water, and wherever"
            " land is closed on all sides, you may settle it with a token. Islands without missing pieces count double.",
        ),
    ),
    Chapter(
        "The tiles",
        (
            "There are 136 tiles, all different. Each is a lozenge with four corners, two sharp and two wide. A corner is"
            " land or water, and each side has a tab or a blank, as in a jigsaw puzzle.",
            "- A tile must share at least one whole side with a tile already laid. Tabs go into blanks.",
            "- Corners that meet must be the same: land to land, water to water.",
            "- A triangular gap can never be filled. You may create one only if you can remove it at once by moving a neighbouring"
            " tile elsewhere.",
            "You need not remember any of this: the page offers only the places where a tile fits.",
        ),
    ),
    Chapter(
        "Your turn",
        (
            "Your turn has two steps. In each you lay a tile of your choice and may then settle what it has closed. Tiles come from"
            " one pot that everybody sees and shares, unless each player has a pot of their own.",
            "A corner is closed when tiles surround it completely. When your tile closes corners of land, you may put tokens on"
            " them, up to two in a step. Corners that nobody takes stay free for good.",
        ),
    ),
    Chapter(
        "Levels",
        (
            "You choose how much of the game to play; each level includes the levels below it. Begin with level 0.",
            "- Level 0, beginner: a token is worth one point, two on a complete island.",
            "- Level 1, water rights: if you close a lake, you may put a token on it. It scores five points for each corner of the lake,"
            " doubled on a complete island. From this level on, the players can also agree to end the game.",
            "- Level 2, tribes: put a token on top of your own instead of on a new corner. Each token of a tribe scores as many"
            " points as the tribe has tokens, and a tribe has at most five: so five together score 25.",
            "- Level 3, cooperation: you may ask to join the tribe of another player, who says yes or no. A tribe belongs to the player"
            " who has the most tokens in it.",
            "- Level 4, challenges: after you have placed a token, one of your tribes may challenge another player's on the same"
            " island. The larger rolls more dice; the highest single die wins, the challenger wins ties, and the loser takes a token back.",
            "- Level 5, resources: put markers with the values 1 to 6 on islands. The player with the most tokens on an island scores"
            " twice the sum of its markers, or four times the sum if it is complete.",
        ),
    ),
    Chapter(
        "The end",
        (
            "The game ends when somebody has no token left, when no tile is left or fits, or when all players, one after another,"
            " have agreed to end it. The player with the most points wins.",
        ),
    ),
    Chapter(
        "Simultaneous and solo play",
        (
            "In simultaneous mode, everybody chooses secretly and at the same time: to lay a tile from their own pot, to steal a"
            " tile from another player, or to wait. Dice decide the order. The victim takes two other tiles from the thief.",
            "In solo play there are no tokens: you try to close as many corners of land as you can; they count double on complete islands.",
        ),
    ),
    Chapter(
        "For your first match",
        (
            "- Look for corners of land that lack one tile, and close them before somebody else does.",
            "- Small islands are quickly completed, and completing one doubles everything on it, including the pieces of others.",
            "- Don't spend your last tokens on single points while a large island of yours can still be completed.",
        ),
    ),
)

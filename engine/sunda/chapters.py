"""The rules of Sunda to Sahul, as shown to people before their first match; docs/rules/sunda.md has every detail."""

from __future__ import annotations

from typing import Final

from engine.plugin import Chapter

RULES: Final = (
    Chapter(
        "What it is about",
        (
            "Ice melts, the sea rises, and a continent becomes islands. You lay jigsaw tiles that show land and water, and wherever"
            " land is closed all round you may settle it with a token. Islands on which no piece is missing count double.",
        ),
    ),
    Chapter(
        "The tiles",
        (
            "There are 136 tiles, and no two are alike. Each is a lozenge with four corners, two sharp and two wide. A corner is"
            " land or water, and each side has a tab or a blank, as in a jigsaw puzzle.",
            "- A tile must share at least one whole side with the tiles that lie there. Tabs go into blanks.",
            "- Corners that meet must be alike: land to land, water to water.",
            "- A gap of the size of a triangle can never be filled. You may leave one only if you can mend it at once by taking one"
            " of the tiles beside it and laying it somewhere else.",
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
            "You choose how much of the game to play; each level has everything below it. Begin with level 0.",
            "- Level 0, beginner: a token is worth one point, two on a complete island.",
            "- Level 1, water rights: if you close a lake you may put a token on it, for five points for each of its corners, doubled"
            " on a complete island. From this level on the players can also agree to end the game.",
            "- Level 2, tribes: put a token on top of your own instead of on a new corner. Each token of a tribe scores as many"
            " points as the tribe has tokens, and a tribe has at most five: so five together score 25.",
            "- Level 3, cooperation: you may ask to join a tribe of another player, who says yes or no. A tribe belongs to the player"
            " who has most tokens in it.",
            "- Level 4, challenges: after you have placed a token, one of your tribes may challenge another on the same island. The"
            " larger rolls more dice; the highest single die wins, the challenger wins ties, and the loser takes a token back.",
            "- Level 5, resources: put markers of 1 to 6 on islands. The player with most tokens there gets twice their sum,"
            " four times on a complete island.",
        ),
    ),
    Chapter(
        "The end",
        (
            "The game ends when somebody has no token left, when no tile is left or fits, or when all have agreed one after the"
            " other. Most points win.",
        ),
    ),
    Chapter(
        "All at once, and alone",
        (
            "In the simultaneous mode everybody chooses at the same time and unseen: to lay a tile of their own pot, to steal a"
            " tile of another player, or to wait. Dice decide in what order it happens. A player who was robbed takes two tiles"
            " back.",
            "Alone there are no tokens: you try to close as many corners of land as you can, and they count double on complete islands.",
        ),
    ),
    Chapter(
        "For your first match",
        (
            "- Look for corners of land that lack one tile, and close them before somebody else does.",
            "- Small islands are completed soon, and completing one doubles everything on it, what others have there included.",
            "- Don't spend your last tokens on single points while a large island of yours can still be completed.",
        ),
    ),
)

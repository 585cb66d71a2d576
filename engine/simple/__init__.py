"""A base for games where ease of writing matters more than speed: the rules are one class, and everything else is derived from it.

A position is a ``msgspec.Struct`` whose fields are everything there is to know; its methods are the rules::

    >>> from engine.simple import Position, simple_game
    >>> class Race(Position):
    ...     steps: list[int] = []
    ...     def setup(self, options, chance):
    ...         self.steps = [0] * self.players
    ...     def moves(self):
    ...         return ["roll"]
    ...     def play(self, move, chance):
    ...         self.steps[self.actor] += chance.roll(6)
    ...         if self.steps[self.actor] >= 10:
    ...             self.end(self.steps, "home")
    ...         else:
    ...             self.next()
    >>> game = simple_game(Race, "race", title="Race", players=(2, 6)).game("", {})
    >>> state = game.new(2, seed=1)
    >>> state.play(game.parse("roll"))
    >>> state.events, state.actor
    (('roll 3',), 1)

A package registers what ``simple_game`` returns as an entry point (docs/adding-a-game.md). States copy, print, pickle and go through
replays without further code. Override ``hide`` and ``fill`` where players have secrets.
"""

from engine.simple.chance import Chance
from engine.simple.game import SimpleGame, SimpleState
from engine.simple.plugin import OptionRule, simple_game
from engine.simple.position import Position

__all__ = ["Chance", "OptionRule", "Position", "SimpleGame", "SimpleState", "simple_game"]

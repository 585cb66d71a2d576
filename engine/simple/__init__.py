"""A base for games that should be easy to write rather than fast: the rules are one class, and everything else is derived from it.

A position is a ``msgspec.Struct``. Its fields hold everything there is to know, and its methods are the rules::

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

A package registers the result of ``simple_game`` as an entry point (docs/adding-a-game.md). States can be copied, printed, pickled and
replayed without further code. If players have secrets, override ``hide`` and ``fill``.
"""

from engine.simple.chance import Chance
from engine.simple.game import SimpleGame, SimpleState
from engine.simple.plugin import OptionRule, simple_game
from engine.simple.position import Position

__all__ = ["Chance", "OptionRule", "Position", "SimpleGame", "SimpleState", "simple_game"]

"""Packages with games, as pip leaves them in a folder that Python looks in: some that work, and some that don't in every way there is."""

from __future__ import annotations

from pathlib import Path

SOUND = """
from engine.plugin import GamePlugin
from engine.simple import Position, simple_game

class Take(Position):
    left: int = 5
    def moves(self):
        return ["one", "two"][: self.left]
    def play(self, move, chance):
        self.left -= 1 if move == "one" else 2
        if self.left:
            self.next()
        else:
            self.end([int(seat == self.actor) for seat in range(2)], "taken")

PLUGIN = simple_game(Take, "take", title="Take", players=(2, 2))
"""
BROKEN = """
from engine.plugin import GamePlugin

NUMBER = 7
NOTHING = GamePlugin(title="Nothing", make=lambda options: None)
RAISES = GamePlugin(title="Raises", make=lambda options: 1 / 0)
QUITS = GamePlugin(title="Quits", make=lambda options: exit(3))
LOST = GamePlugin(title="Lost", make="no_such_module:make")
NAMELESS = GamePlugin(title=None, make=lambda options: None)
UNMADE = GamePlugin(title="Unmade", make=5)
"""
MODULES = {
    "sound_games": SOUND,
    "broken_games": BROKEN,
    "fails_games": "raise RuntimeError('this machine\\nwill not do')",
    "quits_games": "raise SystemExit(4)",
    "syntax_games": "def",
    "outdated_games": "from engine.plugin import GamePlugin\nPLUGIN = GamePlugin(titel='Typo')",
}
ENTRIES = {
    "absent": (
        "no_such_games:PLUGIN",
        "can't be imported: ModuleNotFoundError: No module named 'no_such_games'; if it is not yours, ask",
    ),
    "fails": (
        "fails_games:PLUGIN",
        "can't be imported: RuntimeError: this machine, at fails_games.py:1; if it is not yours, ask",
    ),
    "quits": ("quits_games:PLUGIN", "can't be imported: SystemExit: 4, at quits_games.py:1; if it is not yours, ask its author"),
    "syntax": ("syntax_games:PLUGIN", "can't be imported: SyntaxError: "),
    "outdated": ("outdated_games:PLUGIN", "can't be imported: TypeError: "),
    "misspelt": ("broken_games:PLUGINS", "can't be imported: AttributeError: module 'broken_games' has no attribute 'PLUGINS'"),
    "hidden": ("hidden_games:PLUGIN", "can't be imported: AttributeError: module 'hidden_games' has no attribute 'PLUGIN'; the folder "),
    "malformed": ("not a target", "can't be imported: "),
    "number": ("broken_games:NUMBER", "is not a GamePlugin: broken_games:NUMBER is of type int; ask its author"),
    "nothing": ("broken_games:NOTHING", "can't be created: its 'make' returns no Game, but NoneType; ask its author"),
    "raises": ("broken_games:RAISES", "can't be created: ZeroDivisionError: division by zero, at broken_games.py:6; ask its author"),
    "exits": ("broken_games:QUITS", "can't be created: SystemExit: 3, at broken_games.py:7; ask its author"),
    "lost": ("broken_games:LOST", "can't be created: ModuleNotFoundError: No module named 'no_such_module'; ask its author"),
    "nameless": ("broken_games:NAMELESS", "is not a GamePlugin: its 'title' is a text and its 'make' makes games; ask its author"),
    "unmade": ("broken_games:UNMADE", "is not a GamePlugin: its 'title' is a text and its 'make' makes games; ask its author"),
}
"""Names of games, with what brings each and what is said of it."""
TAKEN = {"tongiaki": "broken_games:NUMBER", "take": "broken_games:NUMBER", "two:parts": "broken_games:NUMBER"}


def write_packages(folder: Path) -> None:
    """Write the packages ``sound`` and ``wrong`` into a folder."""
    for module, code in MODULES.items():
        (folder / f"{module}.py").write_text(code, encoding="utf-8")
    (folder / "hidden_games").mkdir()
    _describe(folder, "sound", {"take": "sound_games:PLUGIN"})
    _describe(folder, "wrong", {name: target for name, (target, _) in ENTRIES.items()} | TAKEN)


def _describe(folder: Path, package: str, games: dict[str, str]) -> None:
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {target}" for name, target in games.items()]
    (about / "entry_points.txt").write_text("\n".join(["[tile_arena.games]", *lines, ""]))

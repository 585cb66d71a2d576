"""OpenSpiel's games: ``openspiel:hex(board_size=7)`` is a game like any other (docs/openspiel.md). Needs the extra ``openspiel``.

No other package imports ``pyspiel``.
"""

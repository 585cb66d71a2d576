"""What calls of the host cost a module, in units of fuel: the same on every machine.

WebAssembly itself takes about one unit an instruction, some 10,000 in a microsecond. These prices are the times of the calls in Tongiaki
and Sunda at that rate, rounded (benchmarks/wasm.py measures both).
"""

from __future__ import annotations

from typing import Final

CALL: Final = 20_000
"""Any call at all: entering the host and leaving it. What follows is added."""
BYTE: Final = 10
"""Each byte that the host reads from the module's memory or writes there."""
PART: Final = 15_000
"""Each part of what is written, and each event that is waited for, beside its bytes."""
LIST: Final = 30_000
"""Listing the legal moves of a position, at the first call that needs them, and again once a move was played there."""
LISTED: Final = 200
"""Each move listed."""
PARSE: Final = 30_000
"""Looking for a move by its notation."""
TEXT: Final = 60_000
"""Writing a position as text."""
SAMPLE: Final = 80_000
"""Filling in what is hidden."""
COPY: Final = 20_000
"""Copying a position."""
PLAY: Final = 40_000
"""Playing a move."""
PLAYOUT: Final = 60_000
"""Beginning a playout."""
PLAYED: Final = 50_000
"""Each move of a playout."""

"""Every registered game keeps the laws of games. ``arena game check NAME`` checks more random games of one."""

from __future__ import annotations

from engine.conformance.pytest import conformance

test_tongiaki = conformance("tongiaki", games=1)
test_sunda = conformance("sunda", games=1)

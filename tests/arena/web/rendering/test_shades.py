"""Shades of shares."""

from __future__ import annotations

import pytest

from arena.web.rendering.templates import shade as shade_of


@pytest.mark.parametrize(("share", "shade"), [(0, "share0"), (0.5, "share4"), (1, "share8"), (0.94, "share8")])
def test_shades_go_from_lost_to_won(share: float, shade: str) -> None:
    assert shade_of(share) == shade

"""The filters that pages share."""

from __future__ import annotations

from arena.web.rendering.templates import with_decisions


def test_decisions_in_a_sentence_are_links_and_the_rest_is_escaped() -> None:
    said = with_decisions("<b> won: it lost 3 at decision 12, and 4 in two (decisions 3 to 5).", "/m/a")
    first, second = ('<a href="/m/a#d=12">decision 12</a>', '<a href="/m/a#d=3">decisions 3 to 5</a>')
    assert said == f"&lt;b&gt; won: it lost 3 at {first}, and 4 in two ({second})."

"""Displays of positions, replays and tables for Jupyter and other programs built on IPython; ``import arena`` registers them.

A state or a view is drawn as the game draws it, a replay or a played match is shown in a viewer, and the summary of a run and the
statistics of a tournament as tables. Nothing is imported before something is shown. A program that imports only ``engine`` uses ``%load_ext
arena.notebook``.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from arena.analysis.statistics import Statistics
    from arena.run.runner import Summary
    from engine.core import State, View
    from engine.records import MatchResult, Replay

HEIGHT: Final = 720
"""The height of a viewer, in pixels of the page."""


def state_svg(state: State) -> str:
    """Return the position as a picture."""
    from engine.render.drawing import svg  # noqa: PLC0415  # loads the drawing of a game

    return svg(state)


def view_svg(view: View[State]) -> str:
    """Return a picture of what the seat may know; hidden information is not in the position that is drawn."""
    return state_svg(view.position)


def replay_html(replay: Replay) -> str:
    """Return the viewer in a frame of its own, so that viewers, and the page around them, don't disturb each other."""
    from arena.web.rendering.replay_files import page  # noqa: PLC0415  # loads templates
    from engine.replay.verifier import timeline_of  # noqa: PLC0415

    document = escape(page(timeline_of(replay)))
    return (
        f'<iframe srcdoc="{document}" sandbox="allow-scripts" title="A match, to be stepped through" loading="lazy" '
        f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
    )


def match_html(result: MatchResult) -> str:
    """Return the viewer of a match that has just been played."""
    from engine.replay.format import read_replay  # noqa: PLC0415

    return replay_html(read_replay(result.replay))


def summary_html(summary: Summary) -> str:
    """Return the final ratings of a run as a table, best first."""
    from arena.report.table import Table, html  # noqa: PLC0415
    from leaderboard.ratings.fold import conservative  # noqa: PLC0415

    rows = [
        (each.bot, *(f"{value:.2f}" for value in (conservative(each.mu, each.sigma), each.mu, each.sigma)), str(each.number))
        for each in summary.table
    ]
    return html(Table("ratings", f"Ratings after {summary.stored} matches", ("bot", "rating", "mu", "sigma", "matches"), rows))


def statistics_html(statistics: Statistics) -> str:
    """Return every section that is not empty as a table, the standings first, as on the command line."""
    from arena.analysis.statistics import Section  # noqa: PLC0415
    from arena.report.statistics_tables import section_table  # noqa: PLC0415
    from arena.report.table import html  # noqa: PLC0415

    tables = [section_table(statistics, section) for section in Section]
    return "\n".join(html(table) for table in tables if table.rows)


_PICTURES: Final[dict[tuple[str, str], Callable[[Any], str]]] = {
    ("engine.core.state", "State"): state_svg,
    ("engine.core.view", "View"): view_svg,
}
_PAGES: Final[dict[tuple[str, str], Callable[[Any], str]]] = {
    ("engine.records", "Replay"): replay_html,
    ("engine.records", "MatchResult"): match_html,
    ("arena.run.runner", "Summary"): summary_html,
    ("arena.analysis.statistics", "Statistics"): statistics_html,
}


def load_ipython_extension(shell: Any) -> None:  # an InteractiveShell; IPython need not be installed
    """Register formatters by the names of classes."""
    formatters = shell.display_formatter.formatters
    for kind, shown in (("image/svg+xml", _PICTURES), ("text/html", _PAGES)):
        for (module, name), show in shown.items():
            formatters[kind].for_type_by_name(module, name, show)


def register() -> None:
    """Register the extension with the shell that this program runs in; do nothing if IPython is merely installed or imported."""
    from IPython import get_ipython  # noqa: PLC0415  # this module is imported without it, too

    shell = get_ipython()
    if shell is not None:
        load_ipython_extension(shell)

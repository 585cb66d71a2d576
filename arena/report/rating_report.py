"""A rating as a table, as JSON, and as a badge in SVG."""

from __future__ import annotations

from dataclasses import asdict
from html import escape

from arena.analysis.rating import Rating
from arena.report.table import Table, number_text, range_text
from bots.loader.version import BotVersion
from engine.text import one_line
from leaderboard.statistics.intervals import CONFIDENCE

COLUMNS = ("bot", "strength", "blocks", "above %", "expected %")


def rating_lines(rating: Rating, version: BotVersion) -> list[str]:
    """Return lines about the strength and its position among the anchors."""
    found, game = rating.strength, rating.plan.game
    options = "".join(f" {key}={value}" for key, value in game.options.items() if not isinstance(value, tuple))
    lines = [
        f"{version.label}: strength {found.strength:.0f}, {CONFIDENCE:.0%} interval {range_text(found.low, found.high)}",
        rating.position,
        f"{game.name}{options}, tables of {rating.plan.players}, {rating.matches} matches",
    ]
    faults = ", ".join(f"{kind} in {count}" for kind, count in rating.forfeits.items())
    return [*lines, f"It forfeited matches, which count as lost: {faults}."] if faults else lines


def rating_table(rating: Rating) -> Table:
    """Return the bot's result against each anchor, and the expected one."""
    rows = [
        (each.bot, number_text(each.strength, 0), str(each.blocks), number_text(each.share, 0, 100), number_text(each.expected, 0, 100))
        for each in rating.against
    ]
    return Table("anchors", "Against the anchors", COLUMNS, rows)


def rating_data(rating: Rating, version: BotVersion) -> dict[str, object]:
    """Return the rating for JSON, without times, so that it is the same on every machine."""
    found, plan = rating.strength, rating.plan
    return {
        "bot": version.name,
        "version": version.digest,
        "game": plan.game.name,
        "options": dict(plan.game.options),
        "players": plan.players,
        "strength": found.strength,
        "interval": [found.low, found.high],
        "confidence": CONFIDENCE,
        "says": rating.position,
        "blocks": len(rating.blocks),
        "matches": rating.matches,
        "forfeits": dict(rating.forfeits),
        "anchors": [asdict(each) for each in rating.against],
    }


def badge(rating: Rating) -> str:
    """Return a badge with the strength and half its interval; it needs no font or host, and is readable on any background."""
    found = rating.strength
    label = f"{one_line(rating.plan.game.name)} strength"
    value = f"{found.strength:.0f} ± {(found.high - found.low) / 2:.0f}"
    left, right = (round(6.6 * len(text) + 12) for text in (label, value))
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{width - 12}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        for text, x, width in ((label, 6, left), (value, left + 6, right))
    )
    title = escape(f"{label}: {value}, {rating.position}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" aria-label="{title}"><title>{title}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#r)">'
        f'<rect width="{left}" height="20" fill="#444c56"/><rect x="{left}" width="{right}" height="20" fill="#00695c"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">{texts}</g></svg>\n'
    )

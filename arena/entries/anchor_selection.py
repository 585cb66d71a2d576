"""Which bots of a tournament are anchors: looked up when it is new, and kept in its stored spec from then on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from arena.entries.stored_tournament import Begun
from arena.spec.spec import AnchorEntry, Spec, SpecError
from bots.loader.version import BotVersion
from bots.protocol import ClockSpec
from leaderboard.ratings.anchors import AnchorsFileError, Conditions, Measured, NoAnchorError, find_anchors, read_anchors


class AnchorError(SpecError):
    """A tournament that asks for anchors, none of whose bots is one."""


def settle_anchors(
    spec: Spec, versions: Mapping[str, BotVersion], begun: Begun | None = None, measured: Sequence[Measured] | None = None
) -> Spec:
    """Return the spec with its anchors listed, if it says ``anchors = true``; otherwise as it is.

    A tournament that has ``begun`` keeps its anchors, also when it grows. A new one has those among its bots that were ``measured``
    (default: the ratings that come with the program). Raises AnchorError if there are none.
    """
    if spec.rating.anchors is not True:
        return spec
    if begun is not None and (kept := begun.spec.rating.fixed):
        return _with(spec, kept)
    try:
        known = read_anchors() if measured is None else measured
        contents = {name: version.digest for name, version in versions.items()}
        anchors = find_anchors(known, conditions(spec), contents, is_hurried=_is_hurried(spec.clock.limits))
    except (AnchorsFileError, NoAnchorError) as error:
        raise AnchorError(f"rating.anchors is true, but no bot of '{spec.name}' is an anchor: {error}") from None
    return _with(spec, tuple(AnchorEntry(bot=each.bot, mu=each.mu, sigma=each.sigma) for each in anchors))


def conditions(spec: Spec) -> Conditions:
    """Return the conditions under which bots are rated in this tournament."""
    game = spec.make_game()
    return Conditions(spec.game, dict(game.options), game.rules_version, spec.rating.beta, spec.clock.nodes)


def _is_hurried(limits: ClockSpec) -> bool:
    """Whether a decision has less time than usual, or all decisions share a bank."""
    usual = ClockSpec().move
    return limits.bank is not None or (limits.move is not None and usual is not None and limits.move < usual)


def _with(spec: Spec, anchors: tuple[AnchorEntry, ...]) -> Spec:
    return spec.model_copy(update={"rating": spec.rating.model_copy(update={"anchors": anchors})})

"""Why the winner of a match won: a few sentences that follow from the sums and the key moments (``sentence_of``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.analysis.key_moments import drawn_frames
from arena.analysis.match_analysis import INACCURACY, Account, DecisionAnalysis, MatchFigures, Moment, MomentKind, Unit
from arena.analysis.moment_words import amount, decisions_words, end_turn, from_to, signed, titled
from engine.text import figure

MOST_OF_IT: Final = 0.6
"""The share of the winner's gain from which a cause is called the reason."""
_AGAINST_LUCK: Final = 0.1
"""How much of a chance luck must cost the winner to be mentioned with the reason."""
_LEAST_SHOWN: Final = 0.005
"""The least change of a chance that is not rounded to nothing."""


def sentence_of(figures: MatchFigures, moments: Sequence[Moment]) -> str:
    """Return why the winner won. Decisions are counted from 1, as everywhere for readers; the records count them from 0."""
    forfeits = forfeit_words(figures)
    return f"{forfeits}. {_won(figures, moments)}" if forfeits else _won(figures, moments)


def forfeit_words(figures: MatchFigures) -> str:
    """Return who forfeited, when and why, as the beginning of a sentence; empty if nobody forfeited."""
    forfeits = [f"{figures.names[each.seat]} forfeited at decision {each.index + 1} ({each.reason})" for each in figures.forfeits]
    if not forfeits:
        return ""
    return f"{_enumeration(forfeits)}; {'a substitute' if len(forfeits) == 1 else 'substitutes'} played on"


def _won(figures: MatchFigures, moments: Sequence[Moment]) -> str:
    winner = figures.winners[0]
    who = _enumeration([figures.names[seat] for seat in figures.winners])
    if not figures.is_split:
        return f"{who} came first; time ran out before it was clear why."
    if figures.unit is Unit.POINTS:
        return _alone(figures)
    if len(figures.winners) != 1:
        return f"{who} shared the first place.{_decisive(figures, moments, winner)}"
    name = figures.names[winner]
    account = figures.accounts[winner]
    reason = _reason(figures, account)
    if account.forfeits > 0:
        return f"{name} won {reason}."
    if {each.seat for each in figures.forfeits} == set(range(figures.players)) - {winner}:
        is_first = "That decided the match, since a player who forfeits ranks below everybody who does not"
        return f"{is_first}. {name} was first on the board, too, {reason}.{_decisive(figures, moments, winner)}"
    return f"{name} won {reason}.{_decisive(figures, moments, winner)}"


def _reason(figures: MatchFigures, account: Account) -> str:
    """Return which parts of its sum made the winner win, and the figures of all that were of weight."""
    own = amount(figures, account.own).replace("pp", "percentage points (pp)")
    parts = [f"own decisions {own}", f"the {_rivals(figures)} {signed(figures, account.rivals)}"]
    if account.substitute:
        parts.append(f"those of {_substitutes(figures)} {signed(figures, account.substitute)}")
    if has_luck(figures):
        parts.append(f"luck {signed(figures, account.luck)}")
    if abs(account.setup) >= INACCURACY:
        parts.append(f"starting position {signed(figures, account.setup)}")
    if account.forfeits > 0:
        lost_places = [each for each in figures.forfeits if figures.accounts[each.seat].forfeits < 0]
        reason = f"because {_enumeration([f'{figures.names[each.seat]} forfeited at decision {each.index + 1}' for each in lost_places])}"
        parts.append(f"rules on forfeits {signed(figures, account.forfeits)}")
    else:
        reason = reason_of(figures, account)
    if not has_luck(figures):
        parts.append("and no luck was involved")
    if reason.endswith("by their own decisions"):
        parts[0] = f"these brought {own}"
    return f"{reason}: {', '.join(parts)}{_lost(figures, account.seat)}"


def reason_of(figures: MatchFigures, account: Account) -> str:
    """Return the causes of a win: the one that accounts for most of it, or the two largest.

    All players' decisions together are one cause, so good ones by the winner don't count as a cause if its rivals' were better. The text
    says so if others gained more by their own decisions than the winner did.
    """
    causes = {
        "": account.own + account.rivals,
        "by luck": account.luck,
        "by the starting position": account.setup,
        f"by the decisions of {_substitutes(figures)}": account.substitute,
    }
    most, second, *_ = sorted(causes, key=lambda cause: -causes[cause])
    is_enough = causes[most] >= MOST_OF_IT * (account.result - account.start) or causes[second] < INACCURACY
    reason = " and ".join(cause or _decisions(figures, account) for cause in ([most] if is_enough else [most, second]))
    if account.luck < -_AGAINST_LUCK:
        reason = f"despite bad luck, {reason}"
    if "their own" in reason:
        reason += _better_still(figures, account)
    return reason


def _decisions(figures: MatchFigures, account: Account) -> str:
    """Return whose decisions helped the winner: its own, its rivals', or both."""
    most = max(account.own, account.rivals)
    if min(account.own, account.rivals) >= INACCURACY and most < MOST_OF_IT * (account.own + account.rivals):
        return f"by their own and {_rivals(figures)} decisions"
    return "by their own decisions" if account.own == most else f"by their {_rivals(figures)} decisions"


def _better_still(figures: MatchFigures, winner: Account) -> str:
    """Return, for the end of a reason, who gained more by their own decisions than the winner did."""
    better = [each for each in figures.accounts if round(100 * each.own) > round(100 * winner.own)]
    if not better:
        return ""
    most = max(better, key=lambda each: each.own)
    return f", although {figures.names[most.seat]}'s own brought {figures.names[most.seat]} more ({signed(figures, most.own)})"


def _rivals(figures: MatchFigures) -> str:
    return "rival's" if figures.players == 2 else "rivals'"


def _substitutes(figures: MatchFigures) -> str:
    return f"{figures.names[figures.forfeits[0].seat]}'s substitute" if len(figures.forfeits) == 1 else "substitutes"


def has_luck(figures: MatchFigures) -> bool:
    """Return whether chance changed anything, as far as that is known."""
    return any(any(decision.luck) for decision in figures.decisions) or not figures.is_split


def loss_per_decision(figures: MatchFigures, seat: int) -> float | None:
    """Return the mean loss of the seat's own decisions against the best move found; None if none was compared."""
    compared = compared_decisions(figures, seat)
    return sum(decision.loss for decision in compared) / len(compared) if compared else None


def compared_decisions(figures: MatchFigures, seat: int) -> list[DecisionAnalysis]:
    """Return the seat's own decisions whose moves were compared with others."""
    return [each for each in figures.decisions if each.seat == seat and each.legal > 1 and each.is_searched and not each.is_substitute]


def _lost(figures: MatchFigures, winner: int) -> str:
    """Return the mean losses of the winner's and the others' decisions, and who lost less; empty unless all are known."""
    if not figures.is_whole:
        return ""
    means = {seat: loss_per_decision(figures, seat) for seat in range(figures.players)}
    known = {seat: round(100 * mean, 1) for seat, mean in means.items() if mean is not None}
    mine = known.pop(winner, None)
    if mine is None or not known:
        return ""
    name = figures.names[winner]
    text = f"; against the best moves found, {name} gave away {mine} pp a decision"
    least, most = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    less = f" (less than {name})" if known[least] < mine else ""
    first = f"{figures.names[least]} {known[least]}{less}"
    if len(known) == 1:
        return f"{text}, {first}"
    return f"{text}, the others from {first} to {figures.names[most]} {known[most]}"


def _decisive(figures: MatchFigures, moments: Sequence[Moment], winner: int) -> str:
    """Return the biggest moments for the winner, including luck if that is why it won, and since when it was ahead."""
    for_it = [moment for moment in moments if moment.change[winner] > 0]
    if not for_it:
        return ""
    name = figures.names[winner]
    moment = max(for_it, key=lambda each: each.change[winner])
    lucky = [each for each in for_it if each.kind is MomentKind.LUCK]
    luck = figures.accounts[winner].luck
    if moment.kind is not MomentKind.LUCK and lucky and luck >= MOST_OF_IT * (1 - figures.accounts[winner].start):
        luckiest = max(lucky, key=lambda each: each.change[winner])
        text = f" The biggest piece of luck was {_moment_text(figures, luckiest, winner)}. The biggest turning point by a move was "
    elif ended := _ended(figures, moments, winner, moment):
        text = f" {ended} Before that the biggest turning point was "
    else:
        text = " The biggest turning point was "
    text += _moment_text(figures, moment, winner)
    if moment.kind is MomentKind.LUCK and luck <= -_LEAST_SHOWN:
        text += f" (although luck cost {name} {-100 * luck:.0f} pp in all)"
    since = ahead_since(figures, winner)
    if since is None:
        return f"{text}."
    if since == figures.total:
        return f"{text}. Before the last turn {name} did not have the best chance."
    when = "from the start on" if since == 0 else f"from decision {since} on"
    return f"{text}. After every turn {when}, {name} had the best chance."


def _ended(figures: MatchFigures, moments: Sequence[Moment], winner: int, biggest: Moment) -> str:
    """Return the gain of the winner in the last turn, if it is greater than in the biggest moment."""
    end = end_turn(figures, moments)
    if end is None or end.change[winner] <= biggest.change[winner]:
        return ""
    way = from_to(figures, figures.chances[end.first][winner], figures.chances[-1][winner])
    return f"The end of the match brought most ({figures.names[winner]}'s chance {way} by {decisions_words(end)})."


def _moment_text(figures: MatchFigures, moment: Moment, winner: int) -> str:
    """Return a moment in words: its decision, its name, what it changed for the winner, and what happened."""
    change = f"{figures.names[winner]}'s chance {from_to(figures, moment.before[winner], moment.after[winner])}"
    turn = "" if moment.first == moment.last else f" by the turn of {decisions_words(moment)}"
    if moment.kind is MomentKind.LUCK:
        return f"what followed decision {moment.index + 1} ({change}{turn}): {moment.words}"
    return f"decision {moment.index + 1}, {titled(figures, moment)} ({change}{turn}): {moment.words}"


def ahead_since(figures: MatchFigures, seat: int) -> int | None:
    """Return the frame from which on the seat had the best chance after every turn to the end; None if it was not the best in the end."""
    since: int | None = None
    for frame in drawn_frames(figures):
        chances = figures.chances[frame]
        is_ahead = all(chances[seat] > each for other, each in enumerate(chances) if other != seat)
        since = (frame if since is None else since) if is_ahead else None
    return since


def _alone(figures: MatchFigures) -> str:
    account = figures.accounts[0]
    name = figures.names[0]
    text = f"{name} ended with {figure(account.result)} points"
    if account.luck or account.substitute:
        text += f": decisions gave {amount(figures, account.own)}, luck {amount(figures, account.luck)}"
        text += f", the substitute {amount(figures, account.substitute)}" if account.substitute else ""
    worst = max(figures.decisions, key=lambda decision: decision.loss, default=None)
    if worst is None or worst.best is None:
        not_found = "No better move was found" if figures.is_whole else "Time ran out before a better move was found"
        return f"{text}. {not_found} by playing games on from it."
    more = figure(round(worst.best.worth, 1))
    where = f"{text}. {more} were there at decision {worst.index + 1}"
    return f"{where}, where {name} {worst.played.words}, and this was better: {worst.best.words}."


def _enumeration(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

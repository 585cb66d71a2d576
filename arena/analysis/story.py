"""What the figures of an analysis come to: each seat's sum, and the sentence on why the winner won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.analysis.match_analysis import INACCURACY, Account, DecisionAnalysis, MatchAnalysis, Moment, MomentKind, Unit
from arena.analysis.moment_words import amount, decisions_words, from_to, signed, titled
from arena.analysis.skill_and_luck import equal_share
from arena.analysis.turns import drawn_frames
from arena.analysis.whole_way import end_turn
from bots.reference.valuation.base import wins_of
from engine.core import Outcome
from engine.replay.verifier import ReplayTimeline
from engine.text import figure

MOST_OF_IT: Final = 0.6
"""The share of what the winner gained from which it is called the reason."""
_AGAINST_LUCK: Final = 0.1
"""How much of a chance luck must cost the winner to be mentioned with the reason."""
_LEAST_SHOWN: Final = 0.005
"""The least change of a chance that is not rounded to nothing."""


def accounts_of(analysis: MatchAnalysis, timeline: ReplayTimeline) -> tuple[Account, ...]:
    """Return each seat's result as a sum."""
    outcome = timeline.states[-1].outcome
    assert outcome is not None, "a replay is a whole game"
    if analysis.unit is Unit.POINTS:
        by_board: Sequence[float] = outcome.scores
        result: Sequence[float] = analysis.scores
    else:
        by_board = wins_of(outcome)
        result = wins_of(Outcome(outcome.scores, analysis.ranks, outcome.ending))
    start = equal_share(analysis.unit, analysis.players)
    accounts = []
    for seat in range(analysis.players):
        own, rivals, substitute = (
            sum(decision.skill[seat] for decision in analysis.decisions if _whose(decision, seat) == whose) for whose in range(3)
        )
        luck = sum(decision.luck[seat] for decision in analysis.decisions)
        setup = analysis.setup[seat]
        is_split = len(analysis.decisions) == timeline.end
        unsplit = 0.0 if is_split else by_board[seat] - start - setup - own - rivals - substitute - luck
        forfeits = result[seat] - by_board[seat]
        accounts.append(Account(seat, start, setup, own, rivals, substitute, luck, unsplit, forfeits, result[seat]))
    return tuple(accounts)


def _whose(decision: DecisionAnalysis, seat: int) -> int:
    """Return 0 for a decision of the seat, 1 for one of a rival, 2 for one of a substitute."""
    if decision.is_substitute:
        return 2
    return 0 if decision.seat == seat else 1


def sentence_of(analysis: MatchAnalysis) -> str:
    """Return why the winner won, in a few sentences that follow from the sums and the moments.

    Decisions are counted from 1, as everywhere for readers; the records count them from 0.
    """
    forfeits = forfeit_words(analysis)
    return f"{forfeits}. {_won(analysis)}" if forfeits else _won(analysis)


def forfeit_words(analysis: MatchAnalysis) -> str:
    """Return who forfeited, when and why, for the beginning of a sentence; nothing where nobody did."""
    told = [f"{analysis.names[each.seat]} forfeited at decision {each.index + 1} ({each.reason})" for each in analysis.forfeits]
    if not told:
        return ""
    played = "a substitute played on" if len(told) == 1 else "substitutes played on"
    return f"{_listed(told)}; {played}"


def _won(analysis: MatchAnalysis) -> str:
    if len(analysis.decisions) < analysis.total:
        who = _listed([analysis.names[seat] for seat in analysis.winners])
        return f"{who} came first; the time was over before it was clear why."
    if analysis.unit is Unit.POINTS:
        return _alone(analysis)
    winners = analysis.winners
    if len(winners) != 1:
        who = _listed([analysis.names[seat] for seat in winners])
        return f"{who} shared the first place.{_decisive(analysis, winners[0])}"
    winner = winners[0]
    name = analysis.names[winner]
    account = analysis.accounts[winner]
    reason = _reason(analysis, account)
    if account.forfeits > 0:
        return f"{name} won {reason}."
    if _is_only_one_left(analysis, winner):
        is_first = "That decided the match, since whoever forfeits comes after everybody who does not"
        return f"{is_first}. {name} was first on the board, too, {reason}.{_decisive(analysis, winner)}"
    return f"{name} won {reason}.{_decisive(analysis, winner)}"


def _is_only_one_left(analysis: MatchAnalysis, seat: int) -> bool:
    """Return whether every seat but this one forfeited."""
    return {each.seat for each in analysis.forfeits} == set(range(analysis.players)) - {seat}


def _reason(analysis: MatchAnalysis, account: Account) -> str:
    """Return which parts of its sum made the winner win, and the figures of all that were of weight."""
    own = amount(analysis, account.own).replace("pp", "percentage points (pp)")
    told = [f"own decisions {own}", f"the {_rivals(analysis)} {signed(analysis, account.rivals)}"]
    if account.substitute:
        told.append(f"those of {_substitutes(analysis)} {signed(analysis, account.substitute)}")
    if has_luck(analysis):
        told.append(f"luck {signed(analysis, account.luck)}")
    if abs(account.setup) >= INACCURACY:
        told.append(f"starting position {signed(analysis, account.setup)}")
    if account.forfeits > 0:
        lost_places = [each for each in analysis.forfeits if analysis.accounts[each.seat].forfeits < 0]
        told_of = [f"{analysis.names[each.seat]} forfeited at decision {each.index + 1}" for each in lost_places]
        reason = f"because {_listed(told_of)}"
        told.append(f"rules on forfeits {signed(analysis, account.forfeits)}")
    else:
        reason = reason_of(analysis, account)
    if not has_luck(analysis):
        told.append("and no luck was involved")
    if reason.endswith("by their own decisions"):
        told[0] = f"these brought {own}"
    return f"{reason}: {', '.join(told)}{_lost(analysis, account.seat)}"


def reason_of(analysis: MatchAnalysis, account: Account) -> str:
    """Return what brought a winner from an equal start to its win: a cause of most of it, or the two largest that were of weight.

    Decisions are one cause, whosever they were, so that good ones of the winner are none if its rivals' were better. Where others' own
    decisions brought them more than the winner's did, that is said.
    """
    causes = {
        "": account.own + account.rivals,
        "by luck": account.luck,
        "by the starting position": account.setup,
        f"by the decisions of {_substitutes(analysis)}": account.substitute,
    }
    most, second, *_ = sorted(causes, key=lambda cause: -causes[cause])
    is_enough = causes[most] >= MOST_OF_IT * (account.result - account.start) or causes[second] < INACCURACY
    reason = " and ".join(cause or _decisions(analysis, account) for cause in ([most] if is_enough else [most, second]))
    if account.luck < -_AGAINST_LUCK:
        reason = f"despite bad luck, {reason}"
    if "their own" in reason:
        reason += _better_still(analysis, account)
    return reason


def _decisions(analysis: MatchAnalysis, account: Account) -> str:
    """Return whose decisions brought the winner what decisions brought it in all: its own, its rivals', or both."""
    most = max(account.own, account.rivals)
    if min(account.own, account.rivals) >= INACCURACY and most < MOST_OF_IT * (account.own + account.rivals):
        return f"by their own and {_rivals(analysis)} decisions"
    return "by their own decisions" if account.own == most else f"by their {_rivals(analysis)} decisions"


def _better_still(analysis: MatchAnalysis, winner: Account) -> str:
    """Return, for the end of a reason, who gained more by their own decisions than the winner did."""
    better = [each for each in analysis.accounts if round(100 * each.own) > round(100 * winner.own)]
    if not better:
        return ""
    most = max(better, key=lambda each: each.own)
    return f", although {analysis.names[most.seat]}'s own brought {analysis.names[most.seat]} more ({signed(analysis, most.own)})"


def _rivals(analysis: MatchAnalysis) -> str:
    return "rival's" if analysis.players == 2 else "rivals'"


def _substitutes(analysis: MatchAnalysis) -> str:
    return f"{analysis.names[analysis.forfeits[0].seat]}'s substitute" if len(analysis.forfeits) == 1 else "substitutes"


def has_luck(analysis: MatchAnalysis) -> bool:
    """Return whether chance changed anything, as far as that is known."""
    return any(any(decision.luck) for decision in analysis.decisions) or len(analysis.decisions) < analysis.total


def decisions_compared(analysis: MatchAnalysis, seat: int) -> int:
    """Return how many decisions of the seat's own were compared with others."""
    return len(_compared(analysis, seat))


def loss_per_decision(analysis: MatchAnalysis, seat: int) -> float | None:
    """Return what a decision of the seat's own gave away on average against the best move found; None if none was compared."""
    compared = _compared(analysis, seat)
    return sum(decision.loss for decision in compared) / len(compared) if compared else None


def _compared(analysis: MatchAnalysis, seat: int) -> list[DecisionAnalysis]:
    return [each for each in analysis.decisions if each.seat == seat and each.legal > 1 and each.is_searched and not each.is_substitute]


def _lost(analysis: MatchAnalysis, winner: int) -> str:
    """Return what the winner's and the others' decisions gave away on average, also who gave away less; nothing if not all is known."""
    if not analysis.is_whole:
        return ""
    means = {seat: loss_per_decision(analysis, seat) for seat in range(analysis.players)}
    known = {seat: round(100 * mean, 1) for seat, mean in means.items() if mean is not None}
    mine = known.pop(winner, None)
    if mine is None or not known:
        return ""
    name = analysis.names[winner]
    told = f"; against the best moves found, {name} gave away {mine} pp a decision"
    least, most = min(known, key=known.__getitem__), max(known, key=known.__getitem__)
    less = f" (less than {name})" if known[least] < mine else ""
    first = f"{analysis.names[least]} {known[least]}{less}"
    if len(known) == 1:
        return f"{told}, {first}"
    return f"{told}, the others from {first} to {analysis.names[most]} {known[most]}"


def _decisive(analysis: MatchAnalysis, winner: int) -> str:
    """Return what did most for the winner, also by luck if that is why it won, and since when it was ahead."""
    for_it = [moment for moment in analysis.moments if moment.change[winner] > 0]
    if not for_it:
        return ""
    name = analysis.names[winner]
    moment = max(for_it, key=lambda each: each.change[winner])
    lucky = [each for each in for_it if each.kind is MomentKind.LUCK]
    luck = analysis.accounts[winner].luck
    if moment.kind is not MomentKind.LUCK and lucky and luck >= MOST_OF_IT * (1 - analysis.accounts[winner].start):
        luckiest = max(lucky, key=lambda each: each.change[winner])
        told = f" The biggest piece of luck was {_told(analysis, luckiest, winner)}. The biggest turning point by a move was "
    elif ended := _ended(analysis, winner, moment):
        told = f" {ended} Before that the biggest turning point was "
    else:
        told = " The biggest turning point was "
    told += _told(analysis, moment, winner)
    if moment.kind is MomentKind.LUCK and luck <= -_LEAST_SHOWN:
        told += f" (although luck cost {name} {-100 * luck:.0f} pp in all)"
    since = ahead_since(analysis, winner)
    if since is None:
        return f"{told}."
    if since == analysis.total:
        return f"{told}. Before the last turn {name} did not have the best chance."
    when = "from the start on" if since == 0 else f"from decision {since} on"
    return f"{told}. After every turn {when}, {name} had the best chance."


def _ended(analysis: MatchAnalysis, winner: int, moment: Moment) -> str:
    """Return what the last turn brought the winner, if that was more than by the biggest moment."""
    end = end_turn(analysis)
    if end is None or end.change[winner] <= moment.change[winner]:
        return ""
    way = from_to(analysis, analysis.chances[end.first][winner], analysis.chances[-1][winner])
    return f"The end of the match brought most ({analysis.names[winner]}'s chance {way} by {decisions_words(end)})."


def _told(analysis: MatchAnalysis, moment: Moment, winner: int) -> str:
    """Return which decision a moment is, what it is called, what it changed for the winner, and what happened."""
    change = f"{analysis.names[winner]}'s chance {from_to(analysis, moment.before[winner], moment.after[winner])}"
    turn = "" if moment.first == moment.last else f" by the turn of {decisions_words(moment)}"
    if moment.kind is MomentKind.LUCK:
        return f"what followed decision {moment.index + 1} ({change}{turn}): {moment.words}"
    return f"decision {moment.index + 1}, {titled(analysis, moment)} ({change}{turn}): {moment.words}"


def ahead_since(analysis: MatchAnalysis, seat: int) -> int | None:
    """Return the frame from which on the seat had the best chance after every turn to the end; None if it was not the best in the end."""
    since: int | None = None
    for frame in drawn_frames(analysis):
        chances = analysis.chances[frame]
        is_ahead = all(chances[seat] > each for other, each in enumerate(chances) if other != seat)
        since = (frame if since is None else since) if is_ahead else None
    return since


def _alone(analysis: MatchAnalysis) -> str:
    account = analysis.accounts[0]
    name = analysis.names[0]
    told = f"{name} ended with {figure(account.result)} points"
    if account.luck or account.substitute:
        told += f": decisions gave {amount(analysis, account.own)}, luck {amount(analysis, account.luck)}"
        told += f", the substitute {amount(analysis, account.substitute)}" if account.substitute else ""
    worst = max(analysis.decisions, key=lambda decision: decision.loss, default=None)
    if worst is None or worst.best is None:
        not_found = "No better move was found" if analysis.is_whole else "The time was over before a better move was found"
        return f"{told}. {not_found} by playing games on from it."
    more = figure(round(worst.best.worth, 1))
    where = f"{told}. {more} were there at decision {worst.index + 1}"
    return f"{where}, where {name} {worst.played.words}, and this was better: {worst.best.words}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

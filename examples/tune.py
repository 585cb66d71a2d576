"""Find good values for the parameters of a bot with Optuna, using the public API.

python examples/tune.py examples/finals_bot.py --param width=4..40 --param finalists=2..8 --against expert --game tongiaki --seed 1

Optuna is not installed with Tile Arena: pip install optuna. Bots play in this process, so tune only bots that you trust.

A trial plays a set of values against the rivals, block by block. A block is one set-up, played with the bot in every seat. Block n has the
same seed in every trial, so trials are compared in pairs: Wilcoxon's test ends trials that are worse than the best one. With noisy results,
the best trial is usually a lucky one, so the best five play again with different seeds. The winner is compared with the unchanged bot.
"""

import argparse
import warnings

import optuna

import arena
from engine import find_game
from leaderboard import Hypotheses

FINALISTS = 5
LEAST = 16  # the number of blocks that every trial plays


def read_range(text):
    """Return the name and the distribution for depth=1..6 (integers), caution=0.1..2 (numbers) or style=calm,bold."""
    name, _, values = text.partition("=")
    low, dots, high = values.partition("..")
    if not dots:
        return name, optuna.distributions.CategoricalDistribution(values.split(","))
    try:
        return name, optuna.distributions.IntDistribution(int(low), int(high))
    except ValueError:
        return name, optuna.distributions.FloatDistribution(float(low), float(high))


def source(bot, values):
    """Return the bot with these values, in the form that all commands accept."""
    return f"{bot}?" + "&".join(f"{name}={value:.4g}" if isinstance(value, float) else f"{name}={value}" for name, value in values.items())


class Field:
    """The matches in which a bot is tried against its rivals."""

    def __init__(self, game, rivals, seed):
        self.game = game
        self.rivals = [(f"rival {number}", rival) for number, rival in enumerate(rivals, start=1)]
        self.seed = seed

    def score(self, bot, block):
        """Return the mean share of rivals that the bot beats in a block, from 0 to 1; a tie counts as half."""
        table = [("tuned", bot), *self.rivals]
        return sum(self.play(table[shift:] + table[:shift], block) for shift in range(len(table))) / len(table)

    def play(self, seats, block):
        ticket = arena.make_ticket(self.game, [name for name, _ in seats], seed=self.seed * 1_000_000 + block)
        result = arena.play_match(self.game, ticket, [arena.seat_bot(bot) for _, bot in seats])
        own = next(seat.rank for seat in result.seats if seat.bot == "tuned")
        others = [seat.rank for seat in result.seats if seat.bot != "tuned"]
        return sum((own < rank) + (own == rank) / 2 for rank in others) / len(others)


def tune(bot, space, field, trials=40, blocks=64):
    """Return the bot with the best values in ``trials`` trials with at most ``blocks`` blocks each, and its score with other seeds."""
    sampler = optuna.samplers.TPESampler(seed=field.seed)
    pruner = optuna.pruners.WilcoxonPruner(p_threshold=0.1, n_startup_steps=LEAST)
    study = optuna.create_study(direction="maximize", sampler=sampler, pruner=pruner)
    played = {}  # the mean score of each source
    for number in range(1, trials + 1):
        trial = study.ask(space)
        tuned = source(bot, trial.params)
        scores = []
        while len(scores) < blocks and not trial.should_prune():
            scores.append(field.score(tuned, len(scores)))
            trial.report(scores[-1], len(scores) - 1)
        played[tuned] = sum(scores) / len(scores)
        study.tell(trial, played[tuned])
        print(f"trial {number} of {trials}: {tuned} {played[tuned]:.3f} in {len(scores)} blocks")
    finalists = sorted(played, key=played.get, reverse=True)[:FINALISTS]
    fresh = {tuned: sum(field.score(tuned, blocks + block) for block in range(blocks)) / blocks for tuned in finalists}
    best = max(fresh, key=fresh.get)
    return best, fresh[best]


def main():
    parser = argparse.ArgumentParser(description="Find good values for the parameters of a bot.")
    parser.add_argument("bot", help="a bot whose class declares 'params'")
    parser.add_argument("--param", action="append", required=True, help="depth=1..6, caution=0.1..2 or style=calm,bold; repeatable")
    parser.add_argument("--against", default="greedy", help="one rival for each other seat, separated by commas: expert,learned")
    parser.add_argument("--game", required=True)
    parser.add_argument("--trials", type=int, default=40, help="how many sets of values to try")
    parser.add_argument("--blocks", type=int, default=64, help="how many blocks a trial plays if it is not ended early")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    space = dict(map(read_range, given.param))
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    warnings.filterwarnings("ignore", "WilcoxonPruner is experimental")
    field = Field(find_game(given.game), given.against.split(","), given.seed)
    tuned, score = tune(given.bot, space, field, given.trials, given.blocks)
    print(f"'{tuned}' scores {score:.3f} with other seeds")
    result = arena.compare(tuned, given.bot, game=given.game, seed=given.seed, hypotheses=Hypotheses(max_blocks=400))
    print(f"against the unchanged bot: {result.test.verdict}, {result.test.mean:.3f} of {result.matches} matches")


if __name__ == "__main__":
    main()

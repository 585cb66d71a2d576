"""Train a policy for Tongiaki by imitation, from the decisions of a tournament, and write it as a bot.

arena run examples/quickstart.toml
arena export --db arena.db --decisions decisions.parquet --rows
python examples/imitate.py decisions.parquet --bot greedy --out imitated.py
arena match imitated.py random --game tongiaki

The policy is that of examples/train_policy.py: it scores each legal move by its kind, the points of the island it names, and the ships it
puts there. Its weights make the moves that the bot played as likely as they can be (maximum likelihood, by gradient ascent).
The file is read with pyarrow: pip install 'tile-arena[data]'.
"""

import argparse
from pathlib import Path

import numpy as np
from train_policy import facts_of, write_bot

try:
    from pyarrow import parquet
except ImportError:
    raise SystemExit("the file of decisions is read with pyarrow, which is not installed: pip install 'tile-arena[data]'") from None

ROUNDS = 200
COLUMNS = ("players", "legal", "action", "bot", "by_substitute", "observation_moves")


def open_file(path):
    """The Parquet file, if it has rows of the legal moves."""
    if not path.is_file():
        raise SystemExit(f"there is no file {path}; 'arena export --db DB --decisions {path} --rows' writes it")
    try:
        file = parquet.ParquetFile(path)
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} can't be read as Parquet: {error}") from None
    if not set(COLUMNS) <= set(file.schema_arrow.names):
        raise SystemExit(f"{path} has no rows of the legal moves; export it again with --rows")
    return file


def read(path, bot):
    """The features of the legal moves in all choices of the bot, of shape (moves, KINDS * FACTS), where each begins, and which it took."""
    features, sizes, actions = [], [], []
    for batch in open_file(path).iter_batches(columns=COLUMNS):
        rows = batch.column("observation_moves")
        players, legal, action, names, substitutes = (batch.column(name).to_pylist() for name in COLUMNS[:-1])
        for number, moves in enumerate(legal):
            if names[number] == bot and not substitutes[number] and moves > 1:
                features.append(facts_of(rows[number].values.to_numpy().reshape(moves, -1), players[number]))
                sizes.append(moves)
                actions.append(action[number])
    if not sizes:
        raise SystemExit(f"{path} has no decision of {bot!r} with a choice; name another with --bot")
    return np.concatenate(features), np.cumsum([0, *sizes[:-1]]), np.array(actions)


def train(features, starts, actions, rounds, rate=0.1):
    """The weights under which the softmax of the scores makes the moves taken most likely; and how often its best move is the one taken."""
    sizes = np.diff([*starts, len(features)])
    taken = features[starts + actions].mean(0)
    weights, velocity, scale = np.zeros((3, features.shape[1]))
    for number in range(1, rounds + 1):
        scores = features @ weights
        chances = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        chances /= np.repeat(np.add.reduceat(chances, starts), sizes)
        gradient = taken - chances @ features / len(starts)
        velocity = 0.9 * velocity + 0.1 * gradient  # Adam
        scale = 0.99 * scale + 0.01 * gradient**2
        weights += rate * velocity / (1 - 0.9**number) / (np.sqrt(scale / (1 - 0.99**number)) + 1e-8)
    scores = features @ weights
    return weights, np.mean(scores[starts + actions] >= np.maximum.reduceat(scores, starts))


def main():
    parser = argparse.ArgumentParser(description="Train a policy for Tongiaki by imitation and write it as a bot.")
    parser.add_argument("decisions", type=Path, help="a file of 'arena export --decisions FILE.parquet --rows'")
    parser.add_argument("--bot", default="greedy", help="whom to imitate")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="steps of gradient ascent")
    parser.add_argument("--out", type=Path, default=Path("imitated.py"))
    given = parser.parse_args()
    if given.out.is_dir() or not given.out.absolute().parent.is_dir():  # before all that takes time
        parser.error(f"--out {given.out}: give a file in a folder that exists")
    features, starts, actions = read(given.decisions, given.bot)
    weights, agreement = train(features, starts, actions, given.rounds)
    print(f"{len(starts)} decisions of {given.bot}: the policy takes the same move in {agreement:.0%}")
    write_bot(weights, given.out)
    print(f"Written to {given.out}; try it with: arena match {given.out} random --game tongiaki")


if __name__ == "__main__":
    main()

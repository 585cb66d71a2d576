"""Learns a game's value function by self-play: plays games, fits a model to them, plays games with that model, and so on.

python -m benchmarks.train GAME [--folder DIR] [--generations G] [--games N] [--hours H] [--seed S] [--workers W]
                              [--earlier FILE ...] [--install]

Everything is kept in the folder (``out/train/GAME``): games, positions, the weights of each generation, and ``curve.json`` and
``curve.md`` with measurements on held-out games. After an interruption, the same command continues where it stopped; with the same seed and
numbers of games, the final weights are the same. With ``--install``, they replace the weights that are shipped with the program.
"""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path
from time import monotonic

from benchmarks.train.courses import COURSES
from benchmarks.train.games import TrainingError
from benchmarks.train.training import Plan, Training


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=list(COURSES))
    parser.add_argument("--folder", type=Path, help="the folder for all files; default: out/train/GAME")
    parser.add_argument("--generations", type=_count, default=4, help="how many generations to play and fit; default: 4")
    parser.add_argument("--games", type=_positive, default=20_000, help="games of each generation; default: 20000")
    parser.add_argument("--hours", type=_hours, help="stop playing after this time, and fit the games played so far")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=_positive, default=1, help="how many processes play")
    parser.add_argument("--earlier", type=Path, nargs="+", default=[], metavar="FILE", help="start with games from earlier trainings")
    parser.add_argument("--install", action="store_true", help="replace the weights that are shipped with the program")
    given = parser.parse_args()
    if not given.generations and not given.earlier:
        parser.error("--generations 0 learns only from --earlier games, but none are given")
    for path in given.earlier:
        if not path.is_file():
            parser.error(f"argument --earlier: there is no file {path}")
    course = COURSES[given.game]
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the playing processes end with this one
    try:
        folder = given.folder or Path("out", "train", given.game)
        plan = Plan(
            given.seed,
            given.generations,
            given.games,
            given.workers,
            None if given.hours is None else 3600 * given.hours,
            tuple(given.earlier),
        )
        training = Training(course, plan, folder, monotonic)
        path = training.run()
        if given.install:
            course.shipped.write_bytes(path.read_bytes())
            print(f"{course.shipped} has these weights now")
    except TrainingError as error:
        sys.exit(f"benchmarks.train: {error}")
    except OSError as error:
        sys.exit(f"benchmarks.train: {error.filename} can't be used: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit("interrupted; the same command continues from here")


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return number


def _hours(text: str) -> float:
    hours = float(text)
    if not hours > 0:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number of hours")
    return hours


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


if __name__ == "__main__":
    main()

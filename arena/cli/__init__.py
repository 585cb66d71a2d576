"""The command line."""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the program. Ctrl-C is one sentence even while it is still being imported."""
    try:
        from arena.cli.app import main as run  # it takes a while, in which Ctrl-C may come

        run()
    except KeyboardInterrupt:
        sys.stderr.write("error: interrupted\n")
        sys.exit(130)

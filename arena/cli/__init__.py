"""The command line."""

from arena.cli.interrupts import leave_on_interrupt

__all__ = ["main"]


def main() -> None:
    """Run the program."""
    leave_on_interrupt()
    from arena.cli.app import main as run  # it takes a while, in which Ctrl-C may come

    run()

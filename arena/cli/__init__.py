"""The command line."""

from arena.cli.interrupts import leave_on_interrupt

__all__ = ["main"]


def main() -> None:
    """Run the program."""
    leave_on_interrupt()
    from arena.cli.app import main as run  # the import takes a while, during which Ctrl-C may come

    run()

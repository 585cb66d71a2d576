"""Libraries that people train agents with run on the environments unchanged; ``make test-libraries`` installs them (requirements.txt)."""

from importlib.util import find_spec

import pytest


def needs(module: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a file that tests a library."""
    reason = f"{module} is not installed here: make test-libraries installs it into an environment of its own and runs this test there"
    return [pytest.mark.slow, pytest.mark.skipif(find_spec(module) is None, reason=reason)]

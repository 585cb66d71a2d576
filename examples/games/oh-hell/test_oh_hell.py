"""The laws that every game keeps, each a test. Install the game first: ``pip install -e .``."""

from engine.conformance.pytest import conformance

test_laws = conformance("oh-hell")

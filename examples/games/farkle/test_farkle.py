"""One test for each law that every game must obey. Install the game first: ``pip install -e .``."""

from engine.conformance.pytest import conformance

test_laws = conformance("farkle")

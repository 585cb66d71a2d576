"""A line that is no JSON."""

from speak import heard, honest, raw

honest(1)
heard()
raw(b"my move is: pass\n")

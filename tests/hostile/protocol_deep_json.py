"""JSON nested 30,000 deep (SANDBOX 17)."""

from speak import heard, honest, raw

honest(1)
heard()
raw(b"[" * 30000 + b"]" * 30000 + b"\n")

"""Says itself that it has failed."""

from speak import heard, honest, say

honest(1)
heard()
say(type="error", kind="crash", detail="I am lost\x1b[2J\n" + "x" * 5000)

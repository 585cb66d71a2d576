"""A number that is infinite to a careless reader (SANDBOX 16)."""

from speak import heard, honest, raw

honest(1)
raw(b'{"type":"answer","token":"%s","move":"pass","nodes":1e999}\n' % heard()["token"].encode())

"""What the programs protocol_*.py share: the protocol as an honest bot speaks it. It imports nothing of the project."""

import json
import sys


def raw(data):
    """Write bytes to the host."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def say(**message):
    """Send a message."""
    raw(json.dumps(message).encode() + b"\n")


def heard():
    """The host's next message."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    return json.loads(line)


def hello(**changed):
    """Read the match and say hello."""
    match = heard()
    say(**{"type": "hello", "protocol": 1, "name": "hostile", "wants": ["legal"]} | changed)
    return match


def answer(decide, **changed):
    """Answer with the first legal move."""
    say(**{"type": "answer", "token": decide["token"], "move": decide["legal"][0]} | changed)


def honest(times):
    """Say hello, and play some decisions as one should."""
    hello()
    for _ in range(times):
        answer(heard())

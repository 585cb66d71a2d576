"""Bots that break the protocol: the argument names the function that is played. They import nothing of the project."""

import ctypes
import json
import os
import pickle
import signal
import sys
import threading
import time


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


def raw_answer(decide, rest):
    """Answer with the right token, and these bytes after it."""
    raw(b'{"type":"answer","token":"%s",' % decide["token"].encode() + rest + b"\n")


def honest(times):
    """Say hello, and play some decisions as one should."""
    hello()
    for _ in range(times):
        answer(heard())


def asked():
    """Play one decision as one should, and return the message that asks for the next."""
    honest(1)
    return heard()


def for_ever(deed, *arguments):
    while True:
        deed(*arguments)


def linger():
    time.sleep(3600)


class Command:
    def __reduce__(self):
        return os.system, ("touch /tmp/pickled",)


def deeper(number):
    return sorted([number], key=deeper)


# Too slow, or gone


def loops():  # SANDBOX 1
    asked()
    for_ever(int)


def never_answers():  # SANDBOX 2
    asked()
    linger()


def late():  # SANDBOX 3
    decide = asked()
    time.sleep(30)
    answer(decide)


def ignores_sigterm():  # SANDBOX 4
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if number < 32:
            signal.signal(number, signal.SIG_IGN)
    asked()
    linger()


def exits():  # SANDBOX 20
    asked()
    os._exit(7)


def segfault():
    asked()
    ctypes.string_at(0)


def recursion():  # SANDBOX 21
    sys.setrecursionlimit(1 << 30)
    asked()
    deeper(0)


def closes_stdin():  # SANDBOX 22
    decide = asked()
    os.close(0)
    answer(decide)
    linger()


def closes_stdout():
    asked()
    os.close(1)
    linger()


def ponders():  # SANDBOX 42: thinks in the background while others play
    hello()
    threading.Thread(target=for_ever, args=(int,), daemon=True).start()
    for_ever(lambda: answer(heard()))


def no_bye():
    hello(wants=["legal", "finish"])
    while (message := heard())["type"] == "decide":
        answer(message)
    linger()


# Too much, or out of turn


def out_of_turn():  # SANDBOX 14
    honest(1)
    say(type="answer", token="0" * 16, move="pass")
    linger()


def old_token():
    hello()
    before = heard()
    answer(before)
    answer(heard(), token=before["token"])


def two_answers():
    hello()
    while True:
        decide = heard()
        answer(decide)
        answer(decide)


def hello_twice():
    hello()
    heard()
    say(type="hello", protocol=1, name="again", wants=[])


def gives_up():
    asked()
    say(type="error", kind="crash", detail="I am lost\x1b[2J\n" + "x" * 5000)


def twin_keys():  # SANDBOX 17: a legal move and an illegal one under the same key
    decide = asked()
    raw_answer(decide, b'"move":"settle 9","m\\u006fve":"%s"}' % decide["legal"][0].encode())


PROGRAMS = {
    # SANDBOX 1, 2: before it is ready
    "loops_at_start": lambda: for_ever(int),
    "never_ready": linger,
    # SANDBOX 11, 12, 13
    "one_long_line": lambda: (asked(), for_ever(raw, b"x" * 65536)),
    "newlines": lambda: (asked(), for_ever(raw, b"\n" * 65536)),
    "stderr_flood": lambda: (asked(), for_ever(sys.stderr.write, "x" * 65536)),
    "long_answer": lambda: answer(asked(), move="x" * (1 << 20)),
    # SANDBOX 14
    "other_seat": lambda: answer(asked(), seat=1),
    "no_token": lambda: say(type="answer", move=asked()["legal"][0]),
    # SANDBOX 15, 16, 17, 18, 19
    "invalid_utf8": lambda: raw_answer(asked(), b'"move":"\xff\xfe"}'),
    "lone_surrogate": lambda: answer(asked(), move="\ud800"),
    "nan": lambda: answer(asked(), move=float("nan")),
    "infinity": lambda: answer(asked(), nodes=float("inf")),
    "1e999": lambda: raw_answer(asked(), b'"move":"pass","nodes":1e999}'),
    "deep_json": lambda: (asked(), raw(b"[" * 30000 + b"]" * 30000 + b"\n")),
    "deep_move": lambda: raw_answer(asked(), b'"move":' + b'{"a":' * 10000 + b"1" + b"}" * 10001),
    "huge_integer": lambda: raw_answer(asked(), b'"move":"pass","nodes":' + b"9" * 50000 + b"}"),
    "pickle": lambda: (asked(), raw(pickle.dumps(Command()).replace(b"\n", b" ") + b"\n")),
    "wrong_type": lambda: answer(asked(), move=["pass"]),
    "garbage": lambda: (asked(), raw(b"my move is: pass\n")),
    "illegal": lambda: answer(asked(), move="settle 4"),
    "no_move": lambda: answer(asked(), move="resign; DROP TABLE match"),
    # SANDBOX 20
    "aborts": lambda: (asked(), os.abort()),
    "exits_well": asked,
    # what no host offers
    "wrong_version": lambda: (hello(protocol=2), linger()),
    "wants_the_deck": lambda: (hello(wants=["legal", "deck"]), linger()),
    **{
        program.__name__: program
        for program in (
            *(loops, never_answers, late, ignores_sigterm, exits, segfault, recursion, closes_stdin, closes_stdout, ponders, no_bye),
            *(out_of_turn, old_token, two_answers, hello_twice, gives_up, twin_keys),
        )
    },
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]]()

"""A bot that keeps what it sees of a match in the page cache, one file for each bit, and looks there at the start of the next match.

It says in its log what it has read and what it then saw. It plays the first legal move, so the same seed gives the same match.
"""

import hashlib
import os
import sysconfig

BITS = 16


def digest(text):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:2], "big")


def cells():
    folder = os.path.join(sysconfig.get_path("stdlib"), "idlelib")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".py"))
    return [os.path.join(folder, name) for name in names[:BITS]]


def is_cached(path):
    file = os.open(path, os.O_RDONLY)
    try:
        return bool(os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT))
    except BlockingIOError:
        return False
    finally:
        os.close(file)


def keep(path, bit):
    file = os.open(path, os.O_RDONLY)
    if bit:
        os.pread(file, 1, 0)
    else:
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(file)


class Bot:
    def __init__(self):
        self.asked = 0
        try:
            print("READ", sum(is_cached(path) << place for place, path in enumerate(cells())))
        except OSError as error:
            print("NOTHING", error)

    def choose(self, view, clock):
        self.asked += 1
        if self.asked == 4:
            seen = digest(view.position.text)
            print("SEEN", seen)
            try:
                for place, path in enumerate(cells()):
                    keep(path, seen >> place & 1)
            except OSError as error:
                print("KEPT NOTHING", error)
        return view.legal_moves[0]

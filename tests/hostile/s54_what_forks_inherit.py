"""Looks for what a fork inherits: handlers, timers and masks, the zygote's own objects, and how many bots there were before."""

import gc
import re
import signal
import sys

from tests.hostile.harness import attempt, find_in_memory, say

COUNTED = re.compile(rb'"(number|gone)": \d{1,9}\D')

attempt("find numbers of bots in memory", lambda: find_in_memory(COUNTED))

handled = [number for number in range(1, signal.NSIG) if callable(signal.getsignal(number)) and number != signal.SIGINT]
say(attempt="find a handler of a signal", got=bool(handled), detail=str(handled))
waiting = [which for which in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF) if any(signal.getitimer(which))]
say(attempt="find a timer", got=bool(waiting), detail=str(waiting))
masked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
say(attempt="find a mask of signals", got=bool(masked), detail=str(masked))

gc.unfreeze()
kept = [type(each).__qualname__ for each in gc.get_objects() if type(each).__module__ == "bots.sandbox.zygote"]
say(attempt="find the zygote's objects", got=bool(kept), detail=str(kept))
frame = sys._getframe()
held = []
while frame.f_back is not None:
    frame = frame.f_back
    held += [name for name, value in frame.f_locals.items() if type(value).__module__ == "bots.sandbox.zygote"]
say(attempt="find the zygote in a frame", got=bool(held), detail=str(held))

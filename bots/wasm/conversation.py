"""Runs a WebAssembly module for one match: it answers messages, or fails with an error message that is the same on every machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import UNSET
from wasmtime import InstancePre, Store, Trap, TrapCode, WasmtimeError

from bots.clock import FINISH_FUEL, over_fuel, over_start_fuel
from bots.errors import BotFaultError
from bots.limits import MODULE_MEMORY
from bots.messages import OF_THE_LOOP, Answer, Bye, Failure, FromBot, Hello, MessageError, Ready, quoted, read_from_bot
from bots.protocol import Clock
from bots.wasm.engine import engine, reason
from bots.wasm.host import Host, run_for
from bots.wasm.interface import BUFFER, INITIALIZE, MESSAGE
from bots.wasm.native import Function, Machine
from bots.wasm.positions import CallError
from engine.core import State, View
from engine.records import FaultKind
from engine.text import one_line

LONGEST_ANSWER: Final = 64 << 10
_LEAST_BUFFER: Final = 64 << 10
_TABLE: Final = 1 << 20
_MOST_NAMES: Final = 3
_LONGEST_NAME: Final = 60

Known = Callable[[], View[State]]


class Conversation:
    """The exchange of messages with a module in one match: `start` is called once, then `tell` for each further message.

    Call neither after a BotFaultError. ``known`` returns the seat's view, if the module needs it; ``log`` receives the module's log.
    """

    def __init__(self, linked: InstancePre, *, memory: int = MODULE_MEMORY, log: Callable[[bytes], None]) -> None:
        self._linked = linked
        self._store = Store(engine())
        self._store.set_limits(memory_size=memory, table_elements=_TABLE, instances=1, tables=16, memories=1)
        self._machine = Machine(self._store)
        self._log = log
        self._host: Host | None = None
        self._buffer: Function | None = None
        self._message: Function | None = None
        self._most = 0  # the most fuel for a decision so far
        self.fuel = 0
        """The units of fuel that the module has used so far."""

    def start(self, message: bytes, seed: int, clock: Clock, known: Known) -> bytes:
        """Instantiate the module, send it the match, and return its answer."""
        self._host = Host(self._machine, seed, self._log)
        return self._turn(self._make, message, clock, FaultKind.INIT_TIMEOUT, known)

    def tell(self, message: bytes, clock: Clock, known: Known) -> bytes:
        """Send the module a message and return its answer, which is empty if it has none."""
        return self._turn(self._tell, message, clock, FaultKind.MOVE_TIMEOUT, known)

    def close(self) -> None:
        """Release the module's memory."""
        self._store.close()

    def _make(self, message: bytes) -> bytes:
        machine = self._machine
        machine.adopt(self._linked.instantiate(self._store))
        self._buffer = machine.function(BUFFER)
        self._message = machine.function(MESSAGE)
        initialize = machine.function(INITIALIZE)
        if initialize is not None:
            initialize(0)
        return self._tell(message)

    def _tell(self, message: bytes) -> bytes:
        assert self._buffer is not None
        assert self._message is not None
        machine = self._machine
        size = max(len(message), _LEAST_BUFFER)
        address = self._buffer(size) & 0xFFFFFFFF
        try:
            machine.write(address, message, size)
        except IndexError:
            raise _broken(f"{BUFFER}({size}) returned {address:#x}, but its memory has no {size:,} bytes at that address") from None
        length = self._message(len(message))
        if not 0 <= length <= LONGEST_ANSWER:
            raise _broken(f"{MESSAGE} must return a length from 0 to {LONGEST_ANSWER:,}, but returned {length:,}")
        return machine.read(address, length)

    def _turn(self, say: Callable[[bytes], bytes], message: bytes, clock: Clock, late: FaultKind, known: Known) -> bytes:
        host = self._host
        assert host is not None
        host.begin(known, clock.fuel)
        most = None
        if late is FaultKind.MOVE_TIMEOUT and clock.fuel is not None and clock.fuel != FINISH_FUEL:
            most = self._most = max(self._most, clock.fuel)
        run_for(host)
        failed: WasmtimeError | Trap | BotFaultError | None = None
        answer = b""
        try:
            answer = say(message)
        except (Trap, WasmtimeError, BotFaultError) as error:
            failed = error
        finally:
            used = host.end()
        if used > host.limit or (isinstance(failed, Trap) and failed.trap_code is TrapCode.OUT_OF_FUEL):
            self.fuel += host.limit
            raise BotFaultError(late, over_start_fuel(host.limit) if late is FaultKind.INIT_TIMEOUT else over_fuel(host.limit, most))
        self.fuel += used
        if failed is not None:
            raise self._fault(host, failed)
        return answer

    @staticmethod
    def _fault(host: Host, error: WasmtimeError | Trap | BotFaultError) -> BaseException:
        failure = host.failure
        if isinstance(error, BotFaultError):
            return error
        if isinstance(failure, BotFaultError) or (failure is not None and not isinstance(failure, Exception)):
            return failure
        if isinstance(failure, MemoryError):
            return BotFaultError(FaultKind.MEMORY, f"it called '{host.called}' and ran out of memory")
        if failure is not None:
            why = f"but {failure}" if isinstance(failure, CallError) else f"which raised {type(failure).__name__}: {one_line(str(failure))}"
            return BotFaultError(FaultKind.CRASH, f"it called '{host.called}', {why}")
        if not isinstance(error, Trap):
            why = one_line(reason(error))
            return BotFaultError(
                FaultKind.MEMORY if "memory" in why else FaultKind.CRASH, f"its module can't be instantiated: {why}", is_unloadable=True
            )
        if error.trap_code is TrapCode.STACK_OVERFLOW:
            return BotFaultError(FaultKind.CRASH, "its calls are nested too deeply, so it ran out of stack")
        return BotFaultError(FaultKind.CRASH, f"it trapped: {_cause(error)}{_place(error)}")


def understand(line: bytes) -> FromBot:
    """Return the message in a module's answer, or ``bye`` if the answer is empty. Raises BotFaultError."""
    try:
        message = read_from_bot(line) if line else Bye()
    except MessageError as error:
        raise _broken(f"it wrote {quoted(line)}, which {error}") from None
    if isinstance(message, Hello | Answer | Failure) and message.fuel is not UNSET:
        raise _broken("its answer includes 'fuel', but fuel is counted by the host; leave it out")
    if isinstance(message, Ready) or (isinstance(message, Failure) and message.kind in OF_THE_LOOP):
        raise _broken(f"it wrote {quoted(line)}, which bots must not send")
    return message


def _broken(detail: str) -> BotFaultError:
    return BotFaultError(FaultKind.PROTOCOL_ERROR, detail)


def _cause(trap: Trap) -> str:
    return trap.message.rstrip().rsplit("wasm trap: ", 1)[-1].splitlines()[-1].strip()


def _place(trap: Trap) -> str:
    names = [frame.func_name or f"function {frame.func_index}" for frame in trap.frames[:_MOST_NAMES]]
    return f" (in {', called by '.join(one_line(name, _LONGEST_NAME) for name in names)})" if names else ""

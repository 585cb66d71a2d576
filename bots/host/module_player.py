"""A WebAssembly bot: its machine code, and a player that runs it in the host's own process."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from bots.errors import BotFaultError, ModuleError
from bots.host.channel import LOG_KEPT
from bots.host.message_player import MessagePlayer, T
from bots.host.player_pool import Trace
from bots.loader.apart import MODULE_CPU_SECONDS_TO_PLAY, compile_apart
from bots.loader.version import BotVersion
from bots.messages import Hello, ToBot, write
from bots.protocol import Clock, MatchInfo
from bots.wasm.conversation import MEMORY, Conversation, understand
from bots.wasm.interface import link
from bots.wasm.watchdog import Watchdog
from engine.core import Move, State, View
from engine.core.observer import Chronicle, Observer
from engine.records import FaultKind

_MODULES_KEPT: Final = 64


def code_of(version: BotVersion) -> bytes | str:
    """Return the machine code of a bot that is a module, or why it can't be played. Raises RuntimeMissingError."""
    return _code(dict(version.files)[version.wasm])


@lru_cache(maxsize=_MODULES_KEPT)
def _code(wasm: bytes) -> bytes | str:
    try:
        return compile_apart(wasm, MODULE_CPU_SECONDS_TO_PLAY)
    except ModuleError as error:
        return f"its module {error}"


def playable(code: bytes | str) -> bytes:
    """Return machine code for `bots.wasm.interface.link`. Raises BotFaultError if the module can't be played."""
    if isinstance(code, str):
        raise BotFaultError(FaultKind.CRASH, code, is_unloadable=True)
    return code


class WasmPlayer(MessagePlayer):
    """A module that plays one match in this process. It can access only its own memory and the calls of its host."""

    def __init__(self, version: BotVersion, code: bytes | str, memory: int = MEMORY) -> None:
        super().__init__(version)
        self._code = code
        self._memory = memory
        self._conversation: Conversation | None = None
        self._known: Callable[[], View[State]] | None = None
        self._seed = 0
        self._log = b""
        self._trace = Trace()

    def start(self, info: MatchInfo, chronicle: Chronicle) -> None:
        """Make an instance of the module, send it the match, and wait until it is ready."""
        self._seed = info.seed
        opening = chronicle.opening(info.seat)
        self._known = lambda: Observer(info.game, info.players, info.seat, opening).view()
        linked = link(playable(self._code))
        self._conversation = Conversation(linked, memory=self._memory, log=self._write, watchdog=Watchdog())
        self._greet(info, chronicle)

    def choose(self, view: View[State], clock: Clock) -> Move:
        """Send the module the news, and ask for its move."""
        self._known = lambda: view
        return super().choose(view, clock)

    def _ask(self, message: ToBot, wanted: type[T], clock: Clock, late: FaultKind) -> T:
        conversation, known = self._conversation, self._known
        assert conversation is not None
        assert known is not None
        data = write(message)
        self._keep("> ", data)
        before = conversation.fuel
        try:
            if wanted is Hello:
                line = conversation.start(data[:-1], self._seed, clock, known)
            else:
                line = conversation.tell(data[:-1], clock, known)
            answer = understand(line)
        except BotFaultError as error:
            raise self._closed(error) from None
        finally:
            self._fuel += conversation.fuel - before
        self._keep("< ", line)
        return self._wanted(answer, wanted)

    def _write(self, text: bytes) -> None:
        self._log = (self._log + text)[-LOG_KEPT:]

    def close(self) -> None:
        """Release the module's memory."""
        if self._conversation is not None:
            self._conversation.close()
            self._conversation = None
            self._trace = Trace(self._log.decode(errors="replace"), self._kept())

    def trace(self) -> Trace:
        """Return the information kept for the author."""
        return self._trace

"""A server of our own for tests in the browser and over HTTP: a database with a ladder, and the application on a free port."""

from __future__ import annotations

import asyncio
import socket
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from starlette.testclient import TestClient

from arena.bots import find_bots
from arena.play.executors.base import InlineExecutor
from arena.run.runner import run_tournament
from arena.spec.spec import make_spec
from arena.tournament import stored_spec
from arena.web.app import make_app
from arena.web.serving import make_server
from arena.web.settings import WebSettings
from leaderboard.storage.people import person_of_token
from leaderboard.storage.store import Store, StoredMatch
from tests.arena.running import stop_after
from tests.world import new_token, person, tournament_of, wait_for

T = TypeVar("T")
LADDER = "league"
BOT = (Path(__file__).parents[3] / "examples" / "minimal_bot.py").read_bytes()


def apart(work: Coroutine[Any, Any, T]) -> T:
    """What the work gives, in a thread of its own: that of the tests has the browser's event loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result(60)


@cache
def _new_ladder(rounds: int) -> bytes:
    with TemporaryDirectory() as folder:
        _play_ladder(Path(folder) / "new.db", rounds)
        return (Path(folder) / "new.db").read_bytes()


def make_ladder(db: Path, *, rounds: int = 2, **more: Any) -> None:
    """A ladder of three bots that has been played for some rounds and not ended; run again with more rounds, it goes on."""
    if more or db.exists():
        _play_ladder(db, rounds, **more)
    else:
        db.write_bytes(_new_ladder(rounds))


def _play_ladder(db: Path, rounds: int, **more: Any) -> None:
    bots = [{"name": name, "source": name} for name in ("random", "greedy", "spoiler")]
    data: dict[str, Any] = {"name": LADDER, "game": "tongiaki", "secret": "secret", "bots": bots} | more
    data["schedule"] = {"format": "ladder", "tables": [2], "slow": False}  # else a busy machine would decide who meets
    with Store.create(db) as store:
        found = store.tournament(LADDER)
        if found is not None:
            bots = data["bots"] = [{"name": bot.name, "source": bot.source} for bot in stored_spec(found).bots]
        spec = make_spec(data, "test")
        done = 0 if found is None else 1 + max(match.round for match in store.recent_matches(found))
        stop = stop_after((rounds - done) * (len(bots) // 2) * 2)
        with TemporaryDirectory() as folder:
            (Path(folder) / "secret").write_text("8" * 64)
            run_tournament(spec, find_bots(spec, Path(), store), store, InlineExecutor(), base=Path(folder), is_stopping=stop)


def matches_of(db: Path, tournament: str, bot: str | None = None) -> tuple[StoredMatch, ...]:
    """A tournament's matches, newest first."""
    with Store.read(db) as store:
        return store.recent_matches(tournament_of(store, tournament), bot=bot, limit=1000)


def execute(db: Path, *statements: str) -> None:
    """Change a database by hand."""
    with closing(sqlite3.connect(db)) as connection, connection:
        for each in statements:
            connection.execute(each)


def make_token(db: Path | str, author: str = "Ana") -> str:
    """The token of an author, a new one if the last has ended."""
    with Store.join(db) as store:
        key = str(db), person(store, author)
        if key not in _TOKENS or person_of_token(store, _TOKENS[key]) is None:
            _TOKENS[key] = new_token(store, author)
        return _TOKENS[key]


_TOKENS: dict[tuple[str, str], str] = {}


def sign_in(browser: Any, token: str, root: str = "") -> None:
    """Sign in with a token, in a test client or a client of HTTP."""
    answer = browser.post(f"{root}/my/sign-in", data={"token": token}, follow_redirects=False)
    assert answer.status_code == 303, answer.text


def bearer(token: str) -> dict[str, str]:
    """The header of a request with that token."""
    return {"authorization": f"Bearer {token}"}


def upload(client: Any, token: str, name: str, content: bytes = BOT, filename: str = "bot.py", **more: str) -> Any:
    """The API's answer to a bot that is submitted, for a game unless a ladder is named."""
    files, data = {"file": (filename, content)}, {"name": name, "game": "tongiaki", **more}
    return client.post("/api/v1/submissions", headers=bearer(token) if token else {}, data=data, files=files)


def uploaded(client: Any, token: str, upload: str) -> Any:
    """An upload as the API has it."""
    return client.get(f"/api/v1/submissions/{upload}", headers=bearer(token)).json()


def checked(client: Any, token: str, upload: str) -> Any:
    """The same when its check is over."""
    wait_for(lambda: uploaded(client, token, upload)["state"] in {"accepted", "refused"}, 200)
    return uploaded(client, token, upload)


Open = Callable[..., TestClient]
"""Opens a browser in which that author is signed in, or nobody: ``browser(author="", scheme="http")``."""


@contextmanager
def browsers(db: Path, **more: Any) -> Iterator[Open]:
    """Browsers of one server, which checks nothing that is sent, since it has not been started."""
    app = make_app(settings_for(db, **more))

    def open_it(author: str = "", scheme: str = "http") -> TestClient:
        made = TestClient(app, base_url=f"{scheme}://testserver", headers={"accept": "text/html"}, follow_redirects=False)
        if author:
            sign_in(made, make_token(db, author))
        return made

    yield open_it
    app.state.checks.close()
    app.state.queries.close()


def settings_for(db: Path | str, **more: Any) -> WebSettings:
    """Everything allowed but analyses, which take time; bots' moves shown no longer than it takes, pages never old."""
    usual: dict[str, Any] = {"allow_submissions": True, "allow_play": True, "analyses": False, "pace": 0.0, "fresh_seconds": 0.0}
    return WebSettings(str(db), **(usual | {"host_names": ("testserver",)} | more))


@contextmanager
def served(settings: WebSettings, port: int = 0) -> Iterator[str]:
    """The address of a running server, without a slash at its end."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        server = make_server(settings)
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            wait_for(lambda: server.started, 120)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(120)
            assert not thread.is_alive()

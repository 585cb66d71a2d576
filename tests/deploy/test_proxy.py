"""The nginx of deploy/: its file is valid, pages come through it, and slow visitors stay with it."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack

import httpx2
import pytest

from leaderboard.storage.store import Store
from tests.arena.web.running import Running, running
from tests.deploy.files import DEPLOY
from tests.world import wait_for

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(NGINX is None, reason="nginx is not installed")]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    db = tmp_path_factory.mktemp("proxied") / "empty.db"
    Store.create(db).close()
    with running(db, "--allow-play", "--proxy", "127.0.0.1") as found:
        yield found


@pytest.fixture(scope="module")
def port(server: Running, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of nginx in front of the server, without TLS."""
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    site = (DEPLOY / "nginx.conf").read_text()
    for written, here in (("listen 443 ssl", f"listen 127.0.0.1:{port}"), (":8000", f":{server.port}"), ("arena.example.org", "localhost")):
        site = site.replace(written, here)
    site = re.sub(r" *ssl_certificate.*\n", "", site)
    paths = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    text = f"daemon off;\npid {folder}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{paths}{site}}}\n"
    (folder / "nginx.conf").write_text(text)
    assert NGINX is not None
    process = subprocess.Popen([NGINX, "-p", folder, "-e", folder / "log", "-c", folder / "nginx.conf"])
    try:
        wait_for((folder / "pid").exists, 30)  # once it listens
        yield port
    finally:
        process.terminate()
        process.wait(30)


def test_pages_come_through_it(port: int) -> None:
    answer = httpx2.get(f"http://127.0.0.1:{port}/play", timeout=60, headers={"host": "localhost"})
    assert (answer.status_code, "content-security-policy" in answer.headers) == (200, True)


def test_slow_visitors_take_no_place_of_the_server(port: int) -> None:
    head = b"POST /play HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 6000\r\n\r\n"
    with ExitStack() as stack:
        slow = [stack.enter_context(socket.create_connection(("127.0.0.1", port), 60)) for _ in range(60)]  # an address may send 24 at once
        for each in slow:
            each.sendall(head)
        for _ in range(4):
            time.sleep(0.25)
            for each in slow:
                each.sendall(b"x")
        begun = time.monotonic()
        form = {"game": "tongiaki", "seat": ["me", "person"]}
        answer = httpx2.post(f"http://127.0.0.1:{port}/play", data=form, timeout=60, headers={"host": "localhost"})
        assert answer.status_code == 303
        assert time.monotonic() - begun < 10


def test_a_body_that_is_too_large_is_refused(port: int) -> None:
    content = b"x" * (5 << 20)
    assert httpx2.post(f"http://127.0.0.1:{port}/play", content=content, timeout=60, headers={"host": "localhost"}).status_code == 413

"""Reading the files of a site."""

from __future__ import annotations

import gzip
import re
import threading
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKED = re.compile(r'(?<=<script type="application/gzip" id="arena-document">)[^<]*')


def text_of(path: Path) -> str:
    """The text of a file, with its compressed document, if it has one, in full."""
    return PACKED.sub(lambda packed: gzip.decompress(b64decode(packed[0])).decode(), path.read_text(encoding="utf-8", errors="replace"))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *_: object) -> None:  # noqa: A002  # the name that the library gives it
        pass


@contextmanager
def hosted(folder: Path) -> Iterator[str]:
    """A plain web server of the folder; its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()

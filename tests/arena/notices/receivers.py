"""Targets of notices on this machine: a webhook and a mail server that take what comes, refuse it, hang, or answer a byte at a time."""

from __future__ import annotations

import datetime
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import StreamRequestHandler, ThreadingTCPServer
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from standardwebhooks import Webhook as Signer

from arena.notices.targets import MailServer, Targets, Webhook

SECRET = "whsec_" + "QUJD" * 8
TRICKLE = 0.05


class Hook(ThreadingHTTPServer):
    """A webhook: it answers with ``status``, unless it ``hangs`` or ``trickles``; ``taken`` has id and verified content of what it took."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _HookHandler)
        self.status = 200
        self.hangs = self.trickles = False
        self.is_over = threading.Event()
        self.asked: list[str] = []
        self.taken: list[tuple[str, dict[str, Any]]] = []

    @property
    def target(self) -> Webhook:
        return Webhook.model_validate({"url": f"http://127.0.0.1:{self.server_port}/hook?key=1", "secret": SECRET})


class _HookHandler(BaseHTTPRequestHandler):
    server: Hook

    def do_POST(self) -> None:
        hook = self.server
        body = self.rfile.read(int(self.headers["content-length"]))
        content = Signer(SECRET).verify(body, dict(self.headers))
        hook.asked.append(f"{self.command} {self.path}")
        if hook.hangs:
            hook.is_over.wait(60)
        if hook.trickles:
            with suppress(OSError):
                while not hook.is_over.wait(TRICKLE):
                    self.wfile.write(b"H")
            return
        if hook.status == 200:
            hook.taken.append((self.headers["webhook-id"], content))
        with suppress(OSError):
            self.send_response(hook.status)
            self.send_header("location", f"http://127.0.0.1:{hook.server_port}/elsewhere")
            self.end_headers()

    do_GET = do_POST  # noqa: N815  # as its base class has it

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002  # as its base class has it
        pass


class Post(ThreadingTCPServer):
    """A mail server that answers commands as ``answers`` says, and has the mail that it took; with a ``context`` it speaks TLS."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, context: ssl.SSLContext | None = None, *, at_once: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _PostHandler)
        self.context, self.at_once = context, at_once
        self.answers: dict[str, str] = {}
        self.said: list[str] = []
        self.taken: list[EmailMessage] = []
        self.is_over = threading.Event()

    def target(self, **more: object) -> MailServer:
        facts = {"server": "localhost", "port": self.server_address[1], "security": "none", "sender": "Arena <arena@example.org>"}
        return MailServer.model_validate(facts | more)


class _PostHandler(StreamRequestHandler):
    server: Post

    def handle(self) -> None:
        try:
            with suppress(OSError):
                if self.server.at_once:
                    self._wrap()
                self._talk()
        finally:
            for each in (self.rfile, self.wfile, self.request):  # those of TLS, if there is TLS
                each.close()

    def _wrap(self) -> None:
        assert self.server.context is not None
        self.request = self.server.context.wrap_socket(self.request, server_side=True)
        self.rfile, self.wfile = self.request.makefile("rb"), self.request.makefile("wb", buffering=0)

    def _say(self, command: str, usual: str) -> bool:
        answer = self.server.answers.get(command, usual)
        if answer in {"hang", "trickle"}:
            while not self.server.is_over.wait(TRICKLE):
                if answer == "trickle":
                    self.wfile.write(b"2")
        self.wfile.write(answer.encode() + b"\r\n")
        return answer[0] in "23"

    def _talk(self) -> None:
        self._say("banner", "220 ready")
        while line := self.rfile.readline().decode().strip():
            self.server.said.append(line)
            command = line.split()[0].upper()
            if command == "EHLO":
                offers = ["localhost", *(["STARTTLS"] if self.server.context and not self.server.at_once else []), "AUTH PLAIN"]
                for number, each in enumerate(offers, 1):
                    self.wfile.write(f"250{' ' if number == len(offers) else '-'}{each}\r\n".encode())
            elif self._say(command, {"DATA": "354 go on", "STARTTLS": "220 go on", "AUTH": "235 welcome"}.get(command, "250 fine")):
                if command == "STARTTLS":
                    self._wrap()
                if command == "DATA":
                    lines = list(iter(self.rfile.readline, b".\r\n"))
                    mail = message_from_bytes(b"".join(lines), policy=default)
                    assert isinstance(mail, EmailMessage)
                    if self._say("end", "250 taken"):
                        self.server.taken.append(mail)
                if command == "QUIT":
                    return


@contextmanager
def listening(server: Hook | Post) -> Iterator[None]:
    """Serve in the block, and hang no longer after it."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def targets_of(hook: Hook | None = None, mail: MailServer | None = None, url: str | None = "https://arena.example.org/below") -> Targets:
    targets = Targets.model_validate({"url": url} if url else {})
    return targets.model_copy(update={"webhooks": {"chat": hook.target} if hook else {}, "mail": mail})


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of localhost that its own key has signed, and the context of a server that has it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    made = made.not_valid_before(now - day).not_valid_after(now + day)
    made = made.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    made = made.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    path, own = folder / "localhost.pem", folder / "key.pem"
    path.write_bytes(made.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    pem = serialization.PrivateFormat.PKCS8
    own.write_bytes(key.private_bytes(serialization.Encoding.PEM, pem, serialization.NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path, own)
    return path, context

"""Delivers one notice: by a webhook, signed according to Standard Webhooks (standardwebhooks.com), or by mail."""

from __future__ import annotations

import json
import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final

from standardwebhooks import Webhook as Signer

from arena.notices.targets import MailServer, Targets, Webhook
from engine.text import one_line
from leaderboard.storage.notices import Notice

SECONDS: Final = 15.0
"""Seconds for which a target may be silent; it is cut off after twice this time in total."""
_READY: Final = 220
_PROBLEMS: Final = (OSError, HTTPException, smtplib.SMTPException, ValueError)


def deliver(targets: Targets, notice: Notice, seconds: float = SECONDS) -> str:
    """Deliver a notice; return why it failed, or an empty text."""
    link = str(targets.url).rstrip("/") + notice.path if targets.url and notice.path else ""
    try:
        if notice.person is None:
            _post(targets.webhooks[notice.target], notice, link, seconds)
        elif targets.mail is not None and notice.mail:
            _mail(targets.mail, notice.mail, notice, link, seconds)
        else:
            return "the target has no address any more"
    except _PROBLEMS as error:  # addresses are stored only in the list of people
        return one_line(re.sub(re.escape(notice.mail or "\n"), "the address", _words(error), flags=re.IGNORECASE))
    return ""


def _words(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        error = smtplib.SMTPResponseException(*next(iter(error.recipients.values())))
    if isinstance(error, smtplib.SMTPResponseException):
        text = error.smtp_error
        return f"the server answers {error.smtp_code} {text.decode(errors='replace') if isinstance(text, bytes) else text}"
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _post(webhook: Webhook, notice: Notice, link: str, seconds: float) -> None:
    data = {"tournament": notice.tournament, "bot": notice.bot, "subject": notice.subject, "text": notice.text, "link": link}
    body = json.dumps({"type": notice.kind, "timestamp": notice.seen.isoformat(), "data": data})
    now = datetime.now(UTC)  # this machine's time, whatever clock decides what is due: receivers compare it with theirs
    headers = {
        "content-type": "application/json",
        "user-agent": "tile-arena",
        "webhook-id": notice.id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer(webhook.secret).sign(notice.id, now, body),
    }
    url = webhook.url
    kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
    connection = kind((url.host or "").strip("[]"), url.port, timeout=seconds)
    with _limited(connection, seconds):
        connection.request("POST", f"{url.path or '/'}{f'?{url.query}' if url.query else ''}", body.encode(), headers)
        status = connection.getresponse().status
    if not 200 <= status < 300:
        raise HTTPException(f"it answers {status}" + (", and redirects are not followed" if 300 <= status < 400 else ""))


def _mail(server: MailServer, address: str, notice: Notice, link: str, seconds: float) -> None:
    domain = parseaddr(server.sender)[1].rpartition("@")[2]
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = server.sender, address, notice.subject
    message["Date"], message["Message-ID"], message["Auto-Submitted"] = (
        format_datetime(datetime.now(UTC)),
        f"<{notice.id}@{domain}>",
        "auto-generated",
    )
    message.set_content(f"{notice.text}\n\n{link}\n" if link else f"{notice.text}\n")
    context, is_tls = ssl.create_default_context(), server.security == "tls"
    at_once = is_tls and server.port == smtplib.SMTP_SSL_PORT
    make = partial(smtplib.SMTP_SSL, context=context) if at_once else smtplib.SMTP
    connection = make(local_hostname=domain, timeout=seconds)  # this machine's name is not sent, and looking it up may take long
    vars(connection)["_host"] = server.server  # TLS checks the certificate against this name; only a constructor that connects sets it
    with _limited(connection, seconds):
        code, words = connection.connect(server.server, server.port)
        if code != _READY:
            raise smtplib.SMTPConnectError(code, words)
        if is_tls and not at_once:
            connection.starttls(context=context)
        if server.user:
            connection.login(server.user, server.password)
        connection.send_message(message)
        with suppress(*_PROBLEMS):  # the mail has been accepted
            connection.quit()


@contextmanager
def _limited(connection: HTTPConnection | smtplib.SMTP, seconds: float) -> Iterator[None]:
    """Close a connection, and cut it off if it takes long: a socket's timeout starts again with each byte that it gets."""

    def cut() -> None:
        if connection.sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)

    timer = threading.Timer(2 * seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        connection.close()

"""The host's file with the targets of notices (docs/notices.md)."""

from __future__ import annotations

import base64
import re
import tomllib
from collections.abc import Mapping
from email.utils import parseaddr
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, HttpUrl, ValidationError

from arena.entries.people_list import MAIL_ADDRESS
from arena.season.season_file import find_line
from arena.spec.errors import sentence
from arena.spec.plans import Model, as_tuple
from bots.loader.files import UnreadableFileError, read_text
from engine.core.errors import InputError
from leaderboard.storage.notices import MAIL, EventKind

_LARGEST_FILE: Final = 1 << 16
_SERVER: Final = re.compile(r"[\w.-]+|[0-9A-Fa-f:]+")
_SECRET: Final = "whsec_"  # noqa: S105  # the beginning of one
Events = Annotated[tuple[Annotated[EventKind, Field(strict=False)], ...], BeforeValidator(as_tuple)]


class TargetsError(InputError):
    """The file can't be used; the text names the file, the line and the key, but no secret."""


def _server(text: str) -> str:
    if not _SERVER.fullmatch(text):
        raise ValueError("should be the name of a server without its port, such as 'smtp.example.org'")
    return text


def _sender(text: str) -> str:
    if not (text.isprintable() and MAIL_ADDRESS.fullmatch(parseaddr(text)[1])):
        raise ValueError("should be an address such as 'Summer Arena <arena@example.org>'")
    return text


class Webhook(Model):
    """A webhook. In the file, ``secret`` names the file that holds it."""

    url: HttpUrl
    secret: str = Field(repr=False)
    events: Events = tuple(EventKind)


class MailServer(Model):
    """The server that takes mail, over TLS unless it has no ``security``. In the file, ``password`` names the file that holds it."""

    server: Annotated[str, AfterValidator(_server)]
    port: int = Field(587, ge=1, le=65535)
    security: Literal["tls", "none"] = "tls"
    user: str = ""
    password: str = Field("", repr=False)
    sender: Annotated[str, AfterValidator(_sender)]
    events: Events = tuple(EventKind)


class Targets(Model):
    """All targets. ``url`` is the public address of the host's server, for links."""

    url: HttpUrl | None = None
    mail: MailServer | None = None
    webhooks: Mapping[str, Webhook] = Field(default_factory=dict)

    @property
    def kinds(self) -> dict[str, tuple[EventKind, ...]]:
        """The events that each target gets, by its name."""
        return {name: each.events for name, each in self.webhooks.items()} | ({MAIL: self.mail.events} if self.mail else {})


def read_targets(path: Path) -> Targets:
    """Return the targets in a file, with their secrets. Raises TargetsError."""
    try:
        text = read_text(path, _LARGEST_FILE)
        data = tomllib.loads(text)
    except UnreadableFileError as error:
        raise TargetsError(str(error)) from None
    except (ValueError, RecursionError) as error:
        raise TargetsError(f"{path} is not valid TOML: {error}") from None

    def wrong(what: str, *key: str | int) -> TargetsError:
        return TargetsError(f"{path}, line {find_line(text, tuple(map(str, key)))}: {what}")

    def secret(name: str, *key: str) -> str:
        try:
            found = read_text(path.parent / name, _LARGEST_FILE).strip()
        except UnreadableFileError:  # its text contains the name, which may be the secret itself
            found = ""
        if not found:
            raise wrong(f"'{'.'.join(key)}' should name a file beside this one that holds the secret; there is none, or it is empty", *key)
        return found

    try:
        targets = Targets.model_validate(data)
    except ValidationError as error:
        first = min(error.errors(), key=lambda each: each["type"] != "extra_forbidden")  # reported before keys that seem to be missing
        raise wrong(sentence(first, {"": Targets, "mail": MailServer, "webhooks": Webhook}), *first["loc"]) from None
    if not targets.kinds or MAIL in targets.webhooks:
        raise wrong("there should be a table [mail], or webhooks such as [webhooks.chat], but none that is called mail", "webhooks", MAIL)
    mail, webhooks = targets.mail, {}
    for name, each in targets.webhooks.items():
        key = secret(each.secret, "webhooks", name, "secret")
        if not _is_webhook_secret(key):
            raise wrong(f"the secret should be '{_SECRET}' and 24 to 64 random bytes in base64", "webhooks", name, "secret")
        webhooks[name] = each.model_copy(update={"secret": key})
    if mail is not None and mail.user:
        mail = mail.model_copy(update={"password": secret(mail.password, "mail", "password")})
    return targets.model_copy(update={"webhooks": webhooks, "mail": mail})


def _is_webhook_secret(text: str) -> bool:
    try:
        return text.startswith(_SECRET) and 24 <= len(base64.b64decode(text.removeprefix(_SECRET), validate=True)) <= 64
    except ValueError:
        return False

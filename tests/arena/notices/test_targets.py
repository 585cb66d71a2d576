"""The file of targets: what is wrong in it is refused in one sentence with the line, which repeats no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.notices.targets import TargetsError, read_targets
from leaderboard.storage.notices import EventKind
from tests.arena.notices.receivers import SECRET

FILE = """\
url = "https://arena.example.org/below/"

[mail]
server = "smtp.example.org"
user = "arena"
password = "mail.password"
sender = "Summer Arena <arena@example.org>"

[webhooks.chat]
url = "https://chat.example.org/hook?key=1"
secret = "chat.secret"
events = ["benched", "over"]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "mail.password").write_text("hunter2\n")
    (tmp_path / "chat.secret").write_text(f"{SECRET}\n")
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "short").write_text("whsec_QUJD")
    path = tmp_path / "notices.toml"
    path.write_text(FILE)
    return path


def test_a_file_is_read_with_its_secrets_which_are_never_shown(path: Path) -> None:
    targets = read_targets(path)
    assert targets.mail is not None
    assert (targets.mail.password, targets.webhooks["chat"].secret) == ("hunter2", SECRET)
    assert targets.kinds == {"chat": (EventKind.BENCHED, EventKind.OVER), "mail": tuple(EventKind)}
    assert "hunter2" not in repr(targets)
    assert SECRET not in repr(targets)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("[mail]", "[mail", 3, "is not valid TOML"),
        ("sender", "sendr", 7, "unknown key 'mail.sendr'; did you mean 'sender'?"),
        ('server = "smtp.example.org"\n', "", 3, "the key 'mail.server' is missing"),
        ('server = "smtp.example.org"', 'server = "smtp.example.org:587"', 4, "'mail.server': "),
        ("[webhooks.chat]", "[webhook.chat]", 9, "unknown key 'webhook'; did you mean 'webhooks'?"),
        ("https://chat", "ftp://chat", 10, "'webhooks.chat.url': "),
        ("https://arena.example.org/below/", "arena.example.org", 1, "'url': "),
        ('"benched"', '"bench"', 12, "'webhooks.chat.events[0]': should be 'verdict', 'benched',"),
        ("arena@example.org", "arena", 7, "'mail.sender': should be an address"),
        ("mail.password", "hunter2", 6, "'mail.password' should name a file beside this one"),
        ('password = "mail.password"\n', "", 3, "'mail.password' should name a file"),
        ("chat.secret", SECRET, 11, "'webhooks.chat.secret' should name a file beside this one"),
        ("chat.secret", "short", 11, "should be 'whsec_' and 24 to 64 random bytes in base64"),
        ("[webhooks.chat]", "[webhooks.mail]", 9, "none that is called mail"),
        (FILE, 'url = "https://arena.example.org"', 1, "there should be a table [mail], or webhooks"),
    ],
)
def test_what_is_wrong_is_one_sentence_with_its_line_and_no_secret(path: Path, old: str, new: str, line: int, words: str) -> None:
    assert old in FILE
    path.write_text(FILE.replace(old, new, 1))
    with pytest.raises(TargetsError) as caught:
        read_targets(path)
    text = str(caught.value)
    assert text.startswith(f"{path}")
    assert f"line {line}" in text
    assert words in text
    assert "\n" not in text
    assert "hunter2" not in text
    assert SECRET not in text


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(TargetsError, match=r"there is no file .*notices\.toml"):
        read_targets(tmp_path / "notices.toml")

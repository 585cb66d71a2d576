"""Delivering a notice: what a target gets, and what is said of one that refuses, hangs or can't be reached. Nothing is ever raised."""

from __future__ import annotations

import smtplib
import socket
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from arena.notices.delivery import SECONDS, deliver
from arena.notices.targets import Webhook
from leaderboard.storage.notices import Notice
from tests.arena.notices.receivers import SECRET, Hook, Post, certificate, listening, targets_of

SEEN = datetime(2027, 6, 27, 16, tzinfo=UTC)
TOLD = Notice(1, "msg_1", "benched", "summer", "wälker", SEEN, "chat", None, None, "wälker is out", "wälker is out: why.", "/t/summer", 1)
MAILED = replace(TOLD, target="mail", person="person-1", mail="ana@example.org")
QUICK = 0.3
LOGIN = {"user": "arena", "password": "hunter2"}


def test_a_webhook_gets_signed_json_with_the_same_id_each_time(hook: Hook) -> None:
    assert [deliver(targets_of(hook), TOLD) for _ in range(2)] == ["", ""]
    assert hook.asked == ["POST /hook?key=1"] * 2  # with a signature that the library's own verifier accepts
    link = "https://arena.example.org/below/t/summer"
    data = {"tournament": "summer", "bot": "wälker", "subject": TOLD.subject, "text": TOLD.text, "link": link}
    assert hook.taken == [("msg_1", {"type": "benched", "timestamp": "2027-06-27T16:00:00+00:00", "data": data})] * 2


@pytest.mark.parametrize("status", [302, 307, 404, 410, 500])
def test_a_webhook_that_does_not_accept_has_failed_and_redirects_are_not_followed(hook: Hook, status: int) -> None:
    hook.status = status
    redirects = ", and redirects are not followed" if status < 400 else ""
    assert deliver(targets_of(hook), TOLD) == f"it answers {status}{redirects}"
    assert hook.asked == ["POST /hook?key=1"]


@pytest.mark.slow  # it waits
def test_a_webhook_that_hangs_or_answers_a_byte_at_a_time_is_cut_off(hook: Hook) -> None:
    hook.hangs = True
    assert deliver(targets_of(hook), TOLD, QUICK) == "timed out"
    hook.hangs, hook.trickles = False, True
    assert deliver(targets_of(hook), TOLD, QUICK)


def test_what_can_not_be_reached_is_said_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for url, words in ((f"http://127.0.0.1:{port}/", "refused"), ("http://nowhere.invalid/", ""), (f"https://[::1]:{port}/", "")):
        webhook = Webhook.model_validate({"url": url, "secret": SECRET})
        problem = deliver(targets_of().model_copy(update={"webhooks": {"chat": webhook}}), TOLD, QUICK)
        assert problem
        assert words in problem


def test_mail_is_plain_text_with_one_subject_and_a_link(post: Post) -> None:
    secret = post.target(**LOGIN)
    assert deliver(targets_of(mail=secret), MAILED) == ""
    assert any(line.startswith("AUTH PLAIN") for line in post.said)
    assert post.said[0].lower() == "ehlo example.org"  # not this machine's name
    [mail] = post.taken
    assert (mail["From"], mail["To"], mail["Subject"]) == ("Arena <arena@example.org>", "ana@example.org", "wälker is out")
    assert (mail["Message-ID"], mail["Auto-Submitted"]) == ("<msg_1@example.org>", "auto-generated")
    text = "wälker is out: why.\n\nhttps://arena.example.org/below/t/summer\n"
    assert (mail.get_content_type(), mail.get_content().replace("\r", "")) == ("text/plain", text)
    assert deliver(targets_of(mail=post.target(), url=None), MAILED) == ""
    assert post.taken[1].get_content() == "wälker is out: why.\r\n"


@pytest.mark.parametrize(
    ("command", "answer", "problem"),
    [
        ("RCPT", "550 <Ana@Example.org>: nobody here", "the server answers 550 <the address>: nobody here"),
        ("banner", "554 go away", "the server answers 554 go away"),
        ("MAIL", "451 later", "the server answers 451 later"),
        ("AUTH", "535 no", "the server answers 535 no"),
        ("end", "552 too much", "the server answers 552 too much"),
        ("banner", "hang", "timed out"),
        ("end", "hang", "timed out"),
        ("banner", "trickle", ""),
    ],
)
def test_a_mail_server_that_refuses_or_hangs_has_failed_and_no_address_is_repeated(
    post: Post, command: str, answer: str, problem: str
) -> None:
    post.answers[command] = answer
    found = deliver(targets_of(mail=post.target(**LOGIN)), MAILED, QUICK if answer in {"hang", "trickle"} else SECONDS)
    assert found
    assert problem in found
    assert "ana" not in found.lower()
    assert not post.taken


def test_mail_that_was_taken_is_sent_even_if_the_server_does_not_say_good_bye(post: Post) -> None:
    post.answers["QUIT"] = "hang"
    assert deliver(targets_of(mail=post.target()), MAILED, QUICK) == ""
    assert len(post.taken) == 1


def test_a_newline_makes_no_further_header(post: Post) -> None:
    assert deliver(targets_of(mail=post.target()), replace(MAILED, subject="a\r\nBcc: all@example.org"))
    assert not post.taken


def test_mail_is_not_sent_in_the_clear_unless_the_host_says_so(post: Post) -> None:
    assert "STARTTLS" in deliver(targets_of(mail=post.target(security="tls", **LOGIN)), MAILED)
    assert not any(line.startswith("AUTH") for line in post.said)


@pytest.mark.parametrize("at_once", [False, True])
def test_the_certificate_of_a_mail_server_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, at_once: bool) -> None:
    path, context = certificate(tmp_path)
    post = Post(context, at_once=at_once)
    with listening(post):
        if at_once:
            monkeypatch.setattr(smtplib, "SMTP_SSL_PORT", post.server_address[1])
        targets = targets_of(mail=post.target(security="tls"))
        assert "certificate" in deliver(targets, MAILED)
        monkeypatch.setenv("SSL_CERT_FILE", str(path))
        assert deliver(targets, MAILED) == ""
        by_number = targets_of(mail=post.target(security="tls", server="127.0.0.1"))
        assert "certificate" in deliver(by_number, MAILED)  # it is of another name
    assert len(post.taken) == 1

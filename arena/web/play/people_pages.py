"""Pages of members: claiming a name, signing in with it elsewhere, everybody by rating, and the profile of one."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from limits import RateLimitItemPerDay, RateLimitItemPerHour
from starlette.exceptions import HTTPException

from arena.web.errors import NotFoundError, as_sentence
from arena.web.play.ratings import MemberRating, opponents_in, ratings_of
from arena.web.play.seats import GUEST, key_digest
from arena.web.play.table_pages import NO_STORE, tables_of
from arena.web.play.visitors import SECRET, key_of, known_name, member_of, new_key, remember, renew_secret, sign_in_as, store_of
from arena.web.prefix import site_url
from arena.web.protection.rate_limits import WRONG_TOKENS, address_of, from_here, rate_limits
from arena.web.protection.sessions import is_host
from arena.web.rendering.templates import render
from bots.loader.reference_bots import REFERENCE_BOTS
from leaderboard.storage.members import (
    Member,
    MemberError,
    RatedMatch,
    RatedState,
    change_secret,
    claim_name,
    delete_member,
    find_member,
    members,
    rated_matches,
    rated_stamp,
)

router = APIRouter(prefix="/play/people", include_in_schema=False, default_response_class=HTMLResponse)
CODE: Final = "play_"
"""The prefix of every secret in a link, by which it can be recognised."""
_CLAIMS: Final = 10
"""The most names that one visitor may claim a day; an address counts as several visitors (``WebSettings.visitors``)."""
_LINKS: Final = RateLimitItemPerHour(10)
_SHOWN: Final = 100
"""The most members of a list, and the most matches of a profile."""
_RESERVED: Final = (*REFERENCE_BOTS, GUEST, "You")


def _standings(request: Request) -> dict[tuple[str, int], list[tuple[Member, MemberRating]]]:
    """Return the members by game and number of seats, by the low end of their interval; those with a provisional rating come last."""
    store = store_of(request)

    def make() -> dict[tuple[str, int], list[tuple[Member, MemberRating]]]:
        everybody, played = members(store), dict[str, list[RatedMatch]]()
        for match in rated_matches(store):
            played.setdefault(match.member, []).append(match)
        found: dict[tuple[str, int], list[tuple[Member, MemberRating]]] = {}
        for member, matches in played.items():
            for rating in ratings_of(matches) if member in everybody else ():
                found.setdefault((rating.game, rating.seats), []).append((everybody[member], rating))
        for each in found.values():
            each.sort(key=lambda pair: (pair[1].is_provisional, -pair[1].strength.low))
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    return tables_of(request).sent.get("people", rated_stamp(store), make)


def _page(request: Request, *, name: str = "", problem: str = "", status: int = 200) -> HTMLResponse:
    values = {"member": member_of(request), "standings": _standings(request), "most": _SHOWN, "name": name or known_name(request)}
    return render(request, "people.html", status=status, headers=NO_STORE, problem=problem, **values)


@router.get("")
def everybody(request: Request) -> HTMLResponse:
    """Show everybody by rating, and the form for claiming a name."""
    return _page(request)


@router.post("", dependencies=[Depends(from_here)])
def claim(request: Request, name: Annotated[str, Form(max_length=200)] = "") -> Response:
    """Give the visitor a name of their own, and show the link to it once; a name that is refused counts for no limit."""
    limits, address, most = rate_limits(request), address_of(request), RateLimitItemPerDay(_CLAIMS * request.app.state.settings.visitors)
    if not limits.has_left(most, "name", address):
        raise HTTPException(429, "Too many names from your address; try again tomorrow.")
    key, secret = new_key(request), renew_secret(request)
    try:
        member = claim_name(request.app.state.uploads.join(), name, key, key_digest(secret), reserved=_RESERVED)
    except MemberError as error:
        return _page(request, name=name, problem=as_sentence(error), status=422)
    limits.has_room(most, "name", address)
    return _link(request, member, secret)


@router.post("/link", dependencies=[Depends(from_here)])
def new_link(request: Request) -> Response:
    """Make a new link, which revokes the old one and signs out the person's other browsers."""
    rate_limits(request).count(_LINKS, "link", address_of(request), "You have made too many links; try again later.")
    member, secret = _me(request), renew_secret(request)
    change_secret(request.app.state.uploads.join(), member.id, key_digest(secret))
    return _link(request, member, secret)


def _link(request: Request, member: Member, secret: str) -> Response:
    address = request.url.replace(path=site_url(request, "/play/people/sign-in"), query="", fragment=f"{CODE}{secret}")
    answer = render(request, "people_link.html", headers=NO_STORE, member=member, address=str(address))
    remember(request, answer)
    return answer


@router.get("/sign-in")
def form(request: Request) -> HTMLResponse:
    """Show the form, which the link fills in: its secret comes after ``#``, which browsers don't send to servers."""
    return render(request, "people_sign_in.html", headers=NO_STORE, member=member_of(request), wrong="")


@router.post("/sign-in", dependencies=[Depends(from_here)])
def begin(request: Request, token: Annotated[str, Form(max_length=300)] = "") -> Response:
    """Sign in with the secret of a link, or with the link itself."""
    secret = token.strip().rpartition("#")[2].removeprefix(CODE)
    member = find_member(store_of(request), digest=key_digest(secret)) if secret else None
    if member is None:
        limits = rate_limits(request)
        limits.count(WRONG_TOKENS, "link", address_of(request), "Too many wrong links from your address; wait a minute.")
        wrong = "This is not a link of this server, or a newer one was made."
        return render(request, "people_sign_in.html", status=401, headers=NO_STORE, member=member_of(request), wrong=wrong)
    answer = RedirectResponse(site_url(request, f"/play/people/{member.id}"), 303, NO_STORE)
    sign_in_as(request, answer, secret)
    return answer


@router.post("/sign-out", dependencies=[Depends(from_here)])
def end(request: Request) -> Response:
    """Forget the member, and their seats, in this browser."""
    answer = RedirectResponse(site_url(request, "/play/people"), 303, NO_STORE)
    answer.delete_cookie(SECRET, path=site_url(request, "/play"))
    return answer


@router.get("/{member}")
def profile(request: Request, member: str) -> HTMLResponse:
    """Show a member's ratings, with their curves, and matches."""
    store, found = store_of(request), _find(request, member)
    matches = [each for each in reversed(rated_matches(store, found.id)) if each.state is not RatedState.PLAYING]
    is_me = found.key == key_of(request)
    return render(
        request,
        "person.html",
        headers=NO_STORE,
        member=found,
        is_me=is_me,
        may_delete=is_me or is_host(request),
        ratings=ratings_of(matches),
        matches=[(match, opponents_in(match)) for match in matches[:_SHOWN]],
        count=len(matches),
    )


@router.post("/{member}/delete", dependencies=[Depends(from_here)])
def delete(request: Request, member: str, sure: Annotated[str, Form(max_length=10)] = "") -> Response:
    """Delete a member, which they and a host may do."""
    found = _find(request, member)
    if found.key != key_of(request) and not is_host(request):
        raise HTTPException(403, "Only its owner, or the host, can delete a name.")
    if not sure:
        raise HTTPException(422, "Tick the box to confirm, and try again.")
    delete_member(request.app.state.uploads.join(), found.id)
    return RedirectResponse(site_url(request, "/play/people"), 303, NO_STORE)


def _find(request: Request, member: str) -> Member:
    found = find_member(store_of(request), member=member[:40])
    if found is None:
        raise NotFoundError("This person does not exist, or has deleted their name.")
    return found


def _me(request: Request) -> Member:
    member = member_of(request)
    if member is None:
        raise HTTPException(403, "Sign in with your link first.")
    return member

"""Pages from templates: one environment, escaped throughout, with the few filters that pages share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"


def make_environment() -> Environment:
    """The templates, with every text escaped that is not markup of our own."""
    environment = Environment(loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.lstrip_blocks = True
    environment.filters["segment"] = lambda text: quote(str(text), safe="")
    environment.filters["percent"] = lambda share: f"{share:.1%}"
    environment.filters["when"] = lambda moment: moment.strftime("%Y-%m-%d %H:%M") if isinstance(moment, datetime) else str(moment)
    return environment


_ENVIRONMENT: Final = make_environment()


def page(template: str, **values: object) -> str:
    """A page's HTML. ``title`` is the server's; all that a template names has to be given."""
    return _ENVIRONMENT.get_template(template).render(values)


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: object
) -> HTMLResponse:
    """The answer to a request for a page."""
    settings = request.app.state.settings
    return HTMLResponse(page(template, settings=settings, path=request.url.path, **values), status, headers)

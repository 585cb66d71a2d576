"""What fits the pages of a code host to the site: lists and links as MkDocs wants them, and pages made of what lies outside docs/.

MkDocs calls the functions named ``on_...``. The site's looks and its navigation are in mkdocs.yml.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).parent.parent
EXAMPLES: Final = "reference/examples.md"
_LANGUAGES: Final = {".py": "python", ".toml": "toml", ".c": "c", ".js": "js", "": "make"}
_FENCE: Final = re.compile(r" *(```+|~~~+)")
_ITEM: Final = re.compile(r"( *)([-*+]|\d+\.|[a-z]\.)( +)(?=\S)")
_LINK: Final = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Expand patterns in the navigation."""
    docs = Path(config.docs_dir)
    config.nav = [_expanded(entry, docs) for entry in config.nav or []]
    return config


def _expanded(entry: Any, docs: Path) -> Any:  # what YAML holds
    if not isinstance(entry, dict):
        return entry
    title, inside = next(iter(entry.items()))
    if isinstance(inside, list):
        return {title: [_expanded(each, docs) for each in inside]}
    if "*" in inside:  # the page of the folder first, as its index
        found = sorted(docs.glob(inside), key=lambda path: (path.name != "README.md", path.name))
        return {title: [path.relative_to(docs).as_posix() for path in found]}
    return entry


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made, not written."""
    made: dict[str, Callable[[], str]] = {
        EXAMPLES: examples,
        "reference/command-line.md": command_line,
        "reference/changelog.md": changelog,
        "llms.txt": llms,
    }
    for path, content in made.items():
        files.append(File.generated(config, path, content=content()))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The page as Python-Markdown reads it, with links to files outside docs/ led to where the site shows them."""
    if page.file.src_uri == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    return "\n".join(_links_led(line, page.file.src_uri) if is_text else line for line, is_text in spaced(markdown))


def spaced(markdown: str) -> Iterator[tuple[str, bool]]:
    """The lines, each with whether it is text and not code, with the blanks that Python-Markdown needs and code hosts don't.

    Lists and tables begin after a blank line, and each level of a list is indented by four.
    """
    levels: list[int] = []  # by depth, the column where the text of the list's items begins
    fence, shift, before = "", 0, ""
    for line in markdown.split("\n"):
        opening = _FENCE.match(line)
        if fence or opening:
            if opening and not fence:
                fence = opening[1]
            elif opening and opening[1] == fence:
                fence = ""
            yield " " * shift + line if line else line, False
            before = line
            continue
        item, indent, was_list = _ITEM.match(line), len(line) - len(line.lstrip()), bool(levels)
        if item or not before.strip():
            while levels and line.strip() and indent < levels[-1]:
                levels.pop()
        shift = 4 * len(levels) - (levels[-1] if levels else 0)
        if item and before.strip() and not was_list:
            yield "", True
        if line.startswith("|") and before.strip() and not before.startswith("|"):
            yield "", True
        yield " " * shift + line if line.strip() else "", True
        if item:
            levels.append(item.end())
        before = line


def _links_led(line: str, page: str) -> str:
    def led(match: re.Match[str]) -> str:
        target = match[2]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
        if "://" in target or not path.startswith(".."):
            return match[0] if path != "adr" else f"{match[1]}adr/README.md"
        outside = posixpath.normpath(posixpath.join("docs", path))
        places = {"CHANGELOG.md": "reference/changelog.md", "README.md": "index.md", "llms.txt": "llms.txt"}
        here = posixpath.dirname(page) or "."
        if outside in places:
            return match[1] + posixpath.relpath(places[outside], here) + (match[3] or "")
        if outside.startswith("examples/"):
            return f"{match[1]}{posixpath.relpath(EXAMPLES, here)}#{_anchor(_section(outside.removeprefix('examples/')))}"
        raise PluginError(f"docs/{page} links to {target}, which the site does not show; see docs/site_hooks.py")

    return _LINK.sub(led, line)


def _anchor(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower())


def changelog() -> str:
    """The changelog of the project."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def llms() -> str:
    """The overview for language models (llmstxt.org), with links to the pages of the site."""
    return re.sub(r"\]\(docs/([^)]+)\.md\)", r"](\1.html)", (ROOT / "llms.txt").read_text(encoding="utf-8"))


def _section(name: str) -> str:
    """Return which example a file in ``examples/`` belongs to: itself, or the folder that is one."""
    first, *more = name.split("/")
    return "/".join([first, *more[:1]] if first == "games" else [first])


def examples() -> str:
    """A page with the text of every example but replays."""
    parts = ["# Examples\n\nWhat lies in `examples/` of the project. Tests run all of it.\n"]
    folder = ROOT / "examples"
    for path in sorted([*folder.iterdir(), *(folder / "games").iterdir()]):
        if path.suffix == ".json" or path.name == "games":
            continue
        inside = sorted(file for file in path.rglob("*") if _is_source(file)) if path.is_dir() else [path]
        name = path.relative_to(folder).as_posix()
        parts.append(f"## {name} {{ #{_anchor(name)} }}\n")
        for file in inside:
            parts += [f"`{file.relative_to(path).as_posix()}`:\n"] if path.is_dir() else []
            text = file.read_text(encoding="utf-8").rstrip()
            parts.append(f"````{_LANGUAGES.get(file.suffix, 'text')}\n{text}\n````\n")
    return "\n".join(parts)


def _is_source(file: Path) -> bool:
    """Whether a file belongs to an example, and is not left by its installation."""
    return (
        file.suffix in _LANGUAGES
        and file.is_file()
        and not any(part == "build" or part.startswith("__") or part.endswith(".egg-info") for part in file.parts)
    )


def command_line() -> str:
    """The reference of the program ``arena``, as Typer writes it, with whole sentences in the list of commands."""
    command = [sys.executable, "-m", "typer", "arena.cli.app", "utils", "docs", "--name", "arena", "--title", "Command line"]
    text = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout  # noqa: S603  # a command of our own
    said = dict(re.findall(r"^#+ `arena (.+)`\n\n(.+)", text, re.MULTILINE))
    text = re.sub(r'(?:^<span style="[^"]*">.+</span>\n)+', _shown, text, flags=re.MULTILINE)
    section, lines = "", []
    for line in text.split("\n"):
        if heading := re.match(r"#+ `arena ?(.*)`", line):
            section = heading[1]
        if listed := re.match(r"\* `([\w-]+)`: .+", line):
            name = f"{section} {listed[1]}".strip()
            if name in said:
                line = f"* [`{name}`](#arena-{name.replace(' ', '-')}): {said[name]}"  # noqa: PLW2901  # the line is replaced
        lines.append(line)
    return "\n".join(lines)


def _shown(match: re.Match[str]) -> str:
    """Examples of a command, which its help shows dim, as a block of code."""
    commands = re.findall(r">(.+)</span>", match[0])
    return "```sh\n" + "\n".join(map(unescape, commands)) + "\n```\n"

"""Prints how large the program is: lines, modules, classes, commands, routes, tables, tests, words of documentation, scripts, dependencies.

make size
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("engine", "bots", "leaderboard", "arena")
sys.path.insert(0, str(ROOT))


def files(folder: str, *endings: str) -> list[Path]:
    """Return the files below a folder with one of these endings."""
    return sorted(path for ending in endings for path in (ROOT / folder).rglob(f"*{ending}") if "__pycache__" not in path.parts)


def lines(paths: list[Path]) -> int:
    """Count the lines of files."""
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def words(paths: list[Path]) -> int:
    """Count the words of files, as wc does."""
    return sum(len(path.read_text(encoding="utf-8").split()) for path in paths)


def leaves(command: click.Command, context: click.Context) -> Iterator[click.Command]:
    """Yield the commands that do something, not the groups."""
    if not hasattr(command, "list_commands"):  # the groups of Typer need not be click's
        yield command
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        yield from leaves(found, click.Context(found, parent=context))


def routes(trees: list[ast.Module]) -> int:
    """Count the functions that answer HTTP requests, each with its method and address."""
    decorators = [
        each
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for each in node.decorator_list
    ]
    calls = [each.func for each in decorators if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)]
    return sum(call.attr in {"get", "post", "put", "patch", "delete", "head"} for call in calls)


def main() -> None:
    """Print the table."""
    from typer.main import get_command  # noqa: PLC0415

    from arena.cli.app import app  # noqa: PLC0415
    from leaderboard.storage import tables  # noqa: PLC0415

    sources = {package: files(package, ".py") for package in PACKAGES}
    modules = [path for paths in sources.values() for path in paths]
    program = get_command(app)
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules]
    commands = list(leaves(program, click.Context(program)))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = {f"lines of {package}": lines(paths) for package, paths in sources.items()}
    rows |= {
        "lines of all four": lines(modules),
        "modules": len(modules),
        "classes": sum(isinstance(node, ast.ClassDef) for tree in trees for node in ast.walk(tree)),
        "leaf commands": len(commands),
        "their parameters": sum(parameter.name != "help" for command in commands for parameter in command.params),
        "HTTP routes": routes(trees),
        "SQL tables": len(tables.SQLModel.metadata.tables),
        "lines of tests": lines(files("tests", ".py")),
        "words of README and docs": words([ROOT / "README.md", *files("docs", ".md")]),
        "lines of JavaScript": lines([path for path in files("arena", ".js") if "vendor" not in path.parts]),
        "required dependencies": len(project["dependencies"]),
    }
    shown = Table("what", "how many", box=None)
    shown.columns[1].justify = "right"
    for what, count in rows.items():
        shown.add_row(what, f"{count:,}")
    Console().print(shown)


main()

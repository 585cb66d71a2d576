"""Lists all failing imports of a bot's file at once, with where this program's names are now (``broken_imports``)."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Final

from bots.loader.suggestions import did_you_mean
from engine.text import one_line

_OURS: Final = ("engine", "bots", "arena")


def broken_imports(code: str) -> str:
    """Return the end of a sentence on a file that can't be imported, listing the failing imports at its top; empty unless several fail."""
    broken = [f"line {line}: {what}" for line, what in _broken(ast.parse(code))]
    return one_line(f"; {len(broken)} of its imports fail: {', '.join(broken)}") if len(broken) > 1 else ""


def _broken(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:  # what is in a try statement may fail
        if isinstance(node, ast.Import):
            for alias in node.names:
                if not _is_there(alias.name):
                    yield node.lineno, f"no module {alias.name}{_moved_to(alias.name)}"
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if not _is_there(node.module):
                yield node.lineno, f"no module {node.module}{_moved_to(node.module)}"
            elif node.module.partition(".")[0] in _OURS:
                for alias in node.names:
                    if alias.name != "*" and not _has(node.module, alias.name):
                        yield node.lineno, f"no {alias.name} in {node.module}{_found_in(node.module, alias.name)}"


def _is_there(module: str) -> bool:
    """Return whether a module of this program can be imported; for any other module, whether its package exists, without running it."""
    top = module.partition(".")[0]
    try:
        if top in _OURS:
            importlib.import_module(module)
        return top in sys.stdlib_module_names or find_spec(top) is not None
    except (ImportError, ValueError):
        return False


def _has(module: str, name: str) -> bool:
    return hasattr(sys.modules[module], name) or _is_there(f"{module}.{name}")


def _loaded() -> list[str]:
    return sorted((name for name in sys.modules if name.partition(".")[0] in _OURS), key=lambda name: (name.count("."), name))


def _moved_to(module: str) -> str:
    """Return the module of ours that has the same last name."""
    last = module.rpartition(".")[2]
    other = next((name for name in _loaded() if name.rpartition(".")[2] == last), None)
    return f" (it is {other})" if other and module.partition(".")[0] in _OURS else ""


def _found_in(module: str, name: str) -> str:
    """Return where a name is now, or the name that was probably meant."""
    other = next((each for each in _loaded() if hasattr(sys.modules[each], name)), None)
    if other is not None:
        return f" (it is in {other})"
    hint = did_you_mean(name, [each for each in vars(sys.modules[module]) if not each.startswith("_")], "")
    return f" ({hint.removeprefix('; ')})" if hint else ""

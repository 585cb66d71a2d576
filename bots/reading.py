"""What a bot's source tells by reading it: its class, and what it is made of. No line of a stranger's code is run in the host's process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def find_classes(code: str, filename: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the classes at the top of a module, and of those among them that have ``choose``. Raises SyntaxError and ValueError.

    A class has it if it or a class it inherits from defines it; one that inherits from elsewhere counts if no other is found.
    """
    classes = {node.name: node for node in _top(ast.parse(code, filename)) if isinstance(node, ast.ClassDef)}
    sure = tuple(name for name in classes if _has_choose(name, classes))
    maybe = tuple(name for name, node in classes.items() if any(_name(base) not in classes for base in node.bases))
    return tuple(classes), sure or maybe


def find_sources(path: Path, package: str) -> tuple[Path, ...]:
    """The file of a module and those of the modules beside it that it imports, and they in turn, by ``import`` statements; sorted.

    ``package`` is the dotted name of the package that the file's folder is. Raises SyntaxError and OSError.
    """
    found: set[Path] = set()
    left = [path]
    while left:
        file = left.pop()
        if file not in found:
            found.add(file)
            names = _imported(ast.parse(file.read_bytes(), str(file)), package)
            left += [beside for name in names if (beside := path.with_name(f"{name}.py")).is_file()]
    return tuple(sorted(found))


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The names within the package that a module imports, as far as its statements tell: modules, and what else there is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            dotted = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = ".".join(filter(None, (package if node.level == 1 else "", node.module)))
            dotted = [origin, *(f"{origin}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (name.removeprefix(f"{package}.").partition(".")[0] for name in dotted if name.startswith(f"{package}."))


def _top(tree: ast.AST) -> Iterator[ast.AST]:
    """What stands at the top of a module, or there under if, try or with."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With | ast.ExceptHandler):
            yield from _top(node)


def _has_choose(name: str, classes: dict[str, ast.ClassDef], seen: frozenset[str] = frozenset()) -> bool:
    if name in seen or name not in classes:
        return False
    node = classes[name]
    if any(_defines(each) for each in node.body):
        return True
    return any(_has_choose(_name(base), classes, seen | {name}) for base in node.bases)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.FunctionDef):
        return node.name == "choose"
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == "choose" for target in targets)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)

"""Reads a bot's files without running them, and finds its class and its imports.

Parsing a stranger's source or archive can take any amount of time and memory, so `bots.loader.apart` does it in a process with limits. This
module and the modules that it imports need only the standard library.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import Final, NoReturn

from bots.limits import fitting_name
from bots.loader.archive import LARGEST_FILE, MOST_BYTES, BundleError, largest_file, mebibytes
from bots.loader.manifest import WASM, Bundle, is_bundle, module_bundle, read_bundle

LARGEST_SOURCE: Final = 4 << 20
"""The size of the largest source that is searched for a class, in bytes."""


class UnreadableError(ValueError):  # not an ArenaError, since the engine needs more than the standard library
    """A bot can't be read. The message consists of ``before``, ``detail`` and ``after``; only ``detail`` may contain text from the bot."""

    def __init__(self, before: str, detail: str = "", after: str = "") -> None:
        super().__init__(f"{before}{detail}{after}")
        self.before, self.detail, self.after = before, detail, after


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read of a bot: the name of its class, if it has one, and either the ``code`` of a single file or a ``bundle`` of files."""

    class_name: str
    code: str | None = None
    bundle: Bundle | None = None


def read_bot(path: Path, class_name: str, shown: str, most: int = MOST_BYTES) -> Reading:
    """Read the bot in a file, folder or archive of at most ``most`` bytes. Errors call the bot ``shown``. Raises UnreadableError."""
    if path.name.endswith(WASM) and not path.is_dir():
        content = _content(path, shown, largest_file(most), "does it have to be built first?")
        return Reading("", bundle=module_bundle(fitting_name(path.name.removesuffix(WASM)), content))
    if not is_bundle(path):
        code = read_code(path, shown, most)
        return Reading(class_name or sole_class(code, shown, path.name), code)
    try:
        bundle = read_bundle(path, most)
    except BundleError as error:
        raise UnreadableError(f"the bot {shown}: ", str(error)) from None
    module, _, listed = bundle.entry.partition(":")
    if class_name or (module and not listed):
        source = dict(bundle.files)[bundle.entry_file].decode(errors="replace")
        listed = class_name or sole_class(source, f"{shown}/{bundle.entry_file}", bundle.entry_file)
    return Reading(listed, bundle=bundle)


def read_code(path: Path, shown: str, most: int = MOST_BYTES) -> str:
    """Return the source in a Python file of at most ``most`` bytes. Errors call the file ``shown``. Raises UnreadableError."""
    content = _content(path, shown, min(LARGEST_FILE, most), f"'arena new {path.name}' creates a bot to start from")
    try:
        return decode_source(content)
    except (UnicodeDecodeError, SyntaxError) as error:  # SyntaxError: the encoding that its first lines declare is unknown
        raise UnreadableError("the bot file ", shown, f" can't be read as text: {error}") from None


def _content(path: Path, shown: str, largest: int, missing: str) -> bytes:
    """Return the content of a file. Raises UnreadableError, with the advice ``missing`` if there is no such file."""
    try:
        if path.exists() and not path.is_file() and not path.is_fifo():
            raise UnreadableError(f"the bot file {shown} is not a regular file")
        with path.open("rb") as file:
            content = file.read(largest + 1)
    except FileNotFoundError:
        raise UnreadableError(f"there is no file {shown}; {missing}") from None
    except OSError as error:
        raise UnreadableError(f"the bot file {shown} can't be read: {error.strerror}") from None
    except UnreadableError:
        raise
    except ValueError as error:  # a NUL in the path
        raise UnreadableError("the bot file ", shown, f" can't be read: {error}") from None
    if len(content) > largest:
        raise UnreadableError(f"the bot file {shown} is larger than {mebibytes(largest)}")
    return content


def sole_class(code: str, shown: str, file: str) -> str:
    """Return the name of the only class of a bot in a module's source. Raises UnreadableError if there are none or several."""
    if len(code) > LARGEST_SOURCE:
        raise UnreadableError(f"the source {shown} is larger than {LARGEST_SOURCE >> 20} MiB; move its data to a separate file next to it")
    try:
        classes, bots = find_classes(code, shown)
    except SyntaxError as error:
        line = f" (line {error.lineno})" if error.lineno else ""
        raise UnreadableError(f"the bot {shown} can't be imported: ", str(error.msg), line) from None
    except (RecursionError, MemoryError):  # Python's parser raises either for deep nesting
        raise UnreadableError(f"the bot {shown} can't be read: it is nested too deeply, or takes too much memory") from None
    except ValueError as error:
        raise UnreadableError(f"the bot {shown} can't be read: ", str(error)) from None
    return bots[0] if len(bots) == 1 else not_one(classes, bots, shown, file)


def not_one(classes: Sequence[str], bots: Sequence[str], shown: str, file: str) -> NoReturn:
    """Raise UnreadableError for a module that has the given ``classes`` and, among them, several ``bots`` or none."""
    if bots:
        raise UnreadableError(f"{shown} has several bots; choose one: ", " or ".join(f"{file}:{key}" for key in bots))
    if len(classes) == 1:
        raise UnreadableError(f"{shown} is not a bot: its class ", classes[0], " lacks the method 'choose(self, view, clock)'")
    raise UnreadableError(f"{shown} is not a bot: it has no class with a method 'choose(self, view, clock)'")


def find_classes(code: str, filename: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of a module's top-level classes, and the names of those with ``choose``. Raises SyntaxError and ValueError.

    A class has ``choose`` if the class or one of its bases in the module defines that method. If no class has it, the classes with bases
    from outside the module are returned instead, since they may inherit it.
    """
    classes = {node.name: node for node in _top(ast.parse(code, filename)) if isinstance(node, ast.ClassDef)}
    sure = tuple(name for name in classes if _has_choose(name, classes))
    maybe = tuple(name for name, node in classes.items() if any(_name(base) not in classes for base in node.bases))
    return tuple(classes), sure or maybe


def find_imports(path: Path, shown: str, most: int = MOST_BYTES) -> tuple[str, ...]:
    """Return the names of the top-level modules that a bot imports, without the standard library and the bot's own modules.

    Sources that can't be parsed are skipped. Raises UnreadableError for a bot that can't be read.
    """
    if is_bundle(path):
        try:
            files = {file: content.decode(errors="replace") for file, content in read_bundle(path, most).files if file.endswith(".py")}
        except BundleError as error:
            raise UnreadableError(f"the bot {shown}: ", str(error)) from None
    else:
        files = {"": read_code(path, shown, most)}
    own = {file.partition("/")[0].removesuffix(".py") for file in files}
    imported = {name for source in files.values() for name in _imported_tops(source)}
    return tuple(sorted(imported - own - sys.stdlib_module_names))


def _imported_tops(source: str) -> Iterator[str]:
    try:
        tree = ast.parse(source if len(source) <= LARGEST_SOURCE else "")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def find_sources(path: Path, package: str) -> tuple[Path, ...]:
    """Return the file at ``path`` and the files of all modules that it imports from its own package, directly or indirectly, sorted.

    ``package`` is the dotted name of this package. Raises SyntaxError and OSError.
    """
    root = path.parent
    sources: set[Path] = set()
    left = [path]
    while left:
        file = left.pop()
        if file not in sources:
            sources.add(file)
            within = ".".join((package, *file.relative_to(root).parent.parts))
            left += (part for name in _imported(ast.parse(file.read_bytes(), str(file)), within) for part in _files_of(name, root, package))
    return tuple(sorted(sources))


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Yield the dotted names in a module's import statements: modules, and names imported from modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: package.count(".") + 2 - node.level]) if node.level else ""
            origin = ".".join(filter(None, (above, node.module)))
            yield origin
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def _files_of(name: str, root: Path, package: str) -> Iterator[Path]:
    """Yield the package's files that run when the name is imported, including the files of its parent packages."""
    if not name.startswith(f"{package}."):
        return
    place = root
    for part in name.removeprefix(f"{package}.").split("."):
        place = place / part
        for file in (place.with_name(f"{part}.py"), place / "__init__.py"):
            if file.is_file():
                yield file


def _top(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the top-level statements of a module, including statements within a top-level if, try or with."""
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
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):  # an async method is reported when the bot plays
        return node.name == "choose"
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(target, ast.Name) and target.id == "choose" for target in targets)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)

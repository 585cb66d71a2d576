"""Chooses whether the engine runs compiled or as plain Python. setup.py compiles it and records the hashes of the compiled sources.

Python prefers a compiled module to the source next to it, even if the source has been edited since. So the choice is made here for all
modules together, before any of them is imported; the compiled form is used only if no source has changed since it was compiled.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import source_hash
from pathlib import Path
from typing import Final

SETTING: Final = "ARENA_ENGINE"
"""The environment variable that selects plain Python (``plain``) or the compiled engine (``compiled``; an error if there is none)."""
_NOTE: Final = f"compiled{EXTENSION_SUFFIXES[0].removesuffix('.so').removesuffix('.pyd')}.json"
_HOW: Final = "for more speed, install a C compiler and Python's headers, then reinstall this package (in a checkout: 'make compile')"
_PACKAGES: Final = (f"{__package__}.", "bots.reference.")
"""The packages with compiled modules: setup.py compiles the engine and the reference bots' most expensive modules."""


@dataclass(frozen=True, slots=True)
class Form:
    """Whether the engine in use is compiled; ``reason`` says why and, for plain Python, how to get the compiled engine."""

    is_compiled: bool
    reason: str


class _PlainFinder:
    """Finds the sources of modules in ``_PACKAGES``, even if compiled modules exist."""

    def find_spec(self, name: str, path: list[str] | None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module in ``_PACKAGES``, or None for any other module."""
        if not path or not name.startswith(_PACKAGES):
            return None
        return FileFinder(path[0], (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)


def choose() -> Form:
    """Choose between compiled and plain Python for this process; call it before any other module of the package is imported.

    Raises ImportError if the setting has an unknown value, or requires a compiled engine and there is none.
    """
    setting = os.environ.get(SETTING, "")
    if setting not in {"", "plain", "compiled"}:
        raise ImportError(f"{SETTING} must be 'plain' or 'compiled', not '{setting}'")
    form = Form(is_compiled=False, reason=f"{SETTING}=plain is set") if setting == "plain" else _form_of(Path(__file__).parent)
    if setting == "compiled" and not form.is_compiled:
        raise ImportError(f"{SETTING}=compiled is set, but there is no compiled engine: {form.reason}")
    if not form.is_compiled:
        sys.meta_path.insert(0, _PlainFinder())  # type: ignore[arg-type]  # it has the one method that an import needs
    return form


def _form_of(folder: Path) -> Form:
    try:
        note = json.loads((folder / _NOTE).read_bytes())
    except FileNotFoundError:
        return Form(is_compiled=False, reason=f"it was not compiled; {_HOW}")
    if "failed" in note:
        return Form(is_compiled=False, reason=f"{note['failed']}; {_HOW}")
    for module, known in note["sources"].items():
        path = folder.parent.joinpath(*module.split(".")).with_suffix(".py")
        if not path.exists() or source_hash(path.read_bytes()).hex() != known:
            return Form(is_compiled=False, reason=f"{module} has been edited since it was compiled; 'make compile' compiles it again")
    return Form(is_compiled=True, reason="compiled by mypyc from the sources next to it")

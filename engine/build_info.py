"""Chooses which form of the engine runs, compiled or plain Python, and says why. setup.py compiles, and records the compiled sources.

Python prefers a compiled module to the source beside it, even where the source has been edited since. So the form is chosen here, for all
modules together, before the first of them is imported: compiled only if every source is the one that was compiled.
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
"""The environment variable that selects a form: ``plain``, or ``compiled``, which fails if the compiled form is not available."""
_NOTE: Final = f"compiled{EXTENSION_SUFFIXES[0].removesuffix('.so').removesuffix('.pyd')}.json"
_HOW: Final = "for more speed install a C compiler and Python's headers, then this package again ('make compile' in a checkout)"
_PACKAGES: Final = (f"{__package__}.", "bots.reference.")
"""The packages with compiled modules: setup.py compiles the engine and the reference bots' most expensive modules."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form that runs; ``reason`` says why, and how to get the compiled one."""

    is_compiled: bool
    reason: str


class _PlainFinder:
    """Finds the sources of modules of ``_PACKAGES``, even where compiled ones exist."""

    def find_spec(self, name: str, path: list[str] | None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module of ``_PACKAGES``, None for any other."""
        if not path or not name.startswith(_PACKAGES):
            return None
        return FileFinder(path[0], (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name)


def choose() -> Form:
    """Choose the form for this process; call it before any other module of the package is imported.

    Raises ImportError if the setting is unknown or asks for a form that is not available.
    """
    setting = os.environ.get(SETTING, "")
    if setting not in {"", "plain", "compiled"}:
        raise ImportError(f"{SETTING} is '{setting}'; it may be plain or compiled")
    form = Form(is_compiled=False, reason=f"{SETTING}=plain asks for it") if setting == "plain" else _form_of(Path(__file__).parent)
    if setting == "compiled" and not form.is_compiled:
        raise ImportError(f"{SETTING}=compiled, but the engine is plain Python: {form.reason}")
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
            return Form(is_compiled=False, reason=f"{module} was edited since the engine was compiled; 'make compile' compiles it again")
    return Form(is_compiled=True, reason="compiled by mypyc from the sources beside it")

"""Imports a bot's modules from the files it travels with, in memory: a locked-down process can open no file."""

from __future__ import annotations

import importlib
import linecache
import pkgutil  # noqa: F401  # for bots that read data with it in a process that can import nothing new
import sys
import traceback
from collections.abc import Mapping, Sequence
from importlib.abc import InspectLoader, MetaPathFinder, ResourceLoader
from importlib.machinery import ModuleSpec
from types import ModuleType

from bots.child.bundle_files import BundleFiles


class _Files(MetaPathFinder, ResourceLoader, InspectLoader):
    """Finds modules among files; ``import helpers`` finds ``helpers.py`` or ``helpers/__init__.py``."""

    def __init__(self, files: Mapping[str, bytes], origin: str) -> None:
        self._files = files
        self.origin = origin

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        file = self._file_of(fullname)
        if file is None:
            return None
        spec = ModuleSpec(fullname, self, origin=self._shown(file), is_package=self.is_package(fullname))
        spec.has_location = True
        return spec

    def _file_of(self, fullname: str) -> str | None:
        stem = fullname.replace(".", "/")
        return next((file for file in (f"{stem}.py", f"{stem}/__init__.py") if file in self._files), None)

    def _shown(self, file: str) -> str:
        return f"<{self.origin}>/{file}"

    def is_package(self, fullname: str) -> bool:
        return (self._file_of(fullname) or "").endswith("/__init__.py")

    def get_source(self, fullname: str) -> str:
        file = self._file_of(fullname)
        if file is None:
            raise ImportError(f"the bot has no module {fullname}", name=fullname)
        return self._files[file].decode().removeprefix("\ufeff")

    def get_data(self, path: str | bytes) -> bytes:
        """A file that lies beside the modules: ``pkgutil.get_data(__name__, "weights.bin")``."""
        file = str(path).removeprefix(self._shown(""))
        if file not in self._files:
            raise FileNotFoundError(f"the bot has no file {file}")
        return self._files[file]

    def exec_module(self, module: ModuleType) -> None:
        source = self.get_source(module.__name__)
        filename = str(module.__file__)
        linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
        exec(compile(source, filename, "exec"), vars(module))  # noqa: S102  # running the contestant's file is the point


def import_from(files: Mapping[str, bytes], module: str, origin: str) -> ModuleType:
    """Import a module from these files, which from now on take precedence in this process. Raises whatever the bot raises."""
    if not any(isinstance(finder, _Files) and finder.origin == origin for finder in sys.meta_path):
        sys.meta_path.insert(0, _Files(files, origin))
        BundleFiles(files, f"<{origin}>").serve()
    return importlib.import_module(module)


def place_of(error: BaseException, origin: str) -> str:
    """Return where in the bot's files an exception came from, as " (file, line 3)", or nothing if not from them."""
    start = f"<{origin}>/"
    frames = traceback.extract_tb(error.__traceback__)
    places = [(frame.filename.removeprefix(start), frame.lineno) for frame in frames if frame.filename.startswith(start)]
    return f" ({places[-1][0]}, line {places[-1][1]})" if places else ""

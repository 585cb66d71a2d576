"""The versions of constraints.txt can be installed on every Python that is promised."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = [line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if "==" in line]
PROMISED = [
    f"{line.removeprefix('Programming Language :: Python :: ')}.{patch}"
    for line in PROJECT["classifiers"]
    if line.startswith("Programming Language :: Python :: 3.")
    for patch in (0, 2)  # 3.11.2 is Debian 12's
]


def installed(name: str, version: str) -> str | None:
    """Return which Pythons a version says that it needs, if it is the installed one."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return None
    if found.version != version:
        return None
    return (found.metadata.get_all("Requires-Python") or [""])[0]


@pytest.mark.parametrize("python", PROMISED)
def test_every_pinned_version_takes_every_promised_python(python):
    said = {name: installed(name, version) for name, version in PINS}
    known = {name: needed for name, needed in said.items() if needed is not None}
    assert len(known) > 60, f"only {len(known)} of the pinned versions are installed, so this proves nothing"
    assert {name: needed for name, needed in known.items() if python not in SpecifierSet(needed)} == {}

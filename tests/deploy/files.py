"""The files of deploy/ as data: units, services, and the steps of the Dockerfile."""

from __future__ import annotations

import configparser
import fnmatch
import shlex
from pathlib import Path
from typing import Any, NamedTuple

import yaml  # type: ignore[import-untyped]

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))


def read_unit(path: Path) -> configparser.ConfigParser:
    """A unit; each of its keys is there once."""
    unit = configparser.ConfigParser(strict=True, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(path.read_text(encoding="utf-8"))
    return unit


def command_of(unit: configparser.ConfigParser) -> list[str]:
    """The arguments of ``arena`` in the unit's ExecStart."""
    program, *arguments = shlex.split(unit["Service"]["ExecStart"])
    assert program == "/opt/arena/bin/arena"
    return arguments


def read_compose() -> dict[str, Any]:
    """The compose file."""
    composed: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return composed


class Step(NamedTuple):
    """An instruction of a Dockerfile, with what follows it; ``stage`` counts from 0."""

    stage: int
    name: str
    rest: str


KNOWN = {"FROM", "RUN", "COPY", "WORKDIR", "ENV", "USER", "ENTRYPOINT", "CMD"}


def read_dockerfile() -> list[Step]:
    """The steps, in order. Fails for an instruction that no test knows."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    steps: list[Step] = []
    stage = -1
    for line in filter(None, (line.strip() for line in text.splitlines() if not line.startswith("#"))):
        name, _, rest = line.partition(" ")
        assert name in KNOWN, line
        stage += name == "FROM"
        steps.append(Step(stage, name, rest))
    return steps


def sent_files() -> list[Path]:
    """The files of the sources that a build is sent, relative to the root: ``Dockerfile.dockerignore`` leaves out everything else."""
    patterns = [line for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert patterns.pop(0) == "*"
    tops = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    refused = [pattern.removeprefix("**/") for pattern in patterns if not pattern.startswith("!")]
    found: list[Path] = []
    for top in tops:
        assert (ROOT / top).exists(), f"Dockerfile.dockerignore names {top}, which is not there"
        paths = (ROOT / top).rglob("*") if (ROOT / top).is_dir() else [ROOT / top]
        found += [path.relative_to(ROOT) for path in paths if path.is_file()]
    return [path for path in found if not any(_matches(path, pattern) for pattern in refused)]


def _matches(path: Path, pattern: str) -> bool:
    return fnmatch.fnmatch(str(path), pattern) or any(fnmatch.fnmatch(part, pattern) for part in path.parts)

"""Bots in other languages, at every level that runs them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots.errors import SandboxError
from bots.limits import Level, Limits
from bots.sandbox.child import ExitKind
from bots.sandbox.spawn import Sandbox
from tests.bots.sandbox.stage import read_line, read_some, started

ABOVE_L1 = (Level.L3, Level.L2)
RUNS_COMMANDS = (Level.L3, pytest.param(Level.L2, marks=pytest.mark.slow), Level.L0)


@pytest.fixture(scope="module", params=RUNS_COMMANDS, ids=str)
def commands(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with started(request.param, preload=("engine.registry",)) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A compiled program that repeats what it reads."""
    source = tmp_path_factory.mktemp("echo") / "bot.c"
    source.write_text("#include <stdio.h>\nint main(void){char b[99];while(fgets(b,99,stdin)){fputs(b,stdout);fflush(stdout);}return 3;}")
    subprocess.run(["cc", "-o", source.with_suffix(""), source], check=True)
    return source.with_suffix("").read_bytes()


@pytest.mark.slow
def test_a_command_gets_its_files_and_nothing_it_can_write(commands: Sandbox) -> None:
    script = "read line < sub/data.txt; echo $line; read line; echo $line; (echo x > mine) 2>/dev/null || echo refused; cd sub && echo in"
    with commands.spawn_command(["sh", "-c", script], {"sub/data.txt": b"from a file\n"}) as child:
        os.write(child.stdin_fd, b"from the host\n")
        ended = child.wait(60)
        said = read_some(child.stdout_fd, 1)
    assert ended is not None
    assert said is not None
    assert said.splitlines()[:2] == [b"from a file", b"from the host"]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_bot_in_c_plays(commands: Sandbox, echo: bytes) -> None:
    with commands.spawn_command(["./bot"], {"bot": echo}) as child:
        os.write(child.stdin_fd, b"ping\n")
        assert read_line(child) == b"ping\n"
        assert child.cpu_seconds() > 0
        child.close_stdin()
        ended = child.wait(60)
    assert ended is not None
    assert ended.number == 3


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")
def test_a_bot_in_javascript_plays_and_is_locked_down(commands: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    source = textwrap.dedent("""
        const tried = {};
        const deeds = {
            read: () => require('fs').readFileSync('/etc/passwd'),
            write: () => require('fs').writeFileSync('FOLDER/written', ''),
            exec: () => require('child_process').execFileSync('/bin/true'),
        };
        for (const [name, deed] of Object.entries(deeds)) {
            try { deed(); tried[name] = true; } catch (error) { tried[name] = false; }
        }
        console.log(JSON.stringify(tried));
    """)
    with commands.spawn_command(["node", "bot.js"], {"bot.js": source.replace("FOLDER", str(tmp_path)).encode()}) as child:
        tried = json.loads(read_line(child))
    if commands.level > Level.L0:
        assert tried == {"read": False, "write": False, "exec": False}


@pytest.mark.slow
def test_a_command_that_floods_memory_is_stopped() -> None:
    for level in ABOVE_L1:
        limits = Limits(memory=64 << 20)
        with started(level, preload=("engine.registry",), limits=limits) as sandbox:
            script = "x=0123456789; while :; do x=$x$x; done"
            with sandbox.spawn_command(["sh", "-c", script], {}) as child:
                ended = child.wait(120)
            assert ended is not None
            assert (ended.kind, ended.number) != (ExitKind.EXITED, 0)


def test_a_program_that_is_not_there_is_refused_by_name() -> None:
    with Sandbox(Level.L0) as sandbox, pytest.raises(SandboxError, match="the program 'nonesuch' is neither"):
        sandbox.spawn_command(["nonesuch"], {})

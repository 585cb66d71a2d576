"""The files for hosts fit each other and the program."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.deploy.files import DEPLOY, ROOT, UNITS, command_of, read_compose, read_dockerfile, read_unit, sent_files
from tests.docs.pages import blocks_of
from tests.docs.shell import Shell

PAGE = ROOT / "docs" / "hosting-a-ladder.md"

LINES = [line for block in blocks_of(PAGE) if block.language == "sh" for line in block.text.splitlines()]

SERVICES = read_compose()["services"]


class TestCompose:
    @pytest.mark.parametrize("name", ["driver", "web"])
    def test_a_command_is_one_of_this_program(self, name: str) -> None:
        words = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", word) for word in SERVICES[name]["command"]]
        Shell().parse(shlex.join(words))

    def test_only_the_web_server_has_a_port_and_only_for_this_machine(self) -> None:
        assert {name: service["ports"] for name, service in SERVICES.items() if "ports" in service} == {"web": ["127.0.0.1:8000:8000"]}

    def test_the_proxy_that_is_trusted_is_the_gateway(self) -> None:
        network = read_compose()["networks"]["default"]["ipam"]["config"][0]
        words = SERVICES["web"]["command"]
        assert words[words.index("--proxy") + 1] == network["gateway"]

    def test_the_page_writes_every_variable_that_has_no_default(self) -> None:
        wanted = re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text())
        written = {found[1] for line in LINES if (found := re.match(r"echo (\w+)=.*> \.env", line))}
        assert wanted
        assert set(wanted) <= written


class TestUnits:
    @pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
    def test_it_starts_a_command_of_this_program(self, path: Path) -> None:
        Shell().parse(shlex.join(command_of(read_unit(path))))

    @pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
    def test_it_forbids_nothing_that_the_sandbox_of_bots_needs(self, path: Path) -> None:
        service = read_unit(path)["Service"]
        assert not service.keys() & {"RestrictNamespaces", "ProtectHostname", "SystemCallFilter", "MemoryDenyWriteExecute", "PrivateUsers"}

    def test_a_run_that_would_end_in_the_same_way_is_not_started_again(self) -> None:
        from arena.cli.output import Exit
        from arena.run.watch import PausedError

        service = read_unit(DEPLOY / "arena-driver.service")["Service"]
        assert set(map(int, service["RestartPreventExitStatus"].split())) == {Exit.WRONG_INPUT, PausedError.exit_code}
        assert int(service["SuccessExitStatus"]) == Exit.INTERRUPTED
        assert service["Restart"] == "on-failure"

    @pytest.mark.slow  # it starts a program of the system
    @pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze on this machine")
    def test_systemd_finds_no_mistake(self, tmp_path: Path) -> None:
        for path in UNITS:
            text = path.read_text().replace("/opt/arena/bin/arena", "/bin/true").replace("User=arena", "User=daemon")
            (tmp_path / path.name).write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", *tmp_path.glob("*.service")], capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert not done.stderr


class TestDockerfile:
    def test_what_is_copied_is_there_and_sent(self) -> None:
        sent = {str(path) for path in sent_files()}
        for step in read_dockerfile():
            source = step.rest.split()[0]
            if step.name == "COPY" and not source.startswith("--from"):
                assert source == "." or source in sent

    def test_the_last_stage_runs_as_an_ordinary_user_that_it_has_made(self) -> None:
        last = [step for step in read_dockerfile() if step.stage == max(step.stage for step in read_dockerfile())]
        user = next(step.rest for step in last if step.name == "USER")
        assert user != "root"
        assert any(step.name == "RUN" and step.rest == f"useradd --uid 1000 {user}" for step in last)

"""What a build uses is told while its processes come and go."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bots.building.usage import usage_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system tells it on Linux alone")


def test_processes_that_end_while_they_are_looked_at_do_no_harm() -> None:
    script = "i=0; while [ $i -lt 100 ]; do (exit 0) & (exit 0) & (exit 0) & i=$((i+1)); wait; done"
    with subprocess.Popen(["sh", "-c", script]) as process:
        looked = 0
        while process.poll() is None:
            assert usage_of(process.pid).memory >= 0
            looked += 1
    assert looked > 3


def test_a_process_that_has_ended_uses_nothing() -> None:
    with subprocess.Popen(["true"]) as process:
        process.wait()
    assert usage_of(process.pid).memory == 0

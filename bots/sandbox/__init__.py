"""Processes for strangers' bots that can read, change and reach nothing of the host, as far as this machine allows.

`Sandbox` starts them at a `Level`; `probe` and `best_level` find out, by attacking, which levels this machine really offers.
"""

from bots.errors import NotOfferedError, PreparationError, SandboxError, UnfitError
from bots.sandbox.child import Child, Exit, ExitKind
from bots.sandbox.levels import Level
from bots.sandbox.limits import Limits
from bots.sandbox.probe import Attack, LevelReport, Report, best_level, probe
from bots.sandbox.spawn import Sandbox

__all__ = [
    "Attack",
    "Child",
    "Exit",
    "ExitKind",
    "Level",
    "LevelReport",
    "Limits",
    "NotOfferedError",
    "PreparationError",
    "Report",
    "Sandbox",
    "SandboxError",
    "UnfitError",
    "best_level",
    "probe",
]

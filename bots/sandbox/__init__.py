"""Where strangers' bots run: processes that can read, change and reach nothing of the host's, as far as this machine allows."""

from bots.sandbox.child import Child, Exit, ExitKind
from bots.sandbox.levels import Level, NotOfferedError, SandboxError
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
    "Report",
    "Sandbox",
    "SandboxError",
    "best_level",
    "probe",
]

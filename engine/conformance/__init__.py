"""Laws that every game must obey. ``arena game check NAME`` and ``engine.conformance.pytest`` check them on random matches.

The package is never compiled, and no game imports it.
"""

from __future__ import annotations

from engine.conformance.battery import LAWS, Battery, Status, Verdict, tables_of
from engine.conformance.trials import Law, Table, Trial

__all__ = ["LAWS", "Battery", "Law", "Status", "Table", "Trial", "Verdict", "tables_of"]

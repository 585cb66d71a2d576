"""Laws that every game must keep, checked over random games; ``arena game check NAME`` and ``engine.conformance.pytest`` run them.

The package is never compiled, and no game imports it.
"""

from __future__ import annotations

from engine.conformance.battery import LAWS, Battery, Status, Verdict, tables_of
from engine.conformance.trials import Law, Table, Trial

__all__ = ["LAWS", "Battery", "Law", "Status", "Table", "Trial", "Verdict", "tables_of"]

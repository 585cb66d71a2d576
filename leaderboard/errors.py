"""The errors of storage. Each message is one sentence with the problem, the place, and what to do."""

from engine.core.errors import ArenaError


class StoreError(ArenaError):
    """The database can't be used."""


class StorageFaultError(StoreError):
    """The machine or the database's server failed, not the user's input. Data stored before is unchanged."""

    exit_code = 1


class DiskFullError(StorageFaultError):
    """There is no room left."""


class DatabaseUnavailableError(StorageFaultError):
    """The database is locked by another program, or its server is away; trying again later may help."""

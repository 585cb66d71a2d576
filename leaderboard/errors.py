"""The errors of storage. Each message is one sentence that says what is wrong, where, and what to do."""

from engine.core.errors import ArenaError


class StoreError(ArenaError):
    """The database can't be used."""


class StorageFaultError(StoreError):
    """The machine or the database server failed. Data that were already stored are unchanged."""

    exit_code = 1


class DiskFullError(StorageFaultError):
    """The disk is full."""


class DatabaseUnavailableError(StorageFaultError):
    """The database is locked by another program, or its server can't be reached; trying again later may help."""

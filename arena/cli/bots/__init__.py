"""``arena bots`` and ``arena new``: list, create, check, submit and retire bots."""

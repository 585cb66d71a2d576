"""``arena bots`` and ``arena new``: bots listed, made, checked, submitted and retired."""

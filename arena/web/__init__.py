"""The competition in the browser: pages for spectators, and what contestants and players may do there."""

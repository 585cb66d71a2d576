"""Tables at which people play in the browser, with bots and with each other."""

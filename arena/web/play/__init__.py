"""Tables at which people play in the browser, against bots and each other."""

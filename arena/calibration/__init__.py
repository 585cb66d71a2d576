"""How strong the reference bots are, measured by tournaments of their own."""

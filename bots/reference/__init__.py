"""The bots that come with the project, one module each; ``bots.REFERENCE_BOTS`` names them."""

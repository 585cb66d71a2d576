"""Drawing positions, as SVG and for a terminal: what the pictures of all games share."""

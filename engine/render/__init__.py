"""Drawing positions, as SVG and for a terminal: the parts that the pictures of all games share."""

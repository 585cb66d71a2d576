"""Drawing Sunda to Sahul, as SVG and for a terminal."""

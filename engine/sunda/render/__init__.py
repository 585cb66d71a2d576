"""Drawing Sunda to Sahul as SVG and in a terminal."""

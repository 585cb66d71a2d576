"""Drawing Tongiaki, as SVG and for a terminal."""

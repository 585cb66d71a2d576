"""SVG pictures as arrays of pixels."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.environments.needs import explained

WIDTH: Final = 960
HEIGHT: Final = 720
_PAPER: Final = "white"


def pixels(picture: str) -> NDArray[np.uint8]:
    """Return an SVG document as an array of shape (HEIGHT, WIDTH, 3), as large as fits, centred on white.

    All pictures have the same size, so that they can be made into a film. The fonts are those that come with matplotlib, so that
    they look the same on every machine. Raises MissingPackageError without resvg_py.
    """
    with explained("environments"):
        import resvg_py  # noqa: PLC0415  # only pictures need it
        from matplotlib import get_data_path  # noqa: PLC0415  # slow to import
        from PIL import Image  # noqa: PLC0415  # the same
    fonts = str(Path(get_data_path()) / "fonts" / "ttf")
    png = resvg_py.svg_to_bytes(
        picture, width=WIDTH, background=_PAPER, skip_system_fonts=True, font_dirs=[fonts], font_family="DejaVu Sans"
    )
    with Image.open(BytesIO(png)) as opened:
        image = opened.convert("RGB")
    image.thumbnail((WIDTH, HEIGHT))
    sheet = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    sheet.paste(image, ((WIDTH - image.width) // 2, (HEIGHT - image.height) // 2))
    return np.array(sheet, np.uint8)

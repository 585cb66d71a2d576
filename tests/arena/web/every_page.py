"""What must hold of every page in a browser: axe's rules, one heading, nothing wider than the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page

DESK, PHONE = (1440, 900), (360, 740)
NOT_OURS: Final = "Applying inline style violates the following Content Security Policy"
"""What the browser says when axe measures a text within a shadow root."""
AXE: Final = """async (only) => {
  const options = { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } };
  if (only) options.runOnly = { type: "rule", values: [only] };
  const { violations } = await axe.run(document, options);
  return violations.map((it) => `${it.id}: ${it.help}: ${it.nodes.slice(0, 4).map((node) => node.target.flat().join(" ")).join(" | ")}`);
}"""
LOOK: Final = """() => {
  const wide = document.documentElement.scrollWidth - innerWidth, headings = document.querySelectorAll("h1").length;
  const out = [...document.querySelectorAll("*")].find((it) => it.getBoundingClientRect().right > innerWidth && !it.closest(".scroll"));
  const found = headings === 1 ? [] : [`${headings} headings h1`];
  return wide > 0 ? [...found, `${wide} px wider than the window: ${out?.localName}.${out?.getAttribute("class")}`] : found;
}"""


def problems_of(page: Page) -> list[str]:
    """All that is wrong with a loaded page, at a desk and on a phone, light and dark; afterwards it is as at a desk and light."""
    page.wait_for_load_state("networkidle")
    from axe_playwright_python.base import AXE_SCRIPT

    page.evaluate(AXE_SCRIPT)
    found: list[str] = []
    for size in (DESK, PHONE):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            some: list[str] = page.evaluate(LOOK)
            if scheme == "light" or size == DESK:
                some += page.evaluate(AXE, "" if scheme == "light" else "color-contrast")
            found += [f"{size[0]} px, {scheme}: {each}" for each in some]
    page.set_viewport_size({"width": DESK[0], "height": DESK[1]})
    page.emulate_media(color_scheme="light")
    return found

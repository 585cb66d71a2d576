"""What must hold of every page in a browser: axe's rules, contrast, size of targets, one heading, nothing wider than the window."""

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
  const part = (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const light = (color) => {
    const most = color.startsWith("color(srgb") ? 1 : 255; // the former is what color-mix() gives
    const [r, g, b] = color.match(/[\\d.]+/g).map((it) => part(it / most));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const around = (node) => node.parentElement ?? node.getRootNode().host;
  const ground = (node) => {
    const color = node ? getComputedStyle(node).backgroundColor : getComputedStyle(document.documentElement).backgroundColor;
    return node && /^rgba\\(.*, 0\\)$/.test(color) ? ground(around(node)) : color;
  };
  const has = (node, least) => [...node.childNodes].some((it) => it.nodeType === 3 && it.data.trim().length >= least);
  const nodes = [];
  const gather = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) gather(node.shadowRoot);
      nodes.push(node);
    }
  };
  gather(document);
  const found = [];
  for (const node of nodes) {
    const box = node.getBoundingClientRect();
    const style = getComputedStyle(node);
    const told = `${node.localName}.${node.getAttribute("class")} "${[...node.textContent.trim()].slice(0, 30).join("")}"`;
    if (!box.width || !box.height || style.visibility === "hidden" || node.closest(".unseen, .sr, .skip")) continue;
    const chip = node.matches("svg.chip text") ? getComputedStyle(node.previousSibling).fill : "";
    if (chip || (has(node, 1) && !node.closest("svg") && !node.closest("[aria-disabled=true], :disabled"))) {
      const [a, b] = [light(chip ? style.fill : style.color), light(chip || ground(node))].sort((x, y) => y - x);
      if ((a + 0.05) / (b + 0.05) < 4.5) found.push(`faint, ${((a + 0.05) / (b + 0.05)).toFixed(2)}: ${told}`);
    }
    const target = node.matches("a[href], button, input:not([type=hidden]), select, summary");
    const within = style.display.startsWith("inline") && has(node.parentNode, 4); // a link in a sentence
    const labelled = node.labels?.length && Math.min(node.labels[0].clientWidth, node.labels[0].clientHeight) >= 24;
    if (target && !within && !labelled && Math.min(box.width, box.height) < 24) {
      found.push(`small, ${box.width.toFixed(1)} x ${box.height.toFixed(1)}: ${told}`);
    }
  }
  const headings = document.querySelectorAll("h1").length;
  if (headings !== 1) found.push(`${headings} headings h1`);
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) {
    const outermost = nodes.filter((it) => it.getBoundingClientRect().right > innerWidth + 0.5 && !it.closest(".scroll"));
    found.push(`${wide} px wider than the window: ${outermost.slice(0, 3).map((it) => `${it.localName}.${it.getAttribute("class")}`)}`);
  }
  return found;
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

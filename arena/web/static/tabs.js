// Tabs: a row of names, of which one shows its panel.
"use strict";

(() => {
  const { html } = globalThis.arena;
  const NEXT = { ArrowRight: 1, ArrowLeft: -1 };

  /** {element, open(index)} for [{name, element}...]; `opened(index)` is called with the open one. */
  function tabs(label, parts, opened) {
    const heads = parts.map(({ name }, index) => html("button", { type: "button", role: "tab", id: `arena-tab-${index}`, "aria-controls": `arena-panel-${index}`, onclick: () => open(index) }, name));
    const bodies = parts.map(({ element }, index) => html("div", { role: "tabpanel", id: `arena-panel-${index}`, "aria-labelledby": `arena-tab-${index}`, tabindex: 0, class: "panel" }, element));
    const list = html("div", { role: "tablist", "aria-label": label }, ...heads);
    list.addEventListener("keydown", (event) => {
      const at = heads.indexOf(event.target);
      const to = event.key === "Home" ? 0 : event.key === "End" ? heads.length - 1 : NEXT[event.key] && (at + NEXT[event.key] + heads.length) % heads.length;
      if (at < 0 || to === undefined) return;
      event.preventDefault();
      open(to);
      heads[to].focus();
    });

    function open(index) {
      heads.forEach((head, each) => {
        head.setAttribute("aria-selected", each === index);
        head.tabIndex = each === index ? 0 : -1;
        bodies[each].hidden = each !== index;
      });
      opened(index);
    }
    return { element: html("section", { class: "tabbed card" }, list, ...bodies), open };
  }

  globalThis.arena = { ...globalThis.arena, tabs };
})();

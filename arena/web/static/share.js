// A button that opens a dialog with the address of a page and with a line that puts it on another page.

import { html } from "./ui.js";

/** {element, dialog}; `link()` gives the address of the page, `frame()` of what other pages may embed, if there is such a page. */
export function shareButton(link, frame = null) {
  const said = html("p", { class: "said", role: "status" });
  const address = html("input", { type: "text", readonly: true, id: "share-link" });
  const line = html("textarea", { readonly: true, rows: 4, id: "share-frame", spellcheck: "false" });

  const part = (words, field, what) => [
    html("label", { for: field.id }, words),
    field,
    html("button", { type: "button", onclick: () => copy(field, what) }, `Copy the ${what}`),
  ];

  async function copy(field, what) {
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = `${what} copied`;
    } catch {
      field.focus();
      field.select();
      said.textContent = `this browser does not let the page copy; the ${what} is selected, copy it`;
    }
  }

  function open() {
    const title = document.title.replace(/[^\p{L}\p{N}_ ,.:\u2013-]/gu, "");
    address.value = link();
    if (frame) line.value = `<iframe src="${frame()}" title="${title}" width="960" height="720" loading="lazy"></iframe>`;
    said.textContent = "";
    dialog.showModal();
  }
  const close = html("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = html("dialog", { class: "share", "aria-label": "Share" }, ...part("Link", address, "link"), ...(frame ? part("On your page", line, "line") : []), said, close);
  return { element: html("button", { type: "button", onclick: open }, "Share"), dialog };
}

// A button that opens a dialog with the address of a page, and with a line of HTML that embeds it on other pages.

import { element } from "./ui.js";
import { html, render } from "./vendor/lit-html.js";

/** {element, dialog}; `link()` returns the address of the page, `frame()` the address that other pages may embed. */
export function shareButton(link, frame) {
  const dialog = element(html`<dialog class="share" aria-label="Share"></dialog>`);

  async function copy(field, what) {
    try {
      await navigator.clipboard.writeText(field.value);
      draw(`${what} copied`);
    } catch {
      field.focus();
      field.select();
      draw(`this browser does not let the page copy; the ${what} is selected, copy it`);
    }
  }

  function draw(said = "") {
    const copier = (id, what) => html`<button type="button" @click=${() => copy(dialog.querySelector(id), what)}>Copy the ${what}</button>`;
    const title = document.title.replace(/[^\p{L}\p{N}_ ,.:\u2013-]/gu, "");
    const line = () => `<iframe src="${frame()}" title="${title}" width="960" height="720" loading="lazy"></iframe>`;
    render(html`
      <label for="share-link">Link</label>
      <input type="text" readonly id="share-link" .value=${link()}>
      ${copier("#share-link", "link")}
      <label for="share-frame">On your page</label>
      <textarea readonly rows="4" id="share-frame" spellcheck="false" .value=${line()}></textarea>
      ${copier("#share-frame", "line")}
      <p class="said" role="status">${said}</p>
      <button type="button" @click=${() => dialog.close()}>Close</button>`, dialog);
  }

  const open = () => (draw(), dialog.showModal());
  return { element: element(html`<button type="button" @click=${open}>Share</button>`), dialog };
}

// <arena-viewer>: a replay on any page, from a document on the page or at an address (`schema.py`). Any element with
// data-arena-viewer is one, too. With `data-plays` it plays in a loop, from `data-from` on; with `data-opens="end"` it opens on the final position.
"use strict";

(() => {
  const { Player, Viewer, html, shelter } = globalThis.arena;

  /** Make a viewer of an element, or replace it. */
  async function view(host) {
    const { document: address, arenaViewer: id, plays } = host.dataset;
    const wanted = (host.arenaWanted = Symbol(address ?? id));
    let data;
    try {
      const source = address ? null : document.getElementById(id);
      if (address) data = await fetched(address);
      else data = source.type === "application/gzip" ? await unpacked(source.textContent) : JSON.parse(source.textContent);
    } catch (error) {
      const instead = [...host.children].some((child) => child.localName !== "noscript"); // what the page shows until there is a match
      if (host.arenaWanted === wanted && !instead) shelter(host, "arena-viewer arena-trouble").append(html("p", { role: "alert" }, `The match can't be shown: ${error.message}.`));
      return;
    }
    if (host.arenaWanted !== wanted) return; // by now another is
    host.arenaViewer?.close();
    host.arenaViewer = plays === undefined ? new Viewer(host, data) : new Player(host, data);
  }

  /** The document in gzip and base64, as pages have it that are files. */
  function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  }

  async function fetched(address) {
    const answer = await fetch(address, { headers: { accept: "application/json" } }).catch(() => null);
    if (!answer?.ok) throw new Error(answer ? `the server answered with status ${answer.status}` : "the server can't be reached");
    return answer.json();
  }

  class ArenaViewer extends HTMLElement {
    static observedAttributes = ["data-document"];

    connectedCallback() {
      if (!this.arenaViewer) this.#begin();
    }

    disconnectedCallback() {
      this.arenaViewer?.close();
      this.arenaViewer = undefined;
    }

    attributeChangedCallback(name, before) {
      if (before !== null && this.isConnected) view(this);
    }

    #begin() {
      if (this.dataset.document || this.dataset.arenaViewer) view(this);
    }
  }

  /** Make viewers of all other elements with data-arena-viewer, the id of the <script type="application/json"> that has the document. */
  function mount(root = document) {
    for (const host of root.querySelectorAll("[data-arena-viewer]:not(arena-viewer)")) if (!host.arenaWanted) view(host);
  }

  function begin() {
    customElements.define("arena-viewer", ArenaViewer);
    mount();
  }

  globalThis.arena = { ...globalThis.arena, mount };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", begin); // the documents come after their viewers
  else begin();
})();

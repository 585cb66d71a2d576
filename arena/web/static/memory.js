// What this browser remembers for the visitor: settings and what was dismissed; nothing where it may not be kept.
"use strict";

(() => {
  const PREFIX = "arena-";

  /** The value that was kept under a name, or the usual one. */
  function get(name, usual = "") {
    try {
      return localStorage.getItem(PREFIX + name) ?? usual;
    } catch {
      return usual;
    }
  }

  function set(name, value) {
    try {
      localStorage.setItem(PREFIX + name, value);
    } catch {
      // a browser that keeps nothing: the setting holds until the page is left
    }
  }

  globalThis.arena = { ...globalThis.arena, memory: { get, set } };
})();

// What this browser keeps for the visitor: settings and what was dismissed for good, the state of a page for its tab; nothing where it may not.

const PREFIX = "arena-";

/** A store of texts by name, over `localStorage` or `sessionStorage`; reading either may be forbidden, and so may writing. */
const storage = (kind) => ({
  /** The value that was kept under a name, or the usual one. */
  get(name, usual = "") {
    try {
      return globalThis[kind].getItem(PREFIX + name) ?? usual;
    } catch {
      return usual;
    }
  },
  set(name, value) {
    try {
      globalThis[kind].setItem(PREFIX + name, value);
    } catch {
      // a browser that keeps nothing: the value holds until the page is left
    }
  },
});

export const memory = storage("localStorage");
export const tabMemory = storage("sessionStorage");

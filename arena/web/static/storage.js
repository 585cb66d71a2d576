// What this browser keeps for the visitor: settings and what was dismissed for good, the state of a page for its tab; nothing where it may not.

const PREFIX = "arena-";

/** What a function returns; undefined where the browser forbids what it does. */
function allowed(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** A store of texts by name; `get` returns the usual value for what was not kept. */
const storage = (kind) => ({
  get: (name, usual = "") => allowed(() => globalThis[kind].getItem(PREFIX + name)) ?? usual,
  set: (name, value) => allowed(() => globalThis[kind].setItem(PREFIX + name, value)),
});

export const memory = storage("localStorage");
export const tabMemory = storage("sessionStorage");

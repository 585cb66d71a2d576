// What this browser stores: settings and dismissed hints permanently, and the state of a page for its tab. If it forbids storing, nothing is stored.

const PREFIX = "arena-";

/** The result of a function, or undefined if the browser forbids what the function does. */
function allowed(act) {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** A store of strings by name; `get` returns the given default if nothing is stored. */
const storage = (kind) => ({
  get: (name, usual = "") => allowed(() => globalThis[kind].getItem(PREFIX + name)) ?? usual,
  set: (name, value) => allowed(() => globalThis[kind].setItem(PREFIX + name, value)),
});

export const memory = storage("localStorage");
export const tabMemory = storage("sessionStorage");

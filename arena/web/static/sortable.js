// Tables that can be sorted by their headers and filtered by the names in their rows. Without this script, they keep the given order.
//
// <table data-sort>: a head becomes a button, unless it has data-unsorted; with data-down it sorts the largest first. A cell's sort key is its
// text, or data-value. <input data-filter="ID">, <select data-sort-by="ID"> and <output data-filtered="ID" data-noun="bots"> name a tbody.
// Code that replaces rows dispatches "arena:rows" on the tbody.

import { tabMemory } from "./storage.js";

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

/** The sort key of a cell: a number if the cell begins with one, else its text; null for a dash. */
function valueOf(cell) {
  const text = (cell.dataset.value ?? cell.textContent).trim();
  if (text === "" || text === "–") return null;
  const number = Number.parseFloat(text.replace(/^\u2212/, "-").replaceAll(",", ""));
  return cell.localName === "th" || Number.isNaN(number) ? text : number;
}

function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : collator.compare(String(a), String(b));
}

function prepare(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const named = (key) => (body.id ? document.querySelector(`[${key}="${body.id}"]`) : null);
  const [field, select, count] = ["data-filter", "data-sort-by", "data-filtered"].map(named);
  const key = `table:${location.pathname}#${body.id}`;
  let given = [...body.rows];
  const { wanted: before = "", ...order } = JSON.parse(tabMemory.get(key, "{}"));
  let { by = -1, sign = 1 } = order;

  function arrange() {
    let rows = given;
    if (by >= 0) {
      const values = new Map(given.map((row) => [row, valueOf(row.cells[by])]));
      rows = [...given].sort((one, other) => {
        const [a, b] = [values.get(one), values.get(other)];
        return a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b);
      });
    }
    body.append(...rows);
    heads.forEach((head, at) => {
      if (at === by) head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
    if (select) select.value = String(by);
  }

  function sort(at, turn) {
    const first = "down" in heads[at].dataset ? -1 : 1;
    sign = turn && by === at ? -sign : first;
    by = at;
    arrange();
    remember();
  }

  const remember = () => tabMemory.set(key, JSON.stringify({ by, sign, wanted: field?.value }));

  function filter() {
    if (!field) return;
    const wanted = field.value.trim().toLocaleLowerCase();
    let shown = 0;
    for (const row of given) {
      row.hidden = !(row.querySelector("th") ?? row).textContent.toLocaleLowerCase().includes(wanted);
      shown += !row.hidden;
    }
    if (count) count.textContent = wanted ? `${shown} of ${given.length} ${count.dataset.noun ?? ""}` : "";
  }

  heads.forEach((head, at) => {
    if ("unsorted" in head.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(at, true));
    head.append(button);
    if (select) select.append(new Option(button.textContent, String(at)));
  });
  if (select) {
    select.prepend(new Option("as listed", "-1"));
    select.value = "-1";
    select.addEventListener("change", () => sort(Number(select.value), false));
  }
  field?.addEventListener("input", () => (filter(), remember()));
  body.addEventListener("arena:rows", () => {
    given = [...body.rows];
    if (by >= 0) arrange();
    filter();
  });
  if (heads[by]) arrange();
  if (field) field.value ||= before;
  filter();
}

for (const table of document.querySelectorAll("table[data-sort]")) prepare(table);
for (const each of document.querySelectorAll("label.needs-script")) each.classList.remove("needs-script");

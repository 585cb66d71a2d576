// Shows the times of a season in the visitor's time zone, and how long it is until the next event, which has data-until.

const LOCAL = new Intl.DateTimeFormat("sv", { dateStyle: "short", timeStyle: "short" }); // 2027-06-21 18:00

/** The time until a moment in its two largest units: "2 days, 3 hours". */
function left(milliseconds) {
  const minutes = Math.max(0, Math.round(milliseconds / 60000));
  const units = [[Math.floor(minutes / 1440), "day"], [Math.floor(minutes / 60) % 24, "hour"], [minutes % 60, "minute"]];
  const first = units.findIndex(([number]) => number > 0);
  const told = first < 0 ? [] : units.slice(first, first + 2).filter(([number]) => number > 0);
  return told.map(([number, unit]) => `${number} ${unit}${number === 1 ? "" : "s"}`).join(", ") || "less than a minute";
}

const next = document.querySelector("[data-until]");
function count() {
  const at = new Date(next.dateTime);
  next.textContent = at > Date.now() ? `in ${left(at - Date.now())}: ${LOCAL.format(at)}` : "now";
}

document.querySelector("[data-zone]").textContent = "your time";
for (const each of document.querySelectorAll("main time")) {
  each.title = each.textContent;
  each.textContent = LOCAL.format(new Date(each.dateTime));
}
if (next) {
  count();
  setInterval(count, 60000);
}

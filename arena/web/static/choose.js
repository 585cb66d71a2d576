// The form of a new table: frees the seats that the chosen game doesn't have. The style sheet hides those, and the options of other games.
"use strict";

document.querySelector(".games")?.addEventListener("change", ({ target }) => {
  const most = Number(target.dataset.most ?? Infinity);
  if (target.name !== "game") return;
  for (const row of document.querySelectorAll("[data-seat]")) {
    const seat = row.querySelector("select");
    if (Number(row.dataset.seat) >= most && seat.value !== "me") seat.value = "";
  }
});

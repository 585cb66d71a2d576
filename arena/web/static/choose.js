// The form of a new table: shows the options of the chosen game, and no more seats than it has. Without it, all are there.
"use strict";

(() => {
  const game = document.getElementById("game");
  if (!game) return;

  function show() {
    for (const options of document.querySelectorAll("[data-options-of]")) options.hidden = options.dataset.optionsOf !== game.value;
    const most = Number(game.selectedOptions[0]?.dataset.most ?? Infinity);
    for (const row of document.querySelectorAll("[data-seat]")) {
      row.hidden = Number(row.dataset.seat) >= most;
      const seat = row.querySelector("select");
      if (row.hidden && seat.value !== "me") seat.value = "";
    }
  }

  game.addEventListener("change", show);
  show();
})();

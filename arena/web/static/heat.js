// The overview of everybody against everybody: a picture of a cell for each pair, read by pointing or with the arrow keys.
"use strict";

(() => {
  const SHADES = 9;
  const EMPTY = "rest";
  const canvas = document.getElementById("heat");
  const source = document.getElementById("shares");
  const body = document.getElementById("bots");
  if (!canvas || !source || !body) return;
  const { levels, rows } = JSON.parse(source.textContent);
  const links = [...body.rows].sort((a, b) => Number(a.cells[0].textContent) - Number(b.cells[0].textContent)).map((row) => row.querySelector("a.bot"));
  const size = links.length;
  const top = levels.length - 1;
  const reading = document.getElementById("reading");
  const pen = canvas.getContext("2d");
  let cell = 3;
  let at = null; // [row, column] that is read

  /** The share of the row's bot against the column's; null if they have not met. */
  function share(row, column) {
    if (row === column) return null;
    const found = levels.indexOf(row < column ? rows[row][column - row - 1] : rows[column][row - column - 1]);
    if (found < 0) return null;
    return (row < column ? found : top - found) / top;
  }

  function draw() {
    const ratio = globalThis.devicePixelRatio || 1;
    const room = canvas.parentElement.clientWidth;
    cell = Math.min(24, room / size);
    canvas.width = canvas.height = Math.round(size * cell * ratio);
    canvas.style.setProperty("width", `${canvas.width / ratio}px`);
    canvas.style.setProperty("height", `${canvas.height / ratio}px`);
    const style = getComputedStyle(document.documentElement);
    const probe = document.createElement("i");
    canvas.parentElement.append(probe);
    const colors = Array.from({ length: SHADES }, (_, step) => {
      probe.className = `share${step}`;
      return getComputedStyle(probe).backgroundColor;
    });
    probe.remove();
    const empty = style.getPropertyValue(`--${EMPTY}`);
    const side = canvas.width / size;
    for (let row = 0; row < size; row++) {
      for (let column = 0; column < size; column++) {
        const value = share(row, column);
        pen.fillStyle = value === null ? empty : colors[Math.round(value * (SHADES - 1))];
        pen.fillRect(Math.floor(column * side), Math.floor(row * side), Math.ceil(side), Math.ceil(side));
      }
    }
    if (at) {
      pen.strokeStyle = style.getPropertyValue("--ink");
      pen.lineWidth = Math.max(2, ratio);
      pen.strokeRect(at[1] * side - 1, at[0] * side - 1, side + 2, side + 2);
      pen.globalAlpha = 0.35;
      pen.strokeRect(-4, at[0] * side - 1, canvas.width + 8, side + 2);
      pen.strokeRect(at[1] * side - 1, -4, side + 2, canvas.height + 8);
      pen.globalAlpha = 1;
    }
  }

  function read(row, column) {
    if (at && at[0] === row && at[1] === column) return;
    at = [row, column];
    const value = share(row, column);
    const names = [row, column].map((each) => `${each + 1} ${links[each].textContent}`);
    const words = row === column ? "itself" : value === null ? "have not met in a complete block" : `about ${Math.round(100 * value)} %`;
    const parts = row === column ? [names[0], ": ", words] : [names[0], value === null ? " and " : " against ", names[1], value === null ? " " : ": ", words];
    reading.replaceChildren(
      ...parts.map((part, index) => {
        const node = document.createElement(index % 2 ? "span" : "bdi");
        node.textContent = part;
        return node;
      }),
    );
    draw();
  }

  function under(event) {
    const box = canvas.getBoundingClientRect();
    const within = (value) => Math.min(size - 1, Math.max(0, Math.floor(value / cell)));
    return [within(event.clientY - box.top), within(event.clientX - box.left)];
  }

  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  canvas.addEventListener("keydown", (event) => {
    const [row, column] = at ?? [0, 0];
    if (event.key === "Enter" && at) links[row].click();
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    const [down, right] = STEPS[event.key].map((step) => step * (event.shiftKey ? 10 : 1));
    const within = (value) => Math.min(size - 1, Math.max(0, value));
    if (at) read(within(row + down), within(column + right));
    else read(0, 1);
  });
  canvas.addEventListener("pointermove", (event) => read(...under(event)));
  canvas.addEventListener("pointerdown", (event) => read(...under(event)));
  canvas.addEventListener("click", (event) => {
    if (event.pointerType !== "touch") links[under(event)[0]].click();
  });
  addEventListener("resize", draw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  canvas.parentElement.classList.remove("needs-script");
  draw();
})();

// The board of any game: draws named pieces as SVG, pans and zooms, reports clicks.

import { calm, Motion } from "./motion.js";
import { html, render } from "./vendor/lit-html.js";

const SVG = "http://www.w3.org/2000/svg";
const ALLOWED = new Set(["g", "path", "use", "circle", "ellipse", "rect", "polygon", "text", "title", "desc", "defs", "linearGradient", "stop"]);
const templates = new Map();
const MARGIN = 0.04; // room around the board, as a share of its size
const LOOSE = 1.6; // how many times too large the view may be before it zooms in
const LOOSE_BY_TOUCH = 1.15; // the same on a small window
const CLICK = 5; // pixels a pointer may move and still click
const FINGER = 34; // pixels that an offer must measure to be hit by a finger
const SIDES = [["↑", "above", 0, -1], ["←", "to the left", -1, 0], ["→", "to the right", 1, 0], ["↓", "below", 0, 1]];
const AROUND = 6; // how many offers near a touched one must be far enough from it and from each other

/** The next or previous element in a list, for an arrow key; the first follows the last. Undefined for any other key or element. */
export function beside({ key }, list, here) {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
  const at = list.indexOf(here);
  return by && at >= 0 ? list.at((at + by) % list.length) : undefined;
}

/** An SVG element with attributes and children. */
export function svgElement(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** A new element from the markup of our own drawings, or a group if the markup has several elements; throws an error for anything not allowed. */
function piece(markup) {
  let template = templates.get(markup);
  if (!template) {
    const parsed = new DOMParser().parseFromString(`<svg xmlns="${SVG}">${markup}</svg>`, "image/svg+xml").documentElement;
    const parts = [...parsed.children].map((part) => document.importNode(part, true));
    template = parts.length === 1 ? parts[0] : svgElement("g", {}, ...parts);
    for (const each of [template, ...template.querySelectorAll("*")]) {
      const strange = [...each.attributes].some((it) => /^on/i.test(it.name) || (it.localName === "href" && !it.value.startsWith("#")));
      if (!ALLOWED.has(each.localName) || strange) throw new Error(`not a piece of a board: ${markup.slice(0, 80)}`);
    }
    templates.set(markup, template);
  }
  return template.cloneNode(true);
}

/** A small picture {words, markup, box} as a separate <svg>; its board must be in the document, because the board has the definitions. */
export function sign({ words, markup, box }, height) {
  const picture = svgElement("svg", { viewBox: box.join(" "), height, width: (height * box[2]) / box[3], role: "img", "aria-label": words, ...LETTERS });
  picture.append(piece(markup));
  return picture;
}

const FAMILY = "'DejaVu Sans',Verdana,'Segoe UI',sans-serif";
const LETTERS = { "font-family": FAMILY, "font-weight": "700", "text-anchor": "middle", "stroke-linejoin": "round" };

/**
 * A board; its element `host` must be on the page before anything is shown.
 *
 * Events at that element: "offer" with {id} when an offer was chosen; "told" with {words} about what a touch did if it chose no offer.
 */
export class Board {
  constructor(sheet) {
    this.host = document.createElement("div");
    this.host.className = "place arena-board";
    this.slots = new Map(); // key -> {key, parent, order, markup, node, children}
    this.top = { children: [], node: svgElement("g", { class: "board" }) };
    this.sky = svgElement("g", { class: "sky", "aria-hidden": "true" });
    this.ghosts = svgElement("g", { class: "ghosts", "aria-hidden": "true" });
    this.offers = svgElement("g", { class: "offers" });
    this.svg = svgElement("svg", { role: "img", "aria-label": `The board of ${sheet.title}`, tabindex: "0", ...LETTERS });
    if (sheet.defs) this.svg.append(piece(sheet.defs.trim()));
    this.choice = svgElement("g", {}, this.ghosts, this.offers);
    this.svg.append(this.top.node, this.sky, this.choice);
    this.box = [0, 0, 1, 1];
    this.near = null; // the part of the board that is shown if offers are small on the whole board
    this.narrowed = ""; // what to say if the view was narrowed by a touch that could have meant several offers
    this.beyond = []; // the sides of the view beyond which there are offers
    this.touched = matchMedia("(pointer: coarse)").matches; // whether a finger is used, which can't hover
    this.least = [1, 1];
    this.view = null;
    this.follows = true;
    this.pointers = new Map();
    this.host.style.setProperty("--sheet", sheet.table);
    this.host.style.setProperty("--sheet-dark", sheet.dark ?? sheet.table);
    this.tools = document.createElement("div");
    this.tools.className = "board-tools";
    this.host.append(this.svg, this.tools);
    this.#listen();
  }

  /** Put a piece on the board, replacing the piece with that key; without markup, remove that piece. */
  put(key, parent, order, markup) {
    let slot = this.slots.get(key);
    if (!slot) this.slots.set(key, (slot = { key, children: [], node: null }));
    if (slot.markup === markup && slot.parent === parent && slot.order === order) return;
    const old = slot.node;
    if (old) this.moving?.leaves(slot);
    const moved = slot.parent !== parent || slot.order !== order;
    if (old && (moved || markup == null)) this.#detach(slot);
    slot.markup = markup ?? null;
    if (markup == null) return;
    slot.parent = parent;
    slot.order = order;
    slot.node = piece(markup);
    slot.node.arenaKey = key;
    slot.node.append(...slot.children.map((child) => child.node));
    if (old && !moved) old.replaceWith(slot.node);
    else this.#attach(slot);
    this.moving?.arrives(slot);
  }

  /**
   * Change the board by `act`, and let pieces glide and land (motion.js); without `glide`, or if the visitor wants no motion, they move at once.
   */
  change(act, { glide = false } = {}) {
    this.motion ??= new Motion(this.top.node, this.sky);
    this.motion?.begin();
    this.moving = glide && this.view && this.svg.clientWidth && !calm.matches ? this.motion : null;
    try {
      act();
      this.moving?.run();
    } finally {
      this.moving = null;
    }
  }

  /** Show a whole board {box, pieces: [key, parent, order, markup]..., reach: how far choices extend beyond it}. Only what differs is redrawn, by `change`. */
  show({ box: [x, y, width, height], pieces, reach = 0 }, how = {}) {
    const come = new Set(pieces.map(([key]) => key));
    this.change(() => {
      for (const slot of [...this.slots.values()]) if (slot.node && !come.has(slot.key)) this.put(slot.key, slot.parent, slot.order, null);
      for (const [key, parent, order, markup] of pieces) this.put(key, parent, order, markup);
      const room = this.touched ? 0 : reach; // a finger can't hover over choices to see what they do
      this.frame([x - room, y - room, width + 2 * room, height + 2 * room]);
    }, how);
  }

  /** Set the board's box. Unless the visitor has moved the view, it follows, but no more than necessary; if `anew`, it fits exactly. */
  frame(box, anew = false) {
    this.box = box;
    this.#follow(anew);
  }

  /** Offer places to click: {id, markup, words}. Each is also a button for keyboards and screen readers: Tab goes to one, arrows to the others. */
  offer(offers) {
    const { activeElement } = this.svg.getRootNode();
    const focused = this.offers.contains(activeElement) ? activeElement.arenaOffer : undefined;
    this.svg.setAttribute("role", offers.length ? "group" : "img");
    this.offers.replaceChildren(
      ...offers.map(({ id, markup, words }, index) => {
        const button = svgElement("g", { class: "offer", role: "button", tabindex: index ? "-1" : "0", "aria-label": words }, svgElement("title"), piece(markup));
        button.firstChild.textContent = words;
        button.arenaOffer = id;
        return button;
      }),
    );
    // Measure everything before adding anything: each change in between would make the browser lay out everything again.
    for (const button of this.offers.children) {
      const { x, y, width, height } = (button.querySelector(".dot") ?? button).getBBox();
      button.arenaMiddle = [x + width / 2, y + height / 2];
      button.arenaSize = Math.min(width, height);
    }
    for (const button of this.offers.children) button.append(svgElement("circle", { class: "reach", cx: button.arenaMiddle[0], cy: button.arenaMiddle[1] }));
    if (focused !== undefined && !this.touched) this.enter([...this.offers.children].find(({ arenaOffer }) => arenaOffer === focused));
  }

  /** Focus an offer, if there is one; Tab then returns to it. */
  enter(offer) {
    if (!offer) return;
    for (const each of this.offers.children) each.setAttribute("tabindex", each === offer ? "0" : "-1");
    offer.focus({ preventScroll: true });
  }

  /** Go through the offers with the arrow keys; returns whether the key did that. */
  #step(event) {
    const next = !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) && beside(event, [...this.offers.children], event.target);
    this.enter(next);
    return Boolean(next);
  }

  /** Show the effect of a move: markup that can't be clicked, after the definitions that it uses. */
  ghost(pieces, defs = "") {
    this.ghosts.replaceChildren(...[defs, ...pieces].filter(Boolean).map((markup) => piece(markup)));
  }

  /** Mark only the offer with that id. */
  mark(id) {
    for (const button of this.offers.children) button.classList.toggle("marked", button.arenaOffer === id);
  }

  /** Show all of the board, and follow it again. */
  fit() {
    this.follows = true;
    this.narrowed = "";
    this.near = this.view = null;
    this.#follow();
  }

  /** For a finger, zoom in on offers that are small on the whole board, until the offers change. */
  approach() {
    this.#drawTools();
    const offers = [...this.offers.children];
    const sizes = this.touched ? offers.map(({ arenaSize }) => arenaSize) : [];
    const isSmall = (view) => sizes.length && Math.min(...sizes) * this.#scale(view) < FINGER;
    const { near } = this;
    const places = offers.map(({ arenaMiddle }) => arenaMiddle.map(Math.round)).join();
    const chosen = this.offers.querySelector(".laid, .spot.chosen") ?? (this.offers.matches(".settled") && this.ghosts.firstChild ? this.ghosts : null);
    if (this.narrowed && chosen) this.#bring(chosen.getBBox());
    else if (this.narrowed && places !== this.places && this.beyond.length) this.fit();
    this.places = places; // while the same are offered, the view stays
    for (const each of offers) each.lastChild.setAttribute("r", 0);
    this.near = isSmall(this.#wanted(this.#whole())) ? this.#around(Math.min(...sizes)) : null;
    this.#follow(!near !== !this.near || isSmall()); // the effect of a pick may lie outside the view
    const scale = this.#scale();
    for (const each of offers) {
      const small = each.classList.toggle("small", each.arenaSize * scale < FINGER);
      each.classList.toggle("tiny", each.arenaSize * scale < FINGER / 2);
      each.lastChild.setAttribute("r", small ? FINGER / 2 / scale : 0);
    }
  }

  /** The box around the board, the offers and their effects. */
  #whole() {
    if (!this.offers.firstChild && !this.ghosts.firstChild) return this.box;
    const [{ x, y, width, height }, [left, top, wide, high]] = [this.choice.getBBox(), this.box];
    const [least, first] = [Math.min(x, left), Math.min(y, top)];
    return [least, first, Math.max(x + width, left + wide) - least, Math.max(y + height, top + high) - first];
  }

  /** The box around the offers and their effects, in which the smallest offer is hardly wider than a finger. */
  #around(least) {
    const { x, y, width, height } = this.choice.getBBox();
    const side = (least * Math.min(this.svg.clientWidth, this.svg.clientHeight)) / (1.2 * FINGER);
    const [wide, high] = [Math.max(width, side), Math.max(height, side)];
    return [x - (wide - width) / 2, y - (high - height) / 2, wide, high];
  }

  /** Zoom around a point of the board, by default the middle of the view. */
  zoom(factor, at = null) {
    const [x, y, width, height] = this.view;
    const whole = this.#wanted()[2];
    const by = Math.min(Math.max(factor, Math.min(120, whole) / width), (2.5 * whole) / width);
    const [px, py] = at ?? [x + width / 2, y + height / 2];
    this.#look([px - (px - x) * by, py - (py - y) * by, width * by, height * by]);
  }

  /** Move the view no more than necessary to have a box in it. */
  #bring({ x, y, width, height }) {
    const [left, top, wide, high] = this.view;
    const moved = (start, side, least, most) => Math.max(Math.min(start, least), most - side);
    this.#look([moved(left, wide, x, x + width), moved(top, high, y, y + height), wide, high]);
  }

  /** Move the view by shares of its size. */
  pan(right, down) {
    const [x, y, width, height] = this.view;
    this.#look([x + right * width, y + down * height, width, height]);
  }

  /** Handle a key; returns whether it has an action. */
  key(event) {
    const pans = { ArrowLeft: [-0.15, 0], ArrowRight: [0.15, 0], ArrowUp: [0, -0.15], ArrowDown: [0, 0.15] };
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "+" || event.key === "=") this.zoom(0.8);
    else if (event.key === "-") this.zoom(1.25);
    else if (event.key === "0") this.fit();
    else if (event.shiftKey && pans[event.key]) this.pan(...pans[event.key]);
    else return false;
    return true;
  }

  /** The point of the board under a point of the window. */
  point(clientX, clientY) {
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [x, y];
  }

  #group(slot) {
    if (!slot.parent) return this.top;
    let group = this.slots.get(slot.parent);
    if (!group) this.slots.set(slot.parent, (group = { key: slot.parent, children: [], node: null }));
    return group;
  }

  #attach(slot) {
    const group = this.#group(slot);
    const later = (other) => other.order > slot.order || (other.order === slot.order && other.key > slot.key);
    const index = group.children.findIndex(later);
    const next = index < 0 ? null : group.children[index];
    group.children.splice(index < 0 ? group.children.length : index, 0, slot);
    if (group.node) group.node.insertBefore(slot.node, next && next.node);
  }

  #detach(slot) {
    const { children } = this.#group(slot);
    children.splice(children.indexOf(slot), 1);
    slot.node.remove();
    slot.node = null;
  }

  /** The number of window pixels in a board unit. */
  #scale([, , width, height] = this.view) {
    return Math.min(this.svg.clientWidth / width, this.svg.clientHeight / height);
  }

  #wanted(box = this.near ?? this.#whole()) {
    const [x, y, width, height] = box;
    const wide = Math.max(width, this.least[0]) * (1 + 2 * MARGIN);
    const high = Math.max(height, this.least[1]) * (1 + 2 * MARGIN);
    return [x + (width - wide) / 2, y + (height - high) / 2, wide, high];
  }

  #follow(anew = false) {
    if (!this.follows) return;
    const [x, y, width, height] = this.near ?? this.#whole();
    const wanted = this.#wanted();
    const now = anew ? null : this.view;
    const loose = this.touched ? LOOSE_BY_TOUCH : LOOSE;
    const inside = now && x >= now[0] && y >= now[1] && x + width <= now[0] + now[2] && y + height <= now[1] + now[3];
    if (!inside || now[2] > loose * wanted[2] || now[3] > loose * wanted[3]) this.view = wanted;
    this.#draw();
  }

  #look(view) {
    this.follows = false;
    this.view = view;
    this.#draw();
  }

  #draw() {
    this.svg.setAttribute("viewBox", this.view.map((side) => side.toFixed(1)).join(" "));
    this.svg.classList.toggle("moved", !this.follows);
    this.#drawTools();
  }

  #drawTools() {
    const counted = SIDES.map(([sign, where, right, down]) => ({ sign, where, right, down, far: this.#beyond(right, down) }));
    this.beyond = counted.filter(({ far }) => far.length);
    const tool = (words, label, act) => html`<button type="button" title=${label} aria-label=${label} @click=${act}>${words}</button>`;
    render([
      tool("+", "Zoom in", () => this.zoom(0.8)),
      tool("−", "Zoom out", () => this.zoom(1.25)),
      tool("⤢", "Whole board", () => this.fit()),
      this.beyond.map(({ sign, where, right, down, far }) => tool(html`<small>${sign}${far.length}</small>`, `${far.length} to choose ${where}`,
        () => this.pan(...[right, down].map((part) => part * Math.min(0.6, Math.max(...far) - 0.4))))), // no farther than to the last of them
    ], this.tools);
  }

  /** How far the offers beyond an edge (or so near to it that they may be cut) are from the middle, as shares of what is seen. */
  #beyond(right, down) {
    const [x, y, width, height] = this.view;
    const scale = this.#scale();
    return [...this.offers.children].flatMap(({ arenaMiddle: [px, py] }) => {
      const [across, along] = [((px - x - width / 2) * scale) / this.svg.clientWidth, ((py - y - height / 2) * scale) / this.svg.clientHeight];
      const beyond = right * across + down * along;
      return beyond > 0.5 - MARGIN && beyond >= Math.max(Math.abs(across), Math.abs(along)) ? [beyond] : [];
    });
  }

  #listen() {
    const { svg: picture } = this;
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !this.host.contains(picture.getRootNode().activeElement)) return; // the wheel scrolls the page, even over a board
      event.preventDefault();
      this.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.002), this.point(event.clientX, event.clientY));
    }, { passive: false });
    picture.addEventListener("pointerdown", (event) => {
      if (event.button === 0) this.pointers.set(event.pointerId, { at: [event.clientX, event.clientY], from: [event.clientX, event.clientY] });
      if (this.pointers.size === 1) this.dragged = false;
    });
    picture.addEventListener("pointermove", (event) => this.#moved(event));
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"]) picture.addEventListener(end, (event) => this.pointers.delete(event.pointerId));
    picture.addEventListener("click", (event) => this.dragged || this.#clicked(event.target, this.point(event.clientX, event.clientY)));
    document.addEventListener("pointerdown", ({ pointerType }) => (this.touched = pointerType === "touch"), true);
    document.addEventListener("keydown", ({ key }) => /^(Tab|Arrow)/.test(key) && (this.touched = false), true);
    picture.addEventListener("keydown", (event) => {
      const offered = (event.key === "Enter" || event.key === " ") && event.target.closest(".offer");
      if (!offered && !this.#step(event) && !this.key(event)) return;
      if (offered) this.#clicked(event.target, null);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  #moved(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer) return;
    const old = pointer.at;
    pointer.at = [event.clientX, event.clientY];
    if (!this.dragged && Math.hypot(pointer.at[0] - pointer.from[0], pointer.at[1] - pointer.from[1]) < CLICK) return;
    if (!this.dragged) this.svg.setPointerCapture(event.pointerId);
    this.dragged = true;
    const others = [...this.pointers.entries()].filter(([id]) => id !== event.pointerId).map(([, other]) => other.at);
    if (others.length) {
      const apart = (point) => Math.max(Math.hypot(point[0] - others[0][0], point[1] - others[0][1]), 1);
      const middle = this.point((pointer.at[0] + others[0][0]) / 2, (pointer.at[1] + others[0][1]) / 2);
      this.zoom(apart(old) / apart(pointer.at), middle);
    }
    const [from, to] = [this.point(...old), this.point(...pointer.at)];
    const part = others.length ? 0.5 : 1;
    this.pan((part * (from[0] - to[0])) / this.view[2], (part * (from[1] - to[1])) / this.view[3]);
  }

  /** The offer at a point, or the nearest if offers are small. Null if there is none, or if a finger could not tell them apart and the view zoomed in. */
  #meant(hit, point) {
    const isSmall = !hit || hit.classList.contains("small");
    const scale = this.#scale();
    const apart = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by) * scale;
    const away = ({ arenaMiddle }) => apart(arenaMiddle, point);
    const [first, ...others] = [...this.offers.querySelectorAll(hit ? ".small" : ".offer")].sort((a, b) => away(a) - away(b));
    if (!isSmall || !first) return hit;
    const around = others.slice(0, AROUND).map(({ arenaMiddle }) => arenaMiddle);
    const gap = Math.min(...around.map((one, index) => Math.min(...[first.arenaMiddle, ...around.slice(0, index)].map((other) => apart(one, other)))));
    if (this.touched && gap < FINGER && first.classList.contains("small")) return this.#narrow(first.arenaMiddle, gap / scale);
    return away(first) > (this.touched ? FINGER : FINGER / 2) ? hit : first;
  }

  /** Zoom in on a point, until offers with a distance of `gap` are a finger apart. */
  #narrow([px, py], gap) {
    const [left, top, wide, high] = this.#wanted(this.#whole());
    const [width, height] = [this.svg.clientWidth, this.svg.clientHeight].map((side) => (side * gap) / (1.1 * FINGER));
    const within = (middle, side, least, most) => Math.max(least, Math.min(middle - side / 2, least + most - side));
    this.#look([within(px, width, left, wide), within(py, height, top, high), width, height]);
    this.narrowed = "Zoomed in: tap a place, or an arrow for those beyond an edge; ⤢ shows the whole board.";
    this.approach();
    return this.tell(this.narrowed);
  }

  tell(words) {
    this.host.dispatchEvent(new CustomEvent("told", { detail: { words } }));
    return null;
  }

  #clicked(target, point) {
    const hit = target.closest(".offer");
    const { view } = this;
    const offered = point ? this.#meant(hit, point) : hit;
    if (offered) this.host.dispatchEvent(new CustomEvent("offer", { detail: { id: offered.arenaOffer } }));
    else if (!this.touched || view !== this.view) return;
    else if (this.narrowed) {
      this.fit();
      this.approach();
      this.tell("The whole board: tap near the place you want.");
    } else this.tell(this.offers.firstChild ? "Nothing to choose there: tap a marked place." : "Nothing to choose on the board now.");
  }
}

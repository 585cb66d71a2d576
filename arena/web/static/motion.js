// Motion on a board: pieces that move glide, new pieces land, and removed pieces fade out. Board (board.js) reports what has changed.

export const GLIDE = 300; // milliseconds
const EASE = "cubic-bezier(0.3, 0, 0.2, 1)";
const LARGE = 1.18; // how large a new piece is when it begins to land
const PLACED = /\s(?:transform|x|y|cx|cy|d|points|data-(?!seat)[\w-]+)="[^"]*"/g;
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** The look of a piece, without its place; empty for pieces that belong to no seat, because these don't move. */
const look = (slot) => (slot.node.dataset.seat === undefined ? "" : slot.markup.replace(PLACED, ""));
const middle = ({ x, y, width, height }) => new DOMPoint(x + width / 2, y + height / 2);
const far = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

export class Motion {
  constructor(top, sky) {
    this.top = top; // the group of all pieces
    this.sky = sky; // a group above it, for what is on its way
    this.running = [];
    this.left = []; // the pieces removed in this step or in the previous one
  }

  /** Begin a step; pieces that are still moving jump to their destinations. */
  begin() {
    this.stop();
    this.before = this.left;
    this.left = [];
    this.came = [];
  }

  stop() {
    for (const each of this.running.splice(0)) each.cancel();
    this.sky.replaceChildren();
  }

  /** Record a piece that is about to be removed or redrawn. */
  leaves(slot) {
    this.left.push({ key: slot.key, look: look(slot), at: this.#place(slot.node), ghost: this.#copy(slot.node) });
  }

  arrives(slot) {
    this.came.push(slot);
  }

  /** End the step and animate what has changed. */
  run() {
    const gone = [...this.left];
    const take = (pool, slot, at) => {
      const kind = look(slot);
      const fits = pool.filter((each) => each.look === kind && (kind || each.key === slot.key));
      const best = fits.sort((a, b) => far(a.at, at) - far(b.at, at))[0];
      if (best) pool.splice(pool.indexOf(best), 1);
      return best;
    };
    const come = this.came.filter(({ node }) => node?.isConnected && !this.came.some((other) => other.node !== node && other.node?.contains(node)));
    const places = new Map(come.map((slot) => [slot, this.#place(slot.node)]));
    const fresh = [];
    for (const slot of come) {
      const at = places.get(slot);
      const from = take(gone, slot, at) ?? (look(slot) && take(this.before, slot, at));
      if (!from) fresh.push(slot);
      else if (far(from.at, at) > 1) this.#glide(slot.node, from.at, at);
    }
    this.#land(fresh);
    const drawn = new Set(come.map(({ key }) => key));
    for (const { key, look: kind, ghost } of gone) if (kind || !drawn.has(key)) this.#fade(ghost);
    this.left = gone.filter((each) => each.look);
  }

  /** Where the middle of an element is on the board. */
  #place(node) {
    return middle(node.getBBox()).matrixTransform(this.#matrix(node));
  }

  #matrix(node) {
    return this.top.getScreenCTM().inverse().multiply(node.getScreenCTM());
  }

  /** A copy with copies of the groups around it, so that it looks the same in the sky. */
  #copy(node) {
    let copy = node.cloneNode(true);
    for (let group = node.parentNode; group && group !== this.top; group = group.parentNode) {
      const around = group.cloneNode(false);
      around.append(copy);
      copy = around;
    }
    return copy;
  }

  /** A distance on the board, in the units of the group around the node. */
  #distance(node, from, to) {
    const { a, b, c, d } = this.#matrix(node.parentNode).inverse();
    const [x, y] = [from.x - to.x, from.y - to.y];
    return `${a * x + c * y}px ${b * x + d * y}px`;
  }

  #glide(node, from, to) {
    const flying = this.#copy(node);
    let piece = flying;
    for (let group = node.parentNode; group && group !== this.top; group = group.parentNode) piece = piece.firstElementChild;
    this.sky.append(flying);
    this.#animate(piece, [{ translate: this.#distance(node, from, to) }, { translate: "0px 0px" }], () => flying.remove());
    this.#animate(node, [{ opacity: 0 }, { opacity: 0 }]);
  }

  #fade(ghost) {
    this.sky.append(ghost);
    this.#animate(ghost, [{ opacity: 1 }, { opacity: 0 }], () => ghost.remove());
  }

  /** Pieces of the game, and what is drawn with them, come down from above; other marks just appear. */
  #land(fresh) {
    const boxes = fresh.filter(({ node }) => Object.keys(node.dataset).length && !node.matches(".last, .target")).map(({ node }) => node.getBoundingClientRect());
    const inside = (inner, outer) => inner.left >= outer.left - 4 && inner.right <= outer.right + 4 && inner.top >= outer.top - 4 && inner.bottom <= outer.bottom + 4;
    const matrix = this.top.getScreenCTM().inverse();
    for (const slot of fresh) {
      const own = slot.node.getBoundingClientRect();
      const around = boxes.find((box) => inside(own, box));
      if (around) {
        const centre = middle(around).matrixTransform(matrix).matrixTransform(this.#matrix(slot.node.parentNode).inverse());
        const away = `${centre.x * (1 - LARGE)}px ${centre.y * (1 - LARGE)}px`;
        this.#animate(slot.node, [{ opacity: 0, scale: LARGE, translate: away }, { opacity: 1, scale: 1, translate: "0px 0px" }]);
      } else this.#animate(slot.node, [{ opacity: 0 }, {}]);
    }
  }

  #animate(node, frames, done = null) {
    const animation = node.animate(frames, { duration: GLIDE, easing: EASE });
    animation.onfinish = () => {
      this.running = this.running.filter((each) => each !== animation);
      done?.();
    };
    this.running.push(animation);
  }
}

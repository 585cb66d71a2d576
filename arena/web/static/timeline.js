// A document arena-viewer/1 (viewer/documents.py) with all that is left out of its frames filled in.

export class Timeline {
  constructor(data) {
    this.data = data;
    this.end = data.frames.length - 1;
    this.boxes = [];
    this.columns = [];
    this.facts = [];
    this.turnOf = []; // by position: the turn it is in
    this.marks = new Map((data.marks ?? []).map((mark) => [mark.index + 1, mark])); // by the position that the decision led to
    this.history = data.slots.map(() => []); // by slot: frame, shape, frame, shape, ..., in the order of frames
    data.frames.forEach((frame, at) => {
      const changes = frame.board ?? [];
      for (let i = 0; i < changes.length; i += 2) this.history[changes[i]].push(at, changes[i + 1]);
      this.boxes.push(frame.box ?? this.boxes[at - 1]);
      this.columns.push(frame.columns ?? this.columns[at - 1] ?? []);
      this.facts.push(frame.facts ?? this.facts[at - 1] ?? []);
      const turn = this.turnOf[at - 1] ?? -1;
      this.turnOf.push(data.turns[turn + 1] === at ? turn + 1 : turn);
    });
    for (const [at, { better }] of this.marks) this.boxes[at] = better?.box ?? this.boxes[at];
    /** The least size of the board, so that its scale stays the same during a match. */
    this.least = [2, 3].map((side) => Math.max(1, ...this.boxes.map((box) => box[side] / 2)));
  }

  /** Replace the board of one position (-1: an empty board) with the board of another. */
  draw(board, from, to) {
    for (const [slot, shape] of this.#changes(from, to)) {
      const [key, parent, order] = this.data.slots[slot];
      board.put(key, parent, order, shape < 0 ? null : this.data.shapes[shape]);
    }
    board.frame(this.boxes[to], Math.abs(to - from) > 1);
  }

  /** The slots that differ between two positions, with their shapes in the second (-1: none). */
  #changes(from, to) {
    const touched = new Map();
    for (let at = Math.min(from, to) + 1; at <= Math.max(from, to); at++) {
      const changes = this.data.frames[at].board ?? [];
      for (let i = 0; i < changes.length; i += 2) touched.set(changes[i], to > from ? changes[i + 1] : this.#shape(changes[i], to));
    }
    return touched;
  }

  #shape(slot, at) {
    const history = this.history[slot];
    let shape = -1;
    for (let i = 0; i < history.length && history[i] <= at; i += 2) shape = history[i + 1];
    return shape;
  }

  /** The position in notation. */
  text(at) {
    const lines = [];
    for (const { text } of this.data.frames.slice(0, at + 1)) for (const [line, gone, come] of text ?? []) lines.splice(line, gone, ...come);
    return `${lines.join("\n")}\n`;
  }

  /** The forfeit in the decision that led to a position. */
  forfeit(at) {
    return (this.data.forfeits ?? []).find(({ index }) => index === at - 1);
  }

  /** How much the decision that led to a position changed a seat's first number (its points). */
  gain(at, seat) {
    const change = at && this.columns[at].length ? this.columns[at][0][seat] - this.columns[at - 1][0][seat] : 0;
    return Number(change.toFixed(3));
  }

  nextTurn(at) {
    return this.data.turns.find((turn) => turn > at) ?? this.end;
  }

  turnBegan(at) {
    return this.data.turns.filter((turn) => turn < at).at(-1) ?? 0;
  }

  /** How far the match has come, in words. */
  said(at) {
    return at ? `after decision ${at} of ${this.end}` : `the start, before ${this.end} decisions`;
  }
}

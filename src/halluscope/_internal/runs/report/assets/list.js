// The list of cases. Only the rows that can be seen exist: ten thousand cases scroll like ten.

const BEYOND = 6;

export class List {
  /** `make()` gives an empty row, `fill(row, result)` writes a result into it; `onchoose(result)` hears a choice. */
  constructor(root, rowHeight, { make, fill, onchoose }) {
    Object.assign(this, { root, rowHeight, make, fill, onchoose });
    this.space = root.firstElementChild;
    this.results = [];
    this.current = -1;
    this.rows = new Map();
    this.spare = [];
    root.addEventListener("scroll", () => this.paintSoon(), { passive: true });
    root.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => this.paintSoon()).observe(root);
  }

  /** Show these results, keeping the chosen one chosen if it is among them. */
  show(results) {
    const kept = this.results[this.current];
    this.results = results;
    this.current = kept === undefined ? -1 : results.indexOf(kept);
    this.space.style.height = `${results.length * this.rowHeight}px`;
    for (const index of [...this.rows.keys()]) this.drop(index);
    if (this.current < 0) this.root.scrollTop = 0;
    else this.reveal(this.current);
    this.paint();
  }

  /** Choose by place in the list, without telling anybody. */
  mark(index) {
    const before = this.rows.get(this.current);
    if (before) before.setAttribute("aria-selected", "false");
    this.current = index;
    if (index >= 0) this.reveal(index);
    this.paint();
    const row = this.rows.get(index);
    if (row) {
      row.setAttribute("aria-selected", "true");
      this.root.setAttribute("aria-activedescendant", row.id);
    } else this.root.removeAttribute("aria-activedescendant");
  }

  /** Go `steps` on from the chosen case. */
  move(steps) {
    if (!this.results.length) return;
    const from = this.current < 0 && steps > 0 ? -1 : this.current;
    this.choose(Math.min(this.results.length - 1, Math.max(0, from + steps)));
  }

  choose(index) {
    this.mark(index);
    this.onchoose(this.results[index]);
  }

  pageLength() {
    return Math.max(1, Math.floor(this.root.clientHeight / this.rowHeight) - 1);
  }

  reveal(index) {
    const top = index * this.rowHeight;
    const seen = this.root.clientHeight;
    if (top < this.root.scrollTop) this.root.scrollTop = top;
    else if (top + this.rowHeight > this.root.scrollTop + seen) this.root.scrollTop = top + this.rowHeight - seen;
  }

  clicked(event) {
    const row = event.target.closest("[role=option]");
    if (row) this.choose(Number(row.dataset.index));
  }

  paintSoon() {
    this.painting ??= requestAnimationFrame(() => {
      this.painting = undefined;
      this.paint();
    });
  }

  paint() {
    const first = Math.max(0, Math.floor(this.root.scrollTop / this.rowHeight) - BEYOND);
    const seen = Math.ceil(this.root.clientHeight / this.rowHeight) + 2 * BEYOND;
    const last = Math.min(this.results.length - 1, first + seen);
    for (const index of [...this.rows.keys()]) if (index < first || index > last) this.drop(index);
    for (let index = first; index <= last; index++) if (!this.rows.has(index)) this.put(index);
  }

  put(index) {
    const row = this.spare.pop() ?? this.make();
    row.id = `row-${index}`;
    row.dataset.index = index;
    row.setAttribute("aria-posinset", index + 1);
    row.setAttribute("aria-setsize", this.results.length);
    row.setAttribute("aria-selected", String(index === this.current));
    row.style.transform = `translateY(${index * this.rowHeight}px)`;
    this.fill(row, this.results[index]);
    this.rows.set(index, row);
    if (row.parentNode !== this.space) this.space.append(row);
    row.hidden = false;
  }

  drop(index) {
    const row = this.rows.get(index);
    this.rows.delete(index);
    row.hidden = true;
    this.spare.push(row);
  }
}

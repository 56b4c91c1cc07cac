// A report put together: one state, and what happens when it changes.

import { CaseView } from "./case.js";
import { byId, h, speak } from "./dom.js";
import { chosen, everything, ordered } from "./filters.js";
import { startKeys } from "./keys.js";
import { List } from "./list.js";
import { overview } from "./overview.js";
import { startPrinting } from "./printing.js";
import { Search, markFound } from "./search.js";
import { ROW_HEIGHT, Sidebar, fillRow, makeRow } from "./sidebar.js";
import { count, metricName, plural, score } from "./words.js";
import { addressOf } from "./worst.js";

const SHORTCUTS = [
  ["j  k", "next and previous case"],
  ["↓  ↑", "the same, in the list"],
  ["Enter", "read the chosen case"],
  ["→  ←", "next and previous claim, with its evidence"],
  ["/", "search"],
  ["m", "next metric"],
  ["t", "light or dark"],
  ["Esc", "let go of the claim, then of the case, then of the filters"],
  ["?", "this help"],
];

export class Report {
  constructor(store) {
    this.store = store;
    this.state = everything(store);
    this.rows = [];
    this.main = byId("main");
    this.search = new Search(store);
    this.sidebar = new Sidebar(store, byId("filters"), (change, redraw) => this.change(change, redraw));
    this.list = new List(byId("list"), ROW_HEIGHT, {
      make: makeRow,
      fill: (row, result) => fillRow(store, row, result),
      onchoose: (result) => this.open(result),
    });
    this.view = new CaseView(store, this.main, {
      other: (result) => this.openElsewhere(result),
      move: (steps) => this.list.move(steps),
      back: () => this.showList(),
    });
    byId("run-name").textContent = store.run.name;
    byId("home").addEventListener("click", () => this.showOverview());
    byId("clear").addEventListener("click", () => this.reset());
  }

  start() {
    this.drawMetrics();
    this.redrawAll();
    const asked = this.fromAddress();
    if (asked === undefined) this.showOverview();
    else this.openElsewhere(asked);
    addEventListener("hashchange", () => {
      const result = this.fromAddress();
      if (result !== undefined && result !== this.view.result) this.openElsewhere(result);
    });
  }

  // The state

  change(change, redraw = false) {
    Object.assign(this.state, change);
    if (redraw) this.sidebar.draw(this.state);
    this.refresh();
    if ("query" in change && change.query.trim() && !this.search.texts) this.readTexts();
  }

  async readTexts() {
    await this.search.load((share) => this.tellStatus(share));
    this.refresh();
  }

  refresh() {
    const found = this.search.matcher(this.state.query);
    this.rows = ordered(this.store, this.state, chosen(this.store, this.state, found));
    this.list.show(this.rows);
    this.sidebar.redraw(this.state, this.rows);
    markFound(this.main, this.state.query);
    if (this.view.result !== undefined) this.view.tellPlace(this.placeOf(this.view.result));
    this.tellStatus();
  }

  tellStatus(read = null) {
    const all = this.store.byMetric[this.state.metric].length;
    const shown =
      this.rows.length === all ? plural(all, "case") : `${count(this.rows.length)} of ${plural(all, "case")}`;
    byId("status").textContent = read === null ? shown : `${shown}, reading texts ${Math.round(read * 100)} %`;
    document.body.classList.toggle("filtered", this.rows.length !== all);
  }

  redrawAll() {
    this.sidebar.draw(this.state);
    this.refresh();
  }

  reset(changes = {}) {
    const { metric = this.state.metric, ...rest } = changes;
    const state = everything(this.store, metric);
    for (const [name, value] of Object.entries(rest)) state[name] = Array.isArray(value) ? new Set(value) : value;
    this.state = state;
    this.drawMetrics();
    this.redrawAll();
  }

  useMetric(metric) {
    if (metric === this.state.metric) return;
    this.reset({ metric, query: this.state.query, sort: this.state.sort, group: this.state.group });
    const row = this.view.result === undefined ? undefined : this.store.results.case[this.view.result];
    const same = this.store.byMetric[metric].find((result) => this.store.results.case[result] === row);
    if (same !== undefined) this.openElsewhere(same);
  }

  // What is shown

  drawMetrics() {
    byId("metrics").replaceChildren(
      ...this.store.metrics.map((metric, i) => {
        const pressed = i === this.state.metric;
        return h(
          "button",
          { type: "button", "aria-pressed": String(pressed), class: "metric", onclick: () => this.useMetric(i) },
          metricName(metric.name),
          h("b", {}, metric.mean ? score(metric.mean.value) : "–"),
        );
      }),
    );
  }

  showOverview() {
    this.view.leave();
    this.list.mark(-1);
    this.main.replaceChildren(
      overview(this.store, {
        go: (changes) => {
          this.reset(changes);
          this.showList();
          byId("list").focus();
        },
        open: (result) => this.openElsewhere(result),
      }),
    );
    this.main.scrollTop = 0;
    this.turnTo("overview");
    this.address("");
  }

  /** On a narrow screen the list and what is read take turns. */
  showList() {
    this.turnTo("list");
  }

  turnTo(view) {
    document.body.dataset.view = view;
  }

  async open(result) {
    this.turnTo("case");
    this.address(addressOf(this.store, result));
    await this.view.show(result, this.placeOf(result));
    markFound(this.main, this.state.query);
    const { cases, results } = this.store;
    speak(`Case ${cases.id[results.case[result]]}, score ${score(results.score[result])}`);
  }

  placeOf(result) {
    return { at: this.rows.indexOf(result), of: this.rows.length };
  }

  /** Open a result that may belong to another metric, or be hidden by the filters. */
  openElsewhere(result) {
    const metric = this.store.results.metric[result];
    if (metric !== this.state.metric) this.reset({ metric });
    if (!this.rows.includes(result)) this.reset();
    this.list.mark(this.rows.indexOf(result));
    return this.open(result);
  }

  address(hash) {
    history.replaceState(null, "", hash || location.pathname + location.search);
  }

  fromAddress() {
    const [name, row] = location.hash.slice(1).split("/");
    const { metrics, results } = this.store;
    const named = (result) => encodeURIComponent(metrics[results.metric[result]].name) === name;
    return this.store.byCase[Number(row)]?.find(named);
  }

  // The keyboard

  letGo() {
    const field = byId("search");
    if (document.activeElement === field) {
      if (field.value) {
        field.value = "";
        this.change({ query: "" });
      } else byId("list").focus();
    } else if (this.view.claim !== null) this.view.judged.choose(null);
    else if (document.body.dataset.view === "case") this.showOverview();
    else this.reset();
  }

  keys() {
    const move = (steps) => () => this.list.move(steps);
    const page = (way) => () => this.list.move(way * this.list.pageLength());
    const metric = () => this.useMetric((this.state.metric + 1) % this.store.metrics.length);
    const everywhere = {
      j: move(1),
      k: move(-1),
      ArrowRight: () => this.view.judged.step(1),
      ArrowLeft: () => this.view.judged.step(-1),
      "/": () => {
        if (!byId("search").offsetParent) this.showList();
        this.sidebar.focusSearch();
      },
      m: metric,
      Escape: () => this.letGo(),
    };
    const inList = {
      ArrowDown: move(1),
      ArrowUp: move(-1),
      PageDown: page(1),
      PageUp: page(-1),
      Home: () => this.list.move(-Infinity),
      End: () => this.list.move(this.rows.length),
      Enter: () => {
        if (this.list.current < 0) this.list.move(1);
        this.main.focus();
      },
    };
    startKeys(SHORTCUTS, everywhere, inList, byId("list"));
  }
}

/** Show a report, from wherever its data came. */
export function showReport(store) {
  if (!store.metrics.length) {
    byId("loading").textContent = `${store.run.name} has no results yet.`;
    return;
  }
  const report = new Report(store);
  report.keys();
  report.start();
  startPrinting(store, () => ({ state: report.state, rows: report.rows }));
}

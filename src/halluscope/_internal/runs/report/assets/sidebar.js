// The filters above the list, and what a row of the list looks like.

import { byId, h } from "./dom.js";
import { standing, tallied } from "./filters.js";
import { binned, histogram } from "./histogram.js";
import { CHANGE_WORDS, GLYPHS, NO_SCORE, SUPPORT_WORDS, count, score } from "./words.js";

export const ROW_HEIGHT = 68;

const STANDING_WORDS = { missed: "failed", passed: "passed" };
const SORTS = { worst: "worst first", best: "best first", file: "as in the file", change: "most worsened first" };

/** Draws the filters for a state; `onchange` hears what the reader changes in it. */
export class Sidebar {
  constructor(store, root, onchange) {
    Object.assign(this, { store, root, onchange });
  }

  draw(state) {
    const { metric } = state;
    const tally = tallied(this.store, metric);
    const chips = (set, keys, words, kind = "") =>
      keys
        .filter((key) => tally[set].get(key))
        .map((key) => this.chip(state, set, key, words(key), tally[set].get(key), kind || key));
    const standings = ["missed", "passed", ...Object.keys(NO_SCORE)];
    this.chart = h("div", { class: "range-chart" });
    this.root.replaceChildren(
      this.searchField(state),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": "Outcome" },
        chips("standings", standings, (key) => STANDING_WORDS[key] ?? NO_SCORE[key][0]),
      ),
      h(
        "div",
        { class: "chips", role: "group", "aria-label": "Contains claims that are" },
        chips(
          "supports",
          ["contradicted", "unsupported", "supported"],
          (key) => `${GLYPHS[key]} ${SUPPORT_WORDS[key]}`,
        ),
      ),
      this.store.baseline
        ? h(
            "div",
            { class: "chips", role: "group", "aria-label": "Change" },
            chips("changes", Object.keys(CHANGE_WORDS), (key) => CHANGE_WORDS[key]),
          )
        : "",
      this.groupChip(state),
      this.range(state),
    );
    byId("sorting").replaceChildren(this.sorting(state));
  }

  searchField(state) {
    const field = h("input", {
      type: "search",
      id: "search",
      placeholder: "Search texts, ids, reasons",
      "aria-label": "Search",
      autocomplete: "off",
      spellcheck: "false",
      value: state.query,
    });
    let waiting;
    field.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.onchange({ query: field.value }), 120);
    });
    return h("div", { class: "search" }, field, h("kbd", { "aria-hidden": "true" }, "/"));
  }

  chip(state, set, key, words, n, kind) {
    const pressed = state[set].has(key);
    const chip = h(
      "button",
      { type: "button", class: `chip ${kind}`, "aria-pressed": String(pressed), "data-key": key },
      words,
      h("span", { class: "n" }, count(n)),
    );
    chip.addEventListener("click", () => {
      const next = new Set(state[set]);
      if (!next.delete(key)) next.add(key);
      chip.setAttribute("aria-pressed", String(next.has(key)));
      this.onchange({ [set]: next });
    });
    return chip;
  }

  /** The group of cases that is shown, if it is one. A click lets go of it. */
  groupChip({ group }) {
    if (!group) return "";
    const { name, values } = this.store.groups[group.column];
    const onclick = () => this.onchange({ group: null }, true);
    const words = `${name}: ${values[group.value]} ✕`;
    const chip = h("button", { type: "button", class: "chip", "aria-pressed": "true", onclick }, words);
    return h("div", { class: "chips", role: "group", "aria-label": "Metadata" }, chip);
  }

  range(state) {
    const { low, high } = this.store.metrics[state.metric].histogram;
    const words = h("output", { class: "faint" });
    const thumb = (which, label) =>
      h("input", {
        type: "range",
        min: low,
        max: high,
        step: (high - low) / 100,
        "aria-label": label,
        class: which,
        value: state[which],
      });
    const [from, to] = [thumb("low", "Lowest score"), thumb("high", "Highest score")];
    const tell = () => {
      const all = Number(from.value) <= low && Number(to.value) >= high;
      words.textContent = all ? "all" : `${score(Number(from.value))} – ${score(Number(to.value))}`;
    };
    const moved = (event) => {
      if (Number(from.value) > Number(to.value)) event.target.value = event.target === from ? to.value : from.value;
      tell();
      this.onchange({ low: Number(from.value), high: Number(to.value) });
    };
    from.addEventListener("input", moved);
    to.addEventListener("input", moved);
    tell();
    return h(
      "fieldset",
      { class: "range" },
      h("legend", {}, "Score ", words),
      this.chart,
      h("div", { class: "thumbs" }, from, to),
    );
  }

  sorting(state) {
    return h(
      "select",
      { id: "sort", "aria-label": "Order", onchange: (event) => this.onchange({ sort: event.target.value }) },
      Object.entries(SORTS)
        .filter(([key]) => key !== "change" || this.store.baseline)
        .map(([key, words]) => h("option", { value: key, selected: key === state.sort }, words)),
    );
  }

  /** The distribution of what is shown, before the distribution of everything. */
  redraw(state, rows) {
    const metric = this.store.metrics[state.metric];
    const of = (list) => binned(list, this.store.results, metric.histogram);
    const all = of(this.store.byMetric[state.metric]).counts;
    const label = `Distribution of the scores of ${count(rows.length)} cases`;
    this.chart.replaceChildren(
      histogram(metric, of(rows), {
        height: 40,
        whole: all,
        label,
        onpick: (low, high) => this.onchange({ low, high }, true),
      }),
    );
  }

  focusSearch() {
    const field = byId("search");
    field.focus();
    field.select();
  }
}

/** An empty row of the list. Rows are used again and again while the reader scrolls. */
export function makeRow() {
  const parts = {
    score: h("span"),
    snippet: h("span", { class: "snippet", dir: "auto" }),
    standing: h("span"),
    change: h("span"),
    id: h("code"),
    supported: h("span", { class: "supported" }),
    unsupported: h("span", { class: "unsupported" }),
    contradicted: h("span", { class: "contradicted" }),
  };
  const bar = h(
    "span",
    { class: "support-bar", "aria-hidden": "true" },
    parts.supported,
    parts.unsupported,
    parts.contradicted,
  );
  const foot = h("span", { class: "row-foot" }, parts.standing, parts.change, parts.id, bar);
  const row = h(
    "div",
    { class: "row", role: "option" },
    parts.score,
    h("span", { class: "row-body" }, parts.snippet, foot),
  );
  row.parts = parts;
  return row;
}

/** Write one result into a row. */
export function fillRow(store, { parts }, result) {
  const { cases, results } = store;
  const at = results.case[result];
  const stands = standing(store, result);
  const kind = { passed: "good", missed: "bad" }[stands] ?? "none";
  const change = store.change(result);
  const changed = change !== null && change !== "same";
  parts.score.className = `row-score ${kind}`;
  parts.score.textContent = kind === "none" ? "–" : score(results.score[result]);
  parts.snippet.textContent = cases.snippet[at] || "(empty output)";
  parts.standing.className = `row-standing ${kind}`;
  parts.standing.textContent = { good: "✓ passed", bad: "✗ failed" }[kind] ?? `○ ${NO_SCORE[stands][0]}`;
  parts.change.className = `row-change ${change}`;
  parts.change.hidden = !changed;
  parts.change.textContent = changed ? CHANGE_WORDS[change] : "";
  parts.id.textContent = cases.id[at];
  for (const support of ["supported", "unsupported", "contradicted"]) {
    const n = results[support][result];
    parts[support].hidden = !n;
    parts[support].style.flexGrow = n;
  }
}

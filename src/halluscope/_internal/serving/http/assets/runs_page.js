// The runs that are kept: their figures, and two of them to be compared.

import { askJson } from "./api.js";
import { byId, h } from "./dom.js";
import { startKeys } from "./keys.js";
import { startTheme } from "./theme.js";
import { count, metricName, percent, score } from "./words.js";

const AT_ONCE = 24;
/** Runs whose figures are read at first; the rest on demand. */

const SHORTCUTS = [
  ["Tab", "from run to run"],
  ["Space", "choose a run to compare"],
  ["Enter", "open a run"],
  ["t", "light or dark"],
  ["?", "this help"],
];

function viewOf(run, baseline = null) {
  const query = new URLSearchParams(baseline ? { run, baseline } : { run });
  return `/runs/view?${query}`;
}

class RunsPage {
  constructor(root, runs) {
    this.root = root;
    this.runs = [...runs].reverse();
    this.chosen = new Set();
    this.rows = h("tbody");
    this.bar = h("p", { class: "compare-bar", role: "status" });
    this.shown = 0;
    this.more = h("button", { type: "button", class: "link", onclick: () => this.showMore() }, "Show more");
  }

  start() {
    const heads = ["", "run", "figures", "cases", "judge", "when"];
    this.root.replaceChildren(
      h("h1", {}, "Runs"),
      h("p", { class: "lead" }, "Open one to read its cases, or choose two to see what changed between them."),
      this.bar,
      h(
        "div",
        { class: "table-scroll" },
        h(
          "table",
          { class: "runs" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map((head) => h("th", { scope: "col" }, head)),
            ),
          ),
          this.rows,
        ),
      ),
      this.more,
    );
    this.showMore();
    this.tell();
  }

  showMore() {
    const next = this.runs.slice(this.shown, this.shown + AT_ONCE);
    this.shown += next.length;
    this.more.hidden = this.shown >= this.runs.length;
    for (const run of next) this.rows.append(this.row(run));
  }

  row(run) {
    const figures = h("td", { class: "figures faint" }, "…");
    this.read(run, figures);
    const box = h("input", { type: "checkbox", "aria-label": `Compare ${run.name}` });
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(run.name);
      else this.chosen.delete(run.name);
      this.tell();
    });
    const judges = [...new Set(run.scorers.map(({ judge }) => judge))].join(", ");
    return h(
      "tr",
      {},
      h("td", {}, box),
      h(
        "th",
        { scope: "row" },
        h("a", { href: viewOf(run.name) }, run.name),
        run.state === "finished" ? null : h("span", { class: "change noise", title: run.note }, run.state),
      ),
      figures,
      h("td", { class: "number" }, count(run.cases)),
      h("td", {}, judges),
      h("td", { class: "faint" }, new Date(run.created * 1000).toLocaleString()),
    );
  }

  async read(run, cell) {
    try {
      const { summary } = await askJson(`/v1/runs/${encodeURIComponent(run.name)}`);
      cell.classList.remove("faint");
      const figure = (metric) =>
        h(
          "span",
          { class: "figure-of", title: `${percent(metric.coverage)} of the cases have a score` },
          metricName(metric.metric),
          h("b", {}, metric.mean === null ? "–" : score(metric.mean)),
          h("span", { class: "faint" }, `${count(metric.passed)} of ${count(metric.scored)} passed`),
        );
      cell.replaceChildren(h("div", {}, summary.metrics.map(figure)));
    } catch (error) {
      cell.replaceChildren(error.message);
    }
  }

  /** What can be done with the runs that are chosen. */
  tell() {
    // The later run is read, the earlier one is what it is held against.
    const [after, before] = this.runs.filter(({ name }) => this.chosen.has(name)).map(({ name }) => name);
    const two = this.chosen.size === 2;
    this.bar.replaceChildren(
      ...(two
        ? [h("a", { class: "primary", href: viewOf(after, before) }, `What changed from ${before} to ${after}`)]
        : [this.chosen.size > 2 ? "Choose two runs, no more." : this.chosen.size ? "Choose one more to compare." : ""]),
    );
  }
}

async function start() {
  startTheme();
  startKeys(SHORTCUTS, {});
  byId("home").addEventListener("click", () => location.assign("/"));
  const { runs } = await askJson("/v1/runs");
  if (runs.length) new RunsPage(byId("runs"), runs).start();
  else byId("loading").textContent = "There are no runs yet: make one with `halluscope eval`.";
}

start()
  .catch((error) => {
    byId("loading")?.replaceChildren(`The runs could not be read: ${error.message}`);
    throw error;
  })
  .finally(() => {
    document.documentElement.dataset.ready = "true";
  });

// The run as a whole: one card per metric, what changed, what has no score, what it cost.

import { h } from "./dom.js";
import { dataTable } from "./data_table.js";
import { breakdown } from "./groups.js";
import { histogram, whisker } from "./histogram.js";
import {
  CHANGE_WORDS,
  GLYPHS,
  NO_SCORE,
  SUPPORT_WORDS,
  count,
  duration,
  interval,
  metricName,
  money,
  percent,
  plural,
  rule,
  score,
  signed,
} from "./words.js";
import { worstCases } from "./worst.js";

/** `go(changes)` shows the list with these filters; `open(result)` shows one case. */
export function overview(store, { go, open }) {
  const { run, metrics } = store;
  const facts = [run.created, run.judge && `judge ${run.judge}`, plural(store.total, "case")];
  return h(
    "article",
    { class: "overview" },
    h("h1", {}, run.name),
    h("p", { class: "lead" }, facts.filter(Boolean).join(" · ")),
    store.cases.id.length < store.total
      ? h(
          "p",
          { class: "note" },
          `The list holds ${listed(store)}; the figures here count all of them.`,
        )
      : null,
    h(
      "div",
      { class: "cards" },
      metrics.map((metric, i) => card(metric, i, go)),
    ),
    store.baseline ? changes(store, go, open) : null,
    worstCases(store),
    breakdown(store, go),
    notScored(store, go),
    unread(store),
    cost(metrics, store),
    jump(),
  );
}

/** On a phone, where cases and figures stand below each other: a link from the one to the other. */
function jump() {
  const link = h("a", { class: "jump", href: "#figures" }, "Figures ↓");
  const sidebar = document.querySelector(".sidebar");
  const atFigures = () => link.closest(".overview").getBoundingClientRect().top < innerHeight / 2;
  const watch = new IntersectionObserver(
    () => {
      if (link.isConnected) link.textContent = atFigures() ? "Cases ↑" : "Figures ↓";
      else watch.disconnect();
    },
    { threshold: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6] },
  );
  watch.observe(sidebar);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    (atFigures() ? sidebar : link.closest(".overview")).scrollIntoView();
  });
  return link;
}

function listed(store) {
  const [shown, all] = [count(store.cases.id.length), count(store.total)];
  if (!store.sampled) return `the first ${shown} of ${all} cases`;
  return `a sample of ${shown} of ${all} cases, drawn at random from those that did not pass and from the others`;
}

function card(metric, number, go) {
  const { mean, passed } = metric;
  const words = `Distribution of ${count(metric.scored)} scores from ${metric.histogram.low} to ${metric.histogram.high}`;
  return h(
    "section",
    { class: "card" },
    h(
      "h2",
      {},
      metricName(metric.name),
      h("span", { class: "faint" }, metric.direction === "lower" ? "lower is better" : "higher is better"),
    ),
    mean
      ? [
          h(
            "p",
            { class: "figure" },
            h("span", { class: "big" }, score(mean.value)),
            h("span", { class: "interval", title: "95 % bootstrap interval of the mean" }, interval(mean, score)),
            metric.change ? changePill(metric) : null,
          ),
          histogram(metric, metric.histogram, {
            label: words,
            onpick: (low, high) => go({ metric: number, low, high }),
          }),
          whisker(metric),
          h(
            "p",
            { class: "axis faint" },
            h("span", {}, metric.histogram.low),
            h("span", {}, rule(metric.direction, metric.threshold)),
            h("span", {}, metric.histogram.high),
          ),
        ]
      : h("p", { class: "figure faint" }, "No case has a score."),
    h(
      "dl",
      { class: "facts" },
      passed
        ? fact(
            "passed",
            percent(passed.value),
            interval(passed, percent),
            () => go({ metric: number, standings: ["missed"] }),
            "Show those that failed",
          )
        : null,
      fact("scored", percent(metric.scored / metric.results), `${count(metric.scored)} of ${count(metric.results)}`),
    ),
    supportBar(metric, number, go),
  );
}

function fact(name, value, aside, onclick = null, title = null) {
  const shown = onclick ? h("button", { type: "button", class: "link", onclick, title }, value) : value;
  return h("div", {}, h("dt", {}, name), h("dd", {}, shown, aside ? h("span", { class: "faint" }, aside) : null));
}

/** The claims of all cases as one bar, in the colours of their verdicts. */
function supportBar(metric, number, go) {
  const shown = ["supported", "unsupported", "contradicted"].filter((support) => metric.supports[support]);
  const total = shown.reduce((sum, support) => sum + metric.supports[support], 0);
  if (!total) return null;
  const bar = h("div", { class: "support-bar", "aria-hidden": "true" });
  for (const support of shown) {
    const part = h("span", { class: support });
    part.style.flexGrow = metric.supports[support];
    bar.append(part);
  }
  return h(
    "div",
    { class: "supports" },
    bar,
    h(
      "p",
      {},
      shown.map((support) =>
        h(
          "button",
          { type: "button", class: `key link ${support}`, onclick: () => go({ metric: number, supports: [support] }) },
          `${GLYPHS[support]} ${count(metric.supports[support])} `,
          h("u", {}, SUPPORT_WORDS[support]),
        ),
      ),
    ),
  );
}

function changePill({ change, direction }) {
  const { value } = change.mean;
  const better = value > 0 === (direction === "higher");
  const kind = !change.beyond_noise ? "noise" : better ? "better" : "worse";
  const words = { noise: "within noise", better: "better", worse: "worse" }[kind];
  return h(
    "span",
    { class: `change ${kind}`, title: "Difference of the means on cases scored by both runs" },
    `${signed(value)} ${words}`,
  );
}

function changes(store, go, open) {
  const rows = store.metrics.map((metric, number) => {
    const { change } = metric;
    const cell = (kind) => {
      const n = change.counts[kind] ?? 0;
      if (!n) return h("span", { class: "faint" }, "0");
      const onclick = () => go({ metric: number, changes: [kind], sort: "change" });
      return h("button", { type: "button", class: "link", onclick, title: CHANGE_WORDS[kind] }, count(n));
    };
    const name = [metricName(metric.name)];
    if (!change.comparable) {
      const title = "The metric's version or the judge is not the same";
      name.push(h("span", { class: "warning", title }, " not the same measure"));
    }
    return [
      name,
      [changePill(metric), h("span", { class: "faint" }, ` ${interval(change.mean, signed)}`)],
      ...["worse", "better", "lost", "new"].map(cell),
      h("span", { class: "faint" }, count(change.gone)),
    ];
  });
  const heads = ["", "mean (95 % interval)", "worse", "better", "lost score", "new", "gone"];
  const since = [store.baseline.name, store.baseline.created].filter(Boolean).join(", ");
  return h(
    "section",
    { class: "changes" },
    h("h2", {}, "What changed", h("span", { class: "faint" }, `since ${since}`)),
    dataTable(heads, rows, { numbers: 2 }),
    regressions(store, open),
  );
}

/** The cases that fell furthest, each by the metric that fell most. */
function regressions(store, open) {
  const { results, cases, metrics } = store;
  const fall = (result) => {
    const way = metrics[results.metric[result]].direction === "lower" ? 1 : -1;
    return way * (results.score[result] - results.before[result]);
  };
  const worse = results.case.map((_, result) => result).filter((result) => store.change(result) === "worse");
  if (!worse.length) return null;
  worse.sort((a, b) => fall(b) - fall(a));
  const shown = new Map();
  for (const result of worse) {
    if (shown.size === 6) break;
    if (!shown.has(results.case[result])) shown.set(results.case[result], result);
  }
  return h(
    "ol",
    { class: "regressions" },
    [...shown.values()].map((result) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", onclick: () => open(result) },
          h("span", { class: "moved" }, `${score(results.before[result])} → ${score(results.score[result])}`),
          h("span", { class: "snippet", dir: "auto" }, cases.snippet[results.case[result]]),
          metrics.length > 1 ? h("span", { class: "faint" }, metricName(metrics[results.metric[result]].name)) : null,
        ),
      ),
    ),
  );
}

/** Why cases have no score, with how many of each metric. */
function notScored(store, go) {
  const outcomes = Object.keys(NO_SCORE).filter((outcome) => store.metrics.some((metric) => metric.outcomes[outcome]));
  if (!outcomes.length) return null;
  const rows = outcomes.map((outcome) => [
    NO_SCORE[outcome][0],
    h("span", { class: "faint" }, NO_SCORE[outcome][1]),
    ...store.metrics.map((metric, number) => {
      const n = metric.outcomes[outcome];
      const onclick = () => go({ metric: number, standings: [outcome] });
      return n ? h("button", { type: "button", class: "link", onclick }, count(n)) : h("span", { class: "faint" }, "0");
    }),
  ]);
  const heads = ["", "", ...store.metrics.map((metric) => metricName(metric.name))];
  return h(
    "section",
    { class: "not-scored" },
    h("h2", {}, "Without a score", h("span", { class: "faint" }, "in no mean, and never counted as right")),
    dataTable(heads, rows, { numbers: 2 }),
  );
}

/** Rows of the data that never became a case. */
function unread({ unread: { count: n, first } }) {
  if (!n) return null;
  return h(
    "section",
    { class: "unread" },
    h(
      "h2",
      {},
      `${plural(n, "row")} could not be read`,
      n > first.length ? h("span", { class: "faint" }, `the first ${first.length} of them`) : null,
    ),
    dataTable(["", ""], first.map((row) => [row.place, row.reason]), { headed: false }),
  );
}

function cost(metrics, store) {
  const sum = (read) => metrics.reduce((total, metric) => total + read(metric), 0);
  const tokensIn = sum((metric) => metric.usage.input_tokens);
  const tokensOut = sum((metric) => metric.usage.output_tokens);
  const unpriced = sum((metric) => metric.unpriced);
  const cached = sum((metric) => metric.cached);
  const calls = sum((metric) => metric.usage.calls);
  const median = metrics.map((metric) => metric.latency.median).filter((value) => value !== undefined);
  return h(
    "section",
    { class: "cost" },
    h("h2", {}, "What it took"),
    h(
      "dl",
      { class: "facts" },
      calls ? fact("judge calls", count(calls), cached ? `${count(cached)} more from the cache` : null) : null,
      tokensIn + tokensOut
        ? fact("tokens", count(tokensIn + tokensOut), `${count(tokensIn)} in, ${count(tokensOut)} out`)
        : null,
      tokensIn + tokensOut
        ? fact(
            "cost",
            unpriced ? `${money(sum((m) => m.usage.cost))} +` : money(sum((m) => m.usage.cost)),
            unpriced ? `price not known for ${plural(unpriced, "result")}` : null,
          )
        : null,
      store.run.seconds && store.total
        ? fact("time", duration(store.run.seconds * 1000), plural(store.total, "case"))
        : null,
      median.length
        ? fact(
            "time on a case",
            duration(Math.max(...median)),
            `95 % within ${duration(Math.max(...metrics.map((m) => m.latency.p95 ?? 0)))}`,
          )
        : null,
    ),
  );
}

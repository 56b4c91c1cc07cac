// The cases that failed by most, with what is wrong and a link to each.

import { subject } from "./claims.js";
import { h } from "./dom.js";
import { GLYPHS, count, metricName, plural, score } from "./words.js";

const MOST_WORST = 8;

/** Where a result is read: the part of the address behind #. */
export function addressOf(store, result) {
  const { name } = store.metrics[store.results.metric[result]];
  return `#${encodeURIComponent(name)}/${store.results.case[result]}`;
}

/** The cases with a failed result and by how much they miss the best scores in all, the worst first. */
function failedCases(store) {
  const { results, metrics } = store;
  const found = new Map();
  results.passed.forEach((passed, result) => {
    if (passed !== 0) return;
    const { direction, histogram } = metrics[results.metric[result]];
    const { low, high } = histogram;
    const value = results.score[result];
    const missed = (direction === "lower" ? value - low : high - value) / (high - low);
    const row = results.case[result];
    const known = found.get(row) ?? { missed: 0, failed: [] };
    found.set(row, { missed: known.missed + missed, failed: [...known.failed, result] });
  });
  return [...found.values()].sort((a, b) => b.missed - a.missed);
}

/** What is wrong with a result, in a line. */
function wrongIn({ verdicts = [], reason }) {
  const worst =
    verdicts.find(({ support }) => support === "contradicted") ??
    verdicts.find(({ support }) => support === "unsupported");
  if (!worst) return reason ?? "";
  return `${GLYPHS[worst.support]} ${subject(worst)}${worst.reason ? ` – ${worst.reason}` : ""}`;
}

export function worstCases(store) {
  const { cases, results, metrics } = store;
  const all = failedCases(store);
  if (!all.length) return null;
  const entry = ({ failed }) => {
    const row = results.case[failed[0]];
    const why = h("span", { class: "why", dir: "auto" });
    store.texts.record(results.record[failed[0]]).then((record) => {
      why.textContent = wrongIn(record);
    });
    const scores = failed.map((result) => {
      const { name } = metrics[results.metric[result]];
      return h("span", { class: "bad" }, `${metricName(name)} ${score(results.score[result])}`);
    });
    return h(
      "li",
      {},
      h(
        "a",
        { href: addressOf(store, failed[0]) },
        h("span", { class: "snippet", dir: "auto" }, cases.snippet[row] || "(empty output)"),
        why,
        h("span", { class: "worst-foot" }, h("code", {}, cases.id[row]), scores),
      ),
    );
  };
  const aside =
    all.length > MOST_WORST ? `${MOST_WORST} of ${count(all.length)} that failed` : `${plural(all.length, "case")} failed`;
  return h(
    "section",
    { class: "worst" },
    h("h2", {}, "Worst cases", h("span", { class: "faint" }, aside)),
    h("ol", {}, all.slice(0, MOST_WORST).map(entry)),
  );
}

// The cases by the values of their metadata: which model, topic or source does worse.

import { h } from "./dom.js";
import { dataTable } from "./data_table.js";
import { count, metricName, percent, score } from "./words.js";

/** The values of one column with their figures for each metric, the value with the fewest passed first. */
function groupsOf({ results, metrics }, { values, of }) {
  const groups = values.map((name, value) => ({
    ...{ name, value, cases: 0 },
    figures: metrics.map(() => ({ scored: 0, passed: 0, sum: 0 })),
  }));
  for (const value of of) if (value >= 0) groups[value].cases++;
  results.case.forEach((row, result) => {
    const figures = groups[of[row]]?.figures[results.metric[result]];
    if (!figures || results.score[result] === null) return;
    figures.scored++;
    figures.passed += results.passed[result];
    figures.sum += results.score[result];
  });
  const share = ({ figures: [{ scored, passed }] }) => (scored ? passed / scored : 2);
  return groups.sort((a, b) => share(a) - share(b));
}

/** One table for each column of metadata that makes groups. `go` shows the cases of a group. */
export function breakdown(store, go) {
  if (!store.groups.length || store.sampled) return null;
  const heads = ["", "cases", ...store.metrics.map((metric) => metricName(metric.name))];
  const tables = store.groups.map((column, number) => {
    const rows = groupsOf(store, column).map(({ name, value, cases, figures }) => [
      h("button", { type: "button", class: "link", onclick: () => go({ group: { column: number, value } }) }, name),
      count(cases),
      ...figures.map(({ scored, passed, sum }) =>
        scored
          ? [h("b", {}, score(sum / scored)), " ", h("span", { class: "faint" }, `${percent(passed / scored)} passed`)]
          : "–",
      ),
    ]);
    return h("div", { class: "group" }, h("h3", {}, column.name), dataTable(heads, rows, { numbers: 1 }));
  });
  const listed = store.cases.id.length < store.total ? `of the ${count(store.cases.id.length)} cases listed` : null;
  const section = h(
    "section",
    { class: "groups" },
    h("h2", {}, "By metadata", listed ? h("span", { class: "faint" }, listed) : null),
    h("div", { class: "group-tables" }, tables),
  );
  section.style.setProperty("--table-width", `${150 + 130 * store.metrics.length}px`);
  return section;
}

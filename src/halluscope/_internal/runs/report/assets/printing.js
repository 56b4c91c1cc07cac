// On paper: the overview, the case that is open, and a table of what the filters let through.

import { byId, h } from "./dom.js";
import { standing } from "./filters.js";
import { overview } from "./overview.js";
import { NO_SCORE, count, metricName, score } from "./words.js";

const MOST = 500;

function table(store, state, rows) {
  const { cases, results } = store;
  const words = (result) => {
    const stands = standing(store, result);
    return { passed: "✓ passed", missed: "✗ failed" }[stands] ?? NO_SCORE[stands][0];
  };
  const left = rows.length - MOST;
  return h(
    "section",
    { class: "printed-list" },
    h("h2", {}, `Cases, ${metricName(store.metrics[state.metric].name)}`),
    h(
      "table",
      {},
      h(
        "tbody",
        {},
        rows
          .slice(0, MOST)
          .map((result) =>
            h(
              "tr",
              {},
              h("td", {}, score(results.score[result])),
              h("td", {}, words(result)),
              h("td", { dir: "auto" }, cases.snippet[results.case[result]]),
              h("td", {}, cases.id[results.case[result]]),
            ),
          ),
      ),
    ),
    left > 0 ? h("p", { class: "faint" }, `and ${count(left)} more`) : null,
  );
}

/** `now()` gives the state and the rows at the moment of printing. */
export function startPrinting(store, now) {
  let printed = [];
  addEventListener("beforeprint", () => {
    const { state, rows } = now();
    const main = byId("main");
    const top = main.querySelector(".overview") ? null : overview(store, { go: () => {}, open: () => {} });
    const list = table(store, state, rows);
    printed = [top, list].filter(Boolean);
    if (top) main.prepend(top);
    main.append(list);
  });
  addEventListener("afterprint", () => printed.forEach((element) => element.remove()));
}

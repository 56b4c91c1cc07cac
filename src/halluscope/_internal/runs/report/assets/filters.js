// Which results are shown, and in which order. Nothing here touches the page.

/** A state in which everything is shown. */
export function everything(store, metric = 0) {
  const { low, high } = store.metrics[metric].histogram;
  return {
    ...{ metric, standings: new Set(), supports: new Set(), changes: new Set(), group: null },
    ...{ low, high, query: "", sort: "worst" },
  };
}

/** Where a result stands: passed, missed, or the reason why there is no score. */
export function standing(store, result) {
  const passed = store.results.passed[result];
  if (passed === null) return store.outcome(result);
  return passed ? "passed" : "missed";
}

/** The results of the chosen metric that every filter lets through. `found` says which cases the search found. */
export function chosen(store, state, found) {
  const { results } = store;
  const { low, high } = store.metrics[state.metric].histogram;
  const ranged = state.low > low || state.high < high;
  return store.byMetric[state.metric].filter((result) => {
    if (state.group && store.groups[state.group.column].of[results.case[result]] !== state.group.value) return false;
    if (state.standings.size && !state.standings.has(standing(store, result))) return false;
    if (state.changes.size && !state.changes.has(store.change(result))) return false;
    if (state.supports.size && ![...state.supports].some((support) => results[support][result] > 0)) return false;
    if (ranged) {
      const score = results.score[result];
      if (score === null || score < state.low - 1e-9 || score > state.high + 1e-9) return false;
    }
    return !found || found(results.case[result]);
  });
}

/** The results in the order that was asked for; those without a score come last. Equal ones stay as they are. */
export function ordered(store, state, rows) {
  if (state.sort === "file") return rows;
  const { score, before } = store.results;
  const better = store.metrics[state.metric].direction === "lower" ? -1 : 1;
  if (state.sort === "change") {
    const fell = (result) => {
      if (score[result] !== null && before[result] !== null) return better * (score[result] - before[result]);
      return { lost: -1e6, gained: 1e6 }[store.change(result)] ?? 0;
    };
    return [...rows].sort((a, b) => fell(a) - fell(b));
  }
  const sign = state.sort === "best" ? -better : better;
  const scored = rows.filter((result) => score[result] !== null);
  const rest = rows.filter((result) => score[result] === null);
  return [...scored.sort((a, b) => sign * (score[a] - score[b])), ...rest];
}

/** How many results stand where, how many contain which verdict, how many changed which way. */
export function tallied(store, metric) {
  const tally = { standings: new Map(), supports: new Map(), changes: new Map() };
  const add = (map, key) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const result of store.byMetric[metric]) {
    add(tally.standings, standing(store, result));
    for (const support of ["contradicted", "unsupported", "supported"]) {
      if (store.results[support][result]) add(tally.supports, support);
    }
    const change = store.change(result);
    if (change) add(tally.changes, change);
  }
  return tally;
}

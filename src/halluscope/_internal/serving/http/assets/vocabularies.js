// The verdicts as halluscope scores them, and in the words of each documented system with the score that they become there.

import { h } from "./dom.js";
import { NO_SCORE, metricName, rule, score } from "./words.js";

export const OWN = "halluscope";

/** Mastra has two scorers with a page each; the two of DeepEval share one. */
function tabOf({ system, name }) {
  return system === "Mastra" ? `${system} ${name.split(" ")[0]}` : system;
}

/** The tabs, each with the systems' scores that it shows, in the server's order. Our own comes first. */
export function tabsOf(systems) {
  const tabs = new Map([[OWN, []]]);
  for (const system of systems) tabs.set(tabOf(system), [...(tabs.get(tabOf(system)) ?? []), system]);
  return tabs;
}

/** Buttons to choose a vocabulary with; `onchoose` gets its name. */
export function vocabularyTabs(names, chosen, onchoose) {
  return h(
    "div",
    { class: "vocabularies", role: "tablist", "aria-label": "Vocabulary" },
    names.map((name) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          class: "metric",
          "aria-selected": String(name === chosen),
          "aria-pressed": String(name === chosen),
          tabindex: name === chosen ? "0" : "-1",
          onclick: () => onchoose(name),
        },
        name,
      ),
    ),
  );
}

/** The result's own score, and whether it passed. */
export function ownScore({ metric, score: value, passed, outcome, direction, threshold, label }) {
  const [tone, word] = passed === null ? ["none", NO_SCORE[outcome][0]] : passed ? ["good", "✓ passed"] : ["bad", "✗ failed"];
  return h(
    "div",
    { class: "systems" },
    h(
      "div",
      { class: `standing ${tone}` },
      h("span", { class: "big" }, value === null ? "no score" : score(value)),
      h("span", { class: "pill" }, word),
      h("span", { class: "of" }, h("b", {}, metricName(metric)), h("span", { class: "faint" }, rule(direction, threshold))),
      label ? h("span", { class: "label" }, label) : null,
    ),
  );
}

/** What one system makes of the verdicts. */
export function systemScores(systems, verdicts) {
  const contradicted = verdicts.some(({ support }) => support === "contradicted");
  return h(
    "div",
    { class: "systems" },
    systems.map((system) =>
      h(
        "div",
        { class: `standing system ${toneOf(system, contradicted)}` },
        h("span", { class: "big" }, system.score === null ? "no score" : score(system.score)),
        h(
          "span",
          { class: "of" },
          h("b", {}, `${system.system} ${system.name}`),
          h("span", { class: "faint" }, `${system.formula}; ${system.direction} is better`),
          system.score === null && system.reason ? h("span", { class: "faint" }, system.reason) : null,
        ),
        outputWord(system),
      ),
    ),
  );
}

/** Good at the good end of the scale; bad at the other half of it, and where a claim is contradicted. */
function toneOf({ score: value, direction }, contradicted) {
  if (value === null) return "none";
  const good = direction === "lower" ? 1 - value : value;
  return good >= 1 ? "good" : contradicted || good <= 0.5 ? "bad" : "mixed";
}

function outputWord({ words }) {
  const whole = words.find(({ unit }) => unit === "output");
  return whole ? h("span", { class: "label" }, whole.word) : null;
}

/** Write the systems' words beside the claims and passages that they are about; `entryOf(claim id)` finds an entry. */
export function tellWords(root, systems, entryOf) {
  for (const { system, words, name } of systems) {
    for (const { unit, id, word } of words) {
      const said = h("span", { class: "said", title: `the verdict of ${system}'s ${name}` }, `${system}: ${word}`);
      if (unit === "claim") entryOf(id)?.querySelector(".support")?.append(said);
      if (unit === "passage") root.querySelector(`.passage[data-passage="${id - 1}"]`)?.append(said);
    }
  }
}

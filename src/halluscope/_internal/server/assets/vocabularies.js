// The same verdicts in the words of each documented system, and the score that they become there.

import { h } from "./dom.js";
import { score } from "./words.js";

/** Mastra has two scorers with a page each; the two of DeepEval share one. */
function tabOf({ system, name }) {
  return system === "Mastra" ? `${system} ${name.split(" ")[0]}` : system;
}

/** The tabs, each with the scores that it shows, in the server's order. */
export function tabsOf(systems) {
  const tabs = new Map();
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

/** What one system makes of the verdicts. */
export function systemScores(systems) {
  return h(
    "div",
    { class: "systems" },
    systems.map((system) =>
      h(
        "div",
        { class: `standing ${toneOf(system)}` },
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

/** Good and bad as far as the number alone says it: the ends of the scale. */
function toneOf({ score: value, direction }) {
  if (value === null) return "none";
  const good = direction === "lower" ? 1 - value : value;
  return good >= 1 ? "good" : good <= 0.5 ? "bad" : "mixed";
}

function outputWord({ words }) {
  const whole = words.find(({ unit }) => unit === "output");
  return whole ? h("span", { class: "label" }, whole.word) : null;
}

/** Write the systems' words beside the claims and passages that they are about; `entryOf(claim id)` finds an entry. */
export function tellWords(root, systems, entryOf) {
  for (const { words, name } of systems) {
    for (const { unit, id, word } of words) {
      const said = h("span", { class: "said", title: `${name}: ${word}` }, word);
      if (unit === "claim") entryOf(id)?.querySelector(".support")?.prepend(said);
      if (unit === "passage") root.querySelector(`.passage[data-passage="${id - 1}"] .passage-number`)?.append(said);
    }
  }
}

// A repaired output: what was removed and added where it stood, and each edit with its evidence.

import { h } from "./dom.js";
import { plural } from "./words.js";

/** `repair` has places in UTF-16 units of `output`. */
export function repairBlock(output, { edits = [], unresolved = [], abstained = false, text }) {
  const told = unresolved.length ? `${plural(unresolved.length, "claim")} could not be repaired` : "nothing wrong is left";
  return h(
    "section",
    { class: "repair", "aria-label": "Repair" },
    h("h3", {}, "Repair", h("span", { class: "faint" }, `${plural(edits.length, "edit")}, ${told}`)),
    edits.length ? h("div", { class: "text output", dir: "auto" }, difference(output, edits)) : null,
    abstained ? h("p", { class: "note" }, `Nothing is left of the output, so the text is: ${text}`) : null,
    h("ol", { class: "entries" }, edits.map(entry)),
  );
}

function difference(output, edits) {
  let done = 0;
  const parts = edits.flatMap(({ start, end, before, after }) => {
    const kept = output.slice(done, start);
    done = end;
    return [kept, before ? h("del", {}, before) : null, after ? h("ins", {}, after) : null];
  });
  return [...parts, output.slice(done)];
}

function entry({ kind, before, after, why, evidence = [] }) {
  return h(
    "li",
    { class: "entry" },
    h("p", {}, h("b", {}, kind), " ", h("del", {}, before.trim()), " ", after.trim() ? h("ins", {}, after.trim()) : null),
    h("p", { class: "faint", dir: "auto" }, why),
    evidence.map(({ passage, quote }) => h("blockquote", { dir: "auto" }, quote, h("span", { class: "faint" }, ` (passage ${passage + 1})`))),
  );
}

// The verdicts of a case: coloured in the output, listed below it, and lit up in the context when chosen.

import { h } from "./dom.js";
import { withTables, textBlock } from "./marks.js";
import { GLYPHS, SUPPORTS, SUPPORT_WORDS, percent } from "./words.js";

/** The worst support among several verdicts. */
function worst(verdicts) {
  return SUPPORTS.find((support) => verdicts.some((verdict) => verdict.support === support));
}

/** Whether the judge says itself that it might as well be otherwise. */
function unsure(verdict) {
  return verdict.confidence !== undefined && verdict.confidence < 0.75;
}

/** What a verdict is about, in words. */
export function subject(verdict) {
  return verdict.passage === undefined ? verdict.text : `Passage ${verdict.passage + 1}`;
}

/** The output with each claim in the colour of its support. `onchoose` gets the number of a claim. */
export function outputBlock(output, verdicts, onchoose) {
  const spans = verdicts.filter((verdict) => verdict.place);
  const nodes = withTables(output, spans, ({ spans: over }, words) => {
    const numbers = over.map((verdict) => verdict.number).sort((a, b) => a - b);
    const support = worst(over);
    const piece = h(
      "span",
      {
        class: `claim ${support}${over.some((v) => v.support === support && !unsure(v)) ? "" : " unsure"}`,
        role: "button",
        tabindex: "-1",
        "data-claims": numbers.join(" "),
        title: `${GLYPHS[support]} ${SUPPORT_WORDS[support]}`,
      },
      words,
    );
    piece.addEventListener("click", () => {
      const chosen = numbers.findIndex((n) => piece.dataset.chosen === String(n));
      onchoose(numbers[(chosen + 1) % numbers.length]);
    });
    return piece;
  });
  return textBlock("output", nodes);
}

/** One passage of the context, with all its evidence marked faintly until a claim is chosen. */
export function passageBlock(text, index, verdicts) {
  const spans = [];
  for (const verdict of verdicts) {
    for (const evidence of verdict.evidence ?? []) {
      if (evidence.passage === index && evidence.place) {
        spans.push({ place: evidence.place, stance: stanceOf(evidence, verdict.support), number: verdict.number });
      }
    }
  }
  const nodes = withTables(text, spans, ({ spans: over }, words) =>
    h(
      "span",
      {
        class: `evidence${over.every((span) => span.goesOn) ? " goes-on" : ""}`,
        ...Object.fromEntries(
          ["for", "against", "closest"].map((stance) => [
            `data-${stance}`,
            over
              .filter((span) => span.stance === stance)
              .map((span) => span.number)
              .join(" "),
          ]),
        ),
      },
      words,
    ),
  );
  const judged = verdicts.find((verdict) => verdict.passage === index);
  return h(
    "li",
    { class: `passage ${judged ? judged.support : ""}`, "data-passage": index },
    h("span", { class: "passage-number", "aria-label": `Passage ${index + 1}` }, index + 1),
    textBlock("context", text.trim() ? nodes : h("i", { class: "faint" }, "an empty passage")),
  );
}

/** A verdict as an entry of the list below the output. */
export function claimEntry(verdict, context, onchoose) {
  const { support } = verdict;
  const sure =
    verdict.confidence === undefined
      ? null
      : h("span", { class: "confidence" }, `${percent(verdict.confidence)}${unsure(verdict) ? ", unsure" : ""}`);
  const unplaced = verdict.passage === undefined && !verdict.place;
  return h(
    "li",
    { class: `entry ${support}${unsure(verdict) ? " unsure" : ""}`, "data-claim": verdict.number },
    h(
      "button",
      { type: "button", class: "entry-head", "aria-pressed": "false", onclick: () => onchoose(verdict.number) },
      h("span", { class: "glyph", "aria-hidden": "true" }, GLYPHS[support]),
      h("span", { class: "entry-text" }, subject(verdict)),
      h(
        "span",
        { class: "support", title: verdict.word ? `the judge's word: ${verdict.word}` : null },
        SUPPORT_WORDS[support],
        sure,
      ),
    ),
    verdict.reason ? h("p", { class: "entry-reason", dir: "auto" }, verdict.reason) : null,
    (verdict.evidence ?? []).map((evidence) => quoted(evidence, context, support)),
    (verdict.votes ?? []).length
      ? votes(verdict)
      : verdict.judge
        ? h("p", { class: "faint" }, `decided by ${verdict.judge}`)
        : null,
    unplaced ? h("p", { class: "faint" }, "No single place in the output says this.") : null,
    (verdict.notes ?? []).map((note) => h("p", { class: "faint" }, note)),
  );
}

/** What each of several judges said. */
function votes({ votes: given, judge }) {
  const one = (vote) =>
    h(
      "span",
      { class: `vote ${vote.support}`, title: vote.judge === judge ? "this one decided" : null },
      `${GLYPHS[vote.support]} ${vote.judge}${vote.sample ? ` ${vote.sample}` : ""}`,
      typeof vote.confidence === "number" ? ` ${percent(vote.confidence)}` : "",
    );
  return h("p", { class: "votes" }, given.map(one));
}

/** What a piece of evidence is to a claim: an unsupported one has nothing against it, only what comes closest. */
function stanceOf(evidence, support) {
  return evidence.stance === "against" && support === "unsupported" ? "closest" : evidence.stance;
}

function quoted(evidence, context, support) {
  const stance = stanceOf(evidence, support);
  const held = evidence.place ? context[evidence.passage].slice(...evidence.place) : evidence.quote;
  const text = held.length > 280 ? `${held.slice(0, 280)}…` : held;
  return h(
    "p",
    { class: `quote ${stance}` },
    h("b", {}, stance),
    h("q", { dir: "auto" }, text),
    h("span", { class: "faint" }, ` passage ${evidence.passage + 1}`),
  );
}

/** Light up one claim and its evidence in everything below `root`, or nothing with null. */
export function light(root, number) {
  const wanted = String(number);
  const holds = (list) => list !== undefined && list.split(" ").includes(wanted);
  root.classList.toggle("choosing", number !== null);
  for (const piece of root.querySelectorAll(".claim")) {
    const lit = number !== null && holds(piece.dataset.claims);
    piece.classList.toggle("chosen", lit);
    piece.setAttribute("aria-pressed", String(lit));
    if (lit) piece.dataset.chosen = wanted;
    else delete piece.dataset.chosen;
  }
  for (const piece of root.querySelectorAll(".evidence")) {
    piece.classList.toggle("lit-for", number !== null && holds(piece.dataset.for));
    piece.classList.toggle("lit-against", number !== null && holds(piece.dataset.against));
    piece.classList.toggle("lit-closest", number !== null && holds(piece.dataset.closest));
  }
  for (const entry of root.querySelectorAll(".entry")) {
    const lit = number !== null && entry.dataset.claim === wanted;
    entry.classList.toggle("chosen", lit);
    entry.querySelector("button").setAttribute("aria-pressed", String(lit));
  }
}

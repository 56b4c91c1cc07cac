// Colouring a text in place: spans that may overlap become pieces that do not.

import { h } from "./dom.js";

/** The text cut at every start and end of a span; each piece says which spans cover it. */
export function pieces(text, spans) {
  const events = [];
  spans.forEach((span, i) => {
    events.push([span.place[0], 1, i], [span.place[1], -1, i]);
  });
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const covering = new Set();
  const cut = [];
  let from = 0;
  for (const [at, opens, i] of events) {
    if (at > from) {
      cut.push({ start: from, end: at, spans: [...covering].map((k) => spans[k]) });
      from = at;
    }
    if (opens > 0) covering.add(i);
    else covering.delete(i);
  }
  if (from < text.length) cut.push({ start: from, end: text.length, spans: [] });
  return cut;
}

/** The text as nodes: plain where nothing is said of it, made by `element(piece)` where something is. */
export function marked(text, spans, element) {
  return pieces(text, spans).map((piece) => {
    const words = text.slice(piece.start, piece.end);
    return piece.spans.length ? element(piece, words) : document.createTextNode(words);
  });
}

/** A block of judged text: it keeps its line breaks and finds its own direction. */
export function textBlock(kind, nodes) {
  return h("div", { class: `text ${kind}`, dir: "auto" }, nodes);
}

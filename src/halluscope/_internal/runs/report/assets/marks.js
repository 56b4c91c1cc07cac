// Colouring a text in place: spans that may overlap become pieces that do not.

import { h } from "./dom.js";
import { tablesIn } from "./tables.js";

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

/** The same with the tables of the text drawn as tables. */
export function withTables(text, spans, element) {
  const nodes = [];
  const part = (start, end) => {
    const inside = spans
      .filter(({ place }) => place[0] < end && place[1] > start)
      .map((span) => ({
        ...span,
        place: [Math.max(span.place[0], start) - start, Math.min(span.place[1], end) - start],
        goesOn: span.place[1] > end,
      }));
    return marked(text.slice(start, end), inside, element);
  };
  let from = 0;
  for (const { start, end, head, rows } of tablesIn(text)) {
    nodes.push(...part(from, start));
    const cell = (tag) => (place) => h(tag, {}, part(place.start, place.end));
    const drawn = rows
      ? h(
          "table",
          { class: "drawn" },
          rows.map((row, i) => h("tr", {}, row.map(cell(head && i === 0 ? "th" : "td")))),
        )
      : h("div", { class: "aligned" }, part(start, end));
    nodes.push(h("div", { class: "table-scroll" }, drawn));
    from = text[end] === "\n" ? end + 1 : end;
  }
  nodes.push(...part(from, text.length));
  return nodes;
}

/** A block of judged text: it keeps its line breaks and finds its own direction. */
export function textBlock(kind, nodes) {
  return h("div", { class: `text ${kind}`, dir: "auto" }, nodes);
}

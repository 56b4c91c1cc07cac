// A table of figures. On a narrow screen each row becomes a block, with the heads beside the figures.

import { h } from "./dom.js";

/** `rows` of cells, the first of which names the row; columns from the place `numbers` on are aligned as numbers. */
export function dataTable(heads, rows, { numbers = Infinity, headed = true } = {}) {
  const kind = (place) => (place >= numbers ? "number" : null);
  return h(
    "div",
    { class: "table-scroll" },
    h(
      "table",
      {},
      headed
        ? h(
            "thead",
            {},
            h(
              "tr",
              {},
              heads.map((head, place) => h("th", { scope: "col", class: kind(place) }, head)),
            ),
          )
        : null,
      h(
        "tbody",
        {},
        rows.map(([name, ...cells]) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            cells.map((cell, i) => h("td", { class: kind(i + 1), "data-head": heads[i + 1] || null, dir: "auto" }, cell)),
          ),
        ),
      ),
    ),
  );
}

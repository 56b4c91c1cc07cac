// The turns of a conversation in a row, each with how it stands.

import { h } from "./dom.js";

const SIGNS = { good: "✓", bad: "✗", none: "–" };

/** Each turn has a `number`, a `tool` or none, a `tone`, a `title`, and `current` and `onclick` for its button. */
export function timeline(turns) {
  const step = ({ number, tool, tone, title, current, onclick }) =>
    h(
      "li",
      { class: tone },
      h(
        "button",
        { type: "button", class: "other", title, "aria-current": current && "step", onclick },
        `${number} ${tool ? `${tool}()` : "answer"}`,
        h("b", {}, SIGNS[tone]),
      ),
    );
  return h("ol", { class: "timeline", "aria-label": "Turns of the conversation" }, turns.map(step));
}

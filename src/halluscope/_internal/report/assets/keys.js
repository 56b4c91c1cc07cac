// The keyboard. Every key does what a button does too.

import { byId, h, isTyping } from "./dom.js";

const SHORTCUTS = [
  ["j  k", "next and previous case"],
  ["↓  ↑", "the same, in the list"],
  ["Enter", "read the chosen case"],
  ["→  ←", "next and previous claim, with its evidence"],
  ["/", "search"],
  ["m", "next metric"],
  ["t", "light or dark"],
  ["Esc", "let go of the claim, then of the case, then of the filters"],
  ["?", "this help"],
];

export function showShortcuts() {
  const dialog = byId("shortcuts");
  dialog.replaceChildren(
    h("h2", {}, "Keyboard"),
    h(
      "dl",
      {},
      SHORTCUTS.map(([keys, words]) =>
        h(
          "div",
          {},
          h(
            "dt",
            {},
            keys.split("  ").map((key) => h("kbd", {}, key)),
          ),
          h("dd", {}, words),
        ),
      ),
    ),
    h("form", { method: "dialog" }, h("button", { class: "quiet" }, "Close")),
  );
  dialog.showModal();
}

/** `acts` maps keys to what they do; those for the list work only there. */
export function startKeys(acts, listActs, list) {
  byId("help").addEventListener("click", showShortcuts);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("shortcuts").open) return;
    const typing = isTyping(event.target);
    if (typing && event.key !== "Escape") return;
    if (event.target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) return;
    const inList = document.activeElement === list;
    const act = (inList && listActs[event.key]) || acts[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

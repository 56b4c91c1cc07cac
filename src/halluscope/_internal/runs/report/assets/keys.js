// The keyboard. Every key does what a button does too.

import { byId, h, isTyping } from "./dom.js";
import { toggleTheme } from "./theme.js";

/** `shortcuts` are pairs of keys and what they do. */
export function showShortcuts(shortcuts) {
  const dialog = byId("shortcuts");
  dialog.replaceChildren(
    h("h2", {}, "Keyboard"),
    h(
      "dl",
      {},
      shortcuts.map(([keys, words]) =>
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
export function startKeys(shortcuts, acts, listActs = {}, list = null) {
  const help = () => showShortcuts(shortcuts);
  byId("help").addEventListener("click", help);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("shortcuts").open) return;
    const typing = isTyping(event.target);
    if (typing && event.key !== "Escape") return;
    if (event.target.matches?.("input[type=range]") && event.key.startsWith("Arrow")) return;
    const inList = list !== null && document.activeElement === list;
    const act = (inList && listActs[event.key]) || acts[event.key] || { "?": help, t: toggleTheme }[event.key];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

// What was asked of the judge and what it answered, read from the file when the reader wants to see it.

import { h } from "./dom.js";
import { count, money, plural } from "./words.js";

/** A reply is mostly JSON: shown with line breaks where it is. */
function laidOut(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function exchange(entry, number) {
  const { usage = {} } = entry;
  const tokens = (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  const facts = [
    entry.judge,
    entry.cached ? "from the cache" : null,
    tokens ? `${count(usage.input_tokens)} + ${count(usage.output_tokens)} tokens` : null,
    usage.cost ? money(usage.cost) : null,
  ];
  return h(
    "section",
    { class: "exchange" },
    h("h4", {}, `${number + 1}. ${entry.question}`, h("span", { class: "faint" }, facts.filter(Boolean).join(" · "))),
    entry.error ? h("p", { class: "exchange-error" }, entry.error) : null,
    entry.prompt
      ? h("details", {}, h("summary", {}, "Prompt"), h("pre", { dir: "auto", tabindex: "0" }, entry.prompt))
      : null,
    entry.reply
      ? h(
          "details",
          { open: true },
          h("summary", {}, "Reply"),
          h("pre", { dir: "auto", tabindex: "0" }, laidOut(entry.reply)),
        )
      : null,
    entry.prompt || entry.reply ? null : h("p", { class: "faint" }, "This judge works without prompts."),
  );
}

/** A fold that loads what it shows when it is opened. */
export function exchangesFold(store, record, asked) {
  const body = h("div", { class: "exchanges" }, h("p", { class: "faint" }, "Opening…"));
  const fold = h(
    "details",
    { class: "fold" },
    h("summary", {}, `Prompts and replies (${plural(asked, "question")})`),
    body,
  );
  let opened = false;
  fold.addEventListener("toggle", async () => {
    if (opened || !fold.open) return;
    opened = true;
    const entries = await store.exchanges.record(record);
    body.replaceChildren(...entries.map(exchange));
  });
  return fold;
}

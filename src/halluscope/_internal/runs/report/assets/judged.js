// An output that was judged: its claims coloured in place and listed, the context beside it. Choose a claim, and its
// evidence lights up.

import { claimEntry, light, outputBlock, passageBlock, subject } from "./claims.js";
import { bringIntoView, h, speak } from "./dom.js";
import { textBlock } from "./marks.js";
import { GLYPHS, SUPPORTS, SUPPORT_WORDS, plural } from "./words.js";

export class Judged {
  /** Everything that is lit up lies below `root`. */
  constructor(root) {
    this.root = root;
    this.take([]);
  }

  /** These are the verdicts now, of one judge or of several one after the other. None is chosen. */
  take(verdicts) {
    this.claim = null;
    this.verdicts = verdicts.map((verdict, number) => ({ ...verdict, number }));
  }

  /** The input and the output with its claims, and the context, as two columns. */
  columns(texts, truths) {
    return { reading: this.reading(texts, this.verdicts), given: this.given(texts.context, truths) };
  }

  reading(texts, verdicts) {
    const choose = (number) => this.choose(number === this.claim ? null : number);
    return h(
      "div",
      { class: "reading" },
      texts.input ? [heading("Input"), textBlock("input", texts.input)] : null,
      heading("Output", verdicts.length ? legend(verdicts) : null),
      texts.output?.trim()
        ? outputBlock(texts.output, verdicts, choose)
        : h("p", { class: "faint" }, "The output is empty."),
      verdicts.length
        ? [
            heading(verdicts.some((v) => v.passage !== undefined) ? "Passages" : "Claims", hint()),
            h(
              "ol",
              { class: "entries" },
              verdicts.map((verdict) => claimEntry(verdict, texts.context ?? [], choose)),
            ),
          ]
        : null,
    );
  }

  given(passages, truths) {
    const context = passages ?? [];
    return h(
      "div",
      { class: "given" },
      heading("Context", h("span", { class: "faint" }, plural(context.length, "passage"))),
      h("p", { class: "no-evidence", hidden: true }, "No piece of the context was quoted for this one."),
      passages === undefined ? h("p", { class: "faint" }, "No context was given, or it was empty.") : null,
      h(
        "ol",
        { class: "passages" },
        context.map((text, i) => passageBlock(text, i, this.verdicts)),
      ),
      truths
        ? fold(
            `Truths drawn from the context (${truths.length})`,
            h(
              "ul",
              {},
              truths.map((t) => h("li", {}, t)),
            ),
          )
        : null,
    );
  }

  /** Choose a claim by number, or none. */
  choose(number) {
    this.claim = number;
    light(this.root, number);
    const bare = number !== null && !this.root.querySelector(".lit-for, .lit-against, .lit-closest");
    this.root.querySelector(".no-evidence").hidden = !bare;
    if (number === null) return;
    const verdict = this.verdicts[number];
    const place = this.root.querySelector(".claim.chosen") ?? this.root.querySelector(".entry.chosen");
    if (place) bringIntoView(place);
    const evidence = this.root.querySelector(".lit-for, .lit-against, .lit-closest");
    // Below the claims, on a narrow screen, the context would drag the reader away from the claim.
    const beside = getComputedStyle(this.root.querySelector(".given")).position === "sticky";
    if (evidence && beside) bringIntoView(evidence);
    speak(`Claim ${number + 1} of ${this.verdicts.length}, ${SUPPORT_WORDS[verdict.support]}: ${subject(verdict)}`);
  }

  /** Go to the next claim, or the one before. */
  step(steps) {
    const { length } = this.verdicts;
    if (!length) return;
    const from = this.claim ?? (steps > 0 ? -1 : length);
    this.choose((from + steps + length) % length);
  }
}

export function heading(text, aside = null) {
  return h("h3", {}, text, aside);
}

function hint() {
  return h("span", { class: "faint screen-only for-keyboard" }, "← → to step through");
}

export function fold(title, ...content) {
  return h("details", { class: "fold" }, h("summary", {}, title), content);
}

/** What the colours mean, with how many there are of each. */
function legend(verdicts) {
  return h(
    "span",
    { class: "legend" },
    SUPPORTS.map((support) => {
      const n = verdicts.filter((verdict) => verdict.support === support).length;
      return n
        ? h("span", { class: `key ${support}` }, `${GLYPHS[support]} ${n} `, h("u", {}, SUPPORT_WORDS[support]))
        : null;
    }),
  );
}

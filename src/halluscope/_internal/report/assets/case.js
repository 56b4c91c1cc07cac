// One case: its score, the output with its claims, the context with its evidence, and how the judge came to it.

import { claimEntry, light, outputBlock, passageBlock, subject } from "./claims.js";
import { bringIntoView, h, speak } from "./dom.js";
import { exchangesFold } from "./exchanges.js";
import { standing } from "./filters.js";
import { textBlock } from "./marks.js";
import {
  NO_SCORE,
  SUPPORTS,
  SUPPORT_WORDS,
  GLYPHS,
  count,
  duration,
  metricName,
  money,
  percent,
  plural,
  rule,
  score,
  signed,
} from "./words.js";

export class CaseView {
  /** `on` hears: `other(result)` another metric of the case, `move(steps)` along the list, `back()` to the list. */
  constructor(store, root, on) {
    Object.assign(this, { store, root, on });
    this.turn = 0;
    this.claim = null;
    this.verdicts = [];
  }

  /** Show a result. What was asked for last wins, however long the texts take to come. */
  async show(result, place) {
    const turn = ++this.turn;
    const { cases, results, texts } = this.store;
    const [texts_, found] = await Promise.all([
      texts.record(cases.record[results.case[result]]),
      texts.record(results.record[result]),
    ]);
    if (turn !== this.turn) return;
    this.result = result;
    this.claim = null;
    this.verdicts = (found.verdicts ?? []).map((verdict, number) => ({ ...verdict, number }));
    this.root.replaceChildren(this.article(result, place, texts_, found));
    this.root.scrollTop = 0;
  }

  /** The list has changed around the case that is shown. */
  tellPlace(place) {
    const shown = this.root.querySelector(".place");
    if (shown) shown.textContent = placeWords(place);
  }

  /** Forget what was asked for: something else is shown now. */
  leave() {
    this.turn++;
    this.result = undefined;
    this.claim = null;
    this.verdicts = [];
  }

  article(result, place, texts, found) {
    const context = texts.context ?? [];
    const choose = (number) => this.choose(number === this.claim ? null : number);
    const reading = h(
      "div",
      { class: "reading" },
      texts.input ? [heading("Input"), textBlock("input", texts.input)] : null,
      heading("Output", this.verdicts.length ? legend(this.verdicts) : null),
      texts.output?.trim()
        ? outputBlock(texts.output, this.verdicts, choose)
        : h("p", { class: "faint" }, "The output is empty."),
      this.verdicts.length
        ? [
            heading(this.verdicts.some((v) => v.passage !== undefined) ? "Passages" : "Claims", hint()),
            h(
              "ol",
              { class: "entries" },
              this.verdicts.map((verdict) => claimEntry(verdict, context, choose)),
            ),
          ]
        : null,
    );
    const given = h(
      "div",
      { class: "given" },
      heading("Context", h("span", { class: "faint" }, plural(context.length, "passage"))),
      h("p", { class: "no-evidence", hidden: true }, "No piece of the context was quoted for this one."),
      texts.context === undefined ? h("p", { class: "faint" }, "No context was given, or it was empty.") : null,
      h(
        "ol",
        { class: "passages" },
        context.map((text, i) => passageBlock(text, i, this.verdicts)),
      ),
      found.truths
        ? fold(
            `Truths drawn from the context (${found.truths.length})`,
            h(
              "ul",
              {},
              found.truths.map((t) => h("li", {}, t)),
            ),
          )
        : null,
    );
    return h(
      "article",
      { class: "case" },
      this.head(result, place, found),
      this.outcome(result, found),
      h("div", { class: "columns" }, reading, given),
      this.footing(result, texts, found),
    );
  }

  head(result, place, found) {
    const { cases, results, metrics } = this.store;
    const row = results.case[result];
    const metric = metrics[results.metric[result]];
    const stands = standing(this.store, result);
    const before = results.before[result];
    const change = this.store.change(result);
    const others = this.store.byCase[row].filter((other) => other !== result);
    return h(
      "header",
      { class: "case-head" },
      h(
        "div",
        { class: "crumbs" },
        h("button", { type: "button", class: "quiet back", onclick: () => this.on.back() }, "← Cases"),
        h("code", { class: "case-id" }, cases.id[row]),
        h("span", { class: "spring" }),
        h("span", { class: "faint place" }, placeWords(place)),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": "Previous case",
            title: "Previous (k)",
            onclick: () => this.on.move(-1),
          },
          "↑",
        ),
        h(
          "button",
          {
            type: "button",
            class: "quiet",
            "aria-label": "Next case",
            title: "Next (j)",
            onclick: () => this.on.move(1),
          },
          "↓",
        ),
      ),
      h(
        "div",
        { class: `standing ${stands === "passed" ? "good" : stands === "missed" ? "bad" : "none"}` },
        h("span", { class: "big" }, results.score[result] === null ? "no score" : score(results.score[result])),
        h(
          "span",
          { class: "pill" },
          stands === "passed" ? "✓ passed" : stands === "missed" ? "✗ failed" : NO_SCORE[stands][0],
        ),
        h("span", { class: "faint" }, `${metricName(metric.name)}, ${rule(metric.direction, metric.threshold)}`),
        found.label ? h("span", { class: "label" }, found.label) : null,
        change && change !== "same" && before !== null
          ? h(
              "span",
              { class: `change ${change}` },
              `was ${score(before)}`,
              results.score[result] === null ? null : ` (${signed(results.score[result] - before)})`,
            )
          : null,
        change === "new" ? h("span", { class: "change new" }, "new") : null,
      ),
      others.length
        ? h(
            "div",
            { class: "others" },
            others.map((other) =>
              h(
                "button",
                { type: "button", class: "other", onclick: () => this.on.other(other) },
                metricName(metrics[results.metric[other]].name),
                h("b", {}, results.score[other] === null ? "–" : score(results.score[other])),
              ),
            ),
          )
        : null,
    );
  }

  outcome(result, found) {
    const outcome = this.store.outcome(result);
    if (outcome === "scored") return found.reason ? h("p", { class: "reason", dir: "auto" }, found.reason) : null;
    const { failure } = found;
    return h(
      "section",
      { class: "callout", "aria-label": "Why there is no score" },
      h("p", { dir: "auto" }, found.reason ?? `No score. ${NO_SCORE[outcome][1]}`),
      failure && !(found.reason ?? "").includes(failure.message) ? h("p", { dir: "auto" }, failure.message) : null,
      failure?.status ? h("p", { class: "faint" }, `The server answered with status ${failure.status}.`) : null,
      failure?.body ? fold("What the judge sent", h("pre", { dir: "auto" }, failure.body)) : null,
    );
  }

  footing(result, texts, found) {
    const { usage = {} } = found;
    const tokens = usage.input_tokens || usage.output_tokens;
    const facts = [
      ["judge", found.judge],
      ["probability of hallucination", found.probability === undefined ? null : percent(found.probability)],
      ["time", duration(found.latency ?? 0)],
      ["calls", usage.calls ? count(usage.calls) : null],
      ["tokens", tokens ? `${count(usage.input_tokens)} in, ${count(usage.output_tokens)} out` : null],
      ["cost", usage.cost === null ? "not known" : usage.cost ? money(usage.cost) : tokens ? "$0" : null],
      ["metric version", found.version],
    ];
    const notes = [...new Set([...(texts.notes ?? []), ...(found.notes ?? [])])];
    return h(
      "footer",
      { class: "footing" },
      notes.map((note) => h("p", { class: "note" }, note)),
      h(
        "dl",
        { class: "facts" },
        facts.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
      ),
      texts.metadata ? fold("Metadata", h("pre", { dir: "auto" }, JSON.stringify(texts.metadata, null, 2))) : null,
      found.exchanges === undefined ? null : exchangesFold(this.store, found.exchanges, found.asked),
    );
  }

  /** Choose a claim by number, or none. */
  choose(number) {
    this.claim = number;
    light(this.root, number);
    const bare = number !== null && !this.root.querySelector(".lit-for, .lit-against");
    this.root.querySelector(".no-evidence").hidden = !bare;
    if (number === null) return;
    const verdict = this.verdicts[number];
    const place = this.root.querySelector(".claim.chosen") ?? this.root.querySelector(".entry.chosen");
    if (place) bringIntoView(place);
    const evidence = this.root.querySelector(".lit-for, .lit-against");
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

function placeWords({ at, of }) {
  return at < 0 ? "not among those listed" : `${count(at + 1)} of ${count(of)}`;
}

function heading(text, aside = null) {
  return h("h3", {}, text, aside);
}

function hint() {
  return h("span", { class: "faint screen-only" }, "← → to step through");
}

function fold(title, ...content) {
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

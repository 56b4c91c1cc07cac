// One case: its score, the output with its claims, the context with its evidence, and how the judge came to it.

import { h } from "./dom.js";
import { exchangesFold } from "./exchanges.js";
import { standing } from "./filters.js";
import { Judged, fold } from "./judged.js";
import { timeline } from "./timeline.js";
import { repairBlock } from "./repair.js";
import {
  NO_SCORE,
  count,
  duration,
  metricName,
  money,
  percent,
  rule,
  score,
  signed,
} from "./words.js";

export class CaseView {
  /** `on` hears: `other(result)` another metric of the case, `move(steps)` along the list, `back()` to the list. */
  constructor(store, root, on) {
    Object.assign(this, { store, root, on });
    this.turn = 0;
    this.judged = new Judged(root);
  }

  /** The number of the claim that is chosen, or null. */
  get claim() {
    return this.judged.claim;
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
    this.judged.take(found.verdicts ?? []);
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
    this.judged.take([]);
  }

  article(result, place, texts, found) {
    const { reading, given } = this.judged.columns(texts, found.truths);
    return h(
      "article",
      { class: "case" },
      this.head(result, place, found),
      this.timeline(result),
      this.outcome(result, found),
      found.repair ? repairBlock(texts.output ?? "", found.repair) : null,
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

  /** The turns of the conversation that the case belongs to, each with how it stands. */
  timeline(result) {
    const { cases, results, byCase } = this.store;
    const row = results.case[result];
    if (!cases.turn[row]) return null;
    const [number, of] = cases.turn[row];
    const talk = (id) => id.slice(0, id.lastIndexOf("/"));
    const rows = Array.from({ length: of }, (_, i) => row - number + 1 + i);
    const turns = rows.filter((other) => cases.turn[other] && talk(cases.id[other]) === talk(cases.id[row]));
    const step = (other) => {
      const same = byCase[other].find((one) => results.metric[one] === results.metric[result]);
      const stands = same === undefined ? "none" : standing(this.store, same);
      const [number, , tool] = cases.turn[other];
      return {
        number,
        tool,
        tone: stands === "passed" ? "good" : stands === "missed" ? "bad" : "none",
        title: cases.snippet[other],
        current: other === row,
        onclick: () => same !== undefined && this.on.other(same),
      };
    };
    return timeline(turns.map(step));
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
}

function placeWords({ at, of }) {
  return at < 0 ? "not among those listed" : `${count(at + 1)} of ${count(of)}`;
}

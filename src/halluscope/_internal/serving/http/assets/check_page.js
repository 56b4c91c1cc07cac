// The page where an output is judged: it is written down, read with its claims coloured as they are judged, and told
// in the words of each system.

import { ask, askJson, lines } from "./api.js";
import { byId, h, speak } from "./dom.js";
import { Editor } from "./editor.js";
import { Judged } from "./judged.js";
import { startKeys } from "./keys.js";
import { repairBlock } from "./repair.js";
import { startTheme } from "./theme.js";
import { timeline } from "./timeline.js";
import { OWN, ownScore, systemScores, tabsOf, tellWords, vocabularyTabs } from "./vocabularies.js";
import { NO_SCORE, duration, money, plural } from "./words.js";

const SHORTCUTS = [
  ["Ctrl ⏎", "check"],
  ["→  ←", "next and previous claim, with its evidence"],
  ["v", "next vocabulary"],
  ["e", "edit the texts"],
  ["t", "light or dark"],
  ["Esc", "let go of the claim, then edit"],
  ["?", "this help"],
];

/** A verdict of the server as the components read it. */
function recordOf({ claim, support, evidence, ...rest }) {
  const kept = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    ...kept,
    id: claim.id,
    text: claim.text,
    place: claim.start === null ? undefined : [claim.start, claim.end],
    support,
    evidence: evidence.map(({ passage, stance, start, end }) => ({ passage, stance, place: [start, end] })),
  };
}

/** What one judge has said so far. */
class Opinion {
  constructor(judge) {
    this.judge = judge;
    this.verdicts = [];
    this.result = null;
    this.trouble = null;
    this.repair = null;
  }

  hear(event) {
    if (event.event === "claims") {
      const waiting = { support: "pending", evidence: [] };
      this.verdicts = event.claims.map((claim) => recordOf({ claim, ...waiting }));
    } else if (event.event === "verdicts") {
      const judged = new Map(event.verdicts.map((verdict) => [verdict.claim.id, recordOf(verdict)]));
      this.verdicts = this.verdicts.map((verdict) => judged.get(verdict.id) ?? verdict);
    } else if (event.event === "result") {
      this.result = event.result;
      this.verdicts = event.result.verdicts.map(recordOf);
      const { turns } = event.result;
      const failed = turns.findIndex((turn) => turn.result.passed === false);
      this.show(failed < 0 ? turns.length - 1 : failed);
    } else if (event.event === "error") this.trouble = event.error.message;
  }

  /** Show one turn, where a conversation was judged. */
  show(turn) {
    const judged = this.result?.turns[turn];
    if (!judged) return;
    this.turn = turn;
    this.texts = judged.case;
    this.verdicts = judged.result.verdicts.map(recordOf);
  }
}

/** The conversation that a text is, or null. */
function conversationIn(text) {
  try {
    const read = JSON.parse(text);
    const messages = Array.isArray(read) ? read : (read?.messages ?? []);
    return messages.some((message) => ["assistant", "ai", "model"].includes(message?.role)) ? read : null;
  } catch {
    return null;
  }
}

class CheckPage {
  constructor(root, about) {
    this.root = root;
    this.editor = new Editor(about, () => this.check());
    this.judged = new Judged(root);
    this.vocabulary = OWN;
    this.opinions = [];
    this.edit();
  }

  edit() {
    this.running?.abort();
    this.reading = false;
    this.root.replaceChildren(intro(), this.editor.element);
    this.editor.output.focus();
  }

  /** Have the texts judged by everybody who was asked for, all at once. */
  async check() {
    const texts = this.editor.texts;
    if (!texts.output.trim()) {
      this.editor.output.focus();
      return;
    }
    this.running?.abort();
    const running = (this.running = new AbortController());
    this.texts = texts;
    this.opinions = this.editor.wanted.map((judge) => new Opinion(judge));
    this.reading = true;
    this.judged.take([]);
    this.draw();
    this.root.parentElement.scrollTop = 0;
    await Promise.all(this.opinions.map((opinion) => this.listen(opinion, running)));
    if (!running.signal.aborted) speak(this.opinions.map(spoken).join(" "));
  }

  async listen(opinion, { signal }) {
    const body = { ...this.texts, judge: opinion.judge, systems: true, places: "utf16" };
    const output = conversationIn(this.texts.output);
    if (output) Object.assign(body, { output, context: body.context.length ? body.context : null, turns: "all" });
    try {
      for await (const event of lines(await ask("/v1/check", { body, accept: "application/x-ndjson", signal }))) {
        if (signal.aborted) return;
        opinion.hear(event);
        this.draw();
      }
      if (!opinion.result && !opinion.trouble) throw new Error("The connection to the server broke off.");
    } catch (error) {
      if (signal.aborted) return;
      opinion.trouble = error.message;
      this.draw();
    }
  }

  /** Have the output repaired by one judge. */
  async repair(opinion, button) {
    button.disabled = true;
    button.textContent = "Repairing…";
    const { signal } = this.running;
    try {
      const body = { ...this.texts, judge: opinion.judge, places: "utf16" };
      opinion.repair = await askJson("/v1/repair", { body, signal });
      speak(`Repaired with ${plural(opinion.repair.edits.length, "edit")}.`);
    } catch (error) {
      if (signal.aborted) return;
      opinion.trouble = error.message;
    }
    if (!signal.aborted) this.draw();
  }

  draw() {
    const { claim } = this.judged;
    this.judged.take(this.opinions.flatMap(({ verdicts }) => verdicts));
    let from = 0;
    const readings = this.opinions.map((opinion) => {
      const mine = this.judged.verdicts.slice(from, from + opinion.verdicts.length);
      from += opinion.verdicts.length;
      const reading = this.judged.reading(opinion.texts ?? { ...this.texts, input: undefined }, mine);
      if (this.opinions.length > 1) reading.prepend(this.head(opinion));
      return reading;
    });
    const given = this.judged.given((this.opinions[0].texts ?? this.texts).context ?? undefined, null);
    const held = this.root.querySelector(".given")?.scrollTop ?? 0;
    this.root.replaceChildren(
      this.bar(),
      h("div", { class: `columns ${readings.length > 1 ? "several" : ""}` }, readings, given),
    );
    given.scrollTop = held;
    this.tell();
    if (claim !== null && claim < this.judged.verdicts.length) this.judged.choose(claim);
  }

  /** The vocabularies that there are results in. */
  tabs() {
    const told = this.opinions.find(({ result }) => result?.systems.length);
    return told ? [...tabsOf(told.result.systems).keys()] : [];
  }

  /** What stands above the columns: the way back, the question, the vocabularies, and what the one judge says. */
  bar() {
    const names = this.tabs();
    return h(
      "header",
      { class: "case-head" },
      h(
        "div",
        { class: "crumbs" },
        h("button", { type: "button", class: "quiet edit", title: "Edit (e)", onclick: () => this.edit() }, "← Edit"),
        h("span", { class: "case-id", dir: "auto" }, this.texts.input ?? ""),
        h("span", { class: "spring" }),
        h("button", { type: "button", class: "quiet", onclick: () => this.check() }, "Check again"),
      ),
      names.length
        ? vocabularyTabs(names, this.vocabulary, (name) => this.useVocabulary(name, true))
        : h("div", { class: "vocabularies-to-come" }), // so that nothing moves when they come
      this.opinions.length > 1 ? null : this.head(this.opinions[0]),
    );
  }

  /** What one judge says of the whole output. */
  head(opinion) {
    const { result, trouble, verdicts, judge } = opinion;
    const parts = [];
    if (trouble) parts.push(h("p", { class: "callout" }, trouble));
    else if (!result) {
      const left = verdicts.filter(({ support }) => support === "pending").length;
      const words = verdicts.length ? `Judging ${plural(left, "claim")}…` : "Taking the output apart…";
      parts.push(h("p", { class: "waiting", role: "status" }, words));
    } else if (this.vocabulary === OWN || !result.systems.length) parts.push(ownScore(result));
    else parts.push(systemScores(tabsOf(result.systems).get(this.vocabulary) ?? [], verdicts));
    if (result && result.outcome !== "scored") {
      parts.push(h("p", { class: "callout" }, result.reason ?? NO_SCORE[result.outcome][1]));
    }
    if (opinion.texts) {
      const step = ({ case: { turn, output }, result: { passed } }, place) => ({
        ...turn,
        tone: passed === null ? "none" : passed ? "good" : "bad",
        title: output,
        current: place === opinion.turn,
        onclick: () => {
          for (const other of this.opinions) other.show(place);
          this.draw();
        },
      });
      const shown = result.turns[opinion.turn].result;
      parts.push(timeline(result.turns.map(step)), h("p", { class: "reason", dir: "auto" }, shown.reason ?? ""));
    }
    for (const note of result?.notes ?? []) parts.push(h("p", { class: "note" }, note));
    if (opinion.repair) parts.push(repairBlock(this.texts.output, opinion.repair));
    else if (result?.passed === false && this.vocabulary === OWN) {
      parts.push(h("button", { type: "button", class: "quiet", onclick: (event) => this.repair(opinion, event.target) }, "Repair"));
    }
    parts.push(h("p", { class: "judge-name faint" }, h("b", {}, judge), facts(result)));
    return h("div", { class: "opinion" }, parts);
  }

  /** `held`: the reader is at the tabs, and stays there. */
  useVocabulary(name, held) {
    this.vocabulary = name;
    this.draw();
    const tab = this.root.querySelector('[role="tab"][aria-selected="true"]');
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (held) tab?.focus();
    speak(this.root.querySelector(".systems")?.textContent ?? name);
  }

  /** The chosen system's words beside the claims and passages. */
  tell() {
    let from = 0;
    for (const { verdicts, result } of this.opinions) {
      const systems = result ? (tabsOf(result.systems).get(this.vocabulary) ?? []) : [];
      const numbers = new Map(verdicts.map(({ id }, place) => [id, from + place]));
      tellWords(this.root, systems, (id) => this.root.querySelector(`.entry[data-claim="${numbers.get(id)}"]`));
      from += verdicts.length;
    }
  }

  nextVocabulary(steps, held = false) {
    const names = this.tabs();
    const next = names[(names.indexOf(this.vocabulary) + steps + names.length) % names.length];
    if (next) this.useVocabulary(next, held);
  }

  keys() {
    const onTab = () => document.activeElement?.matches('[role="tab"]');
    const step = (steps) => () => {
      if (onTab()) this.nextVocabulary(steps, true);
      else if (this.reading) this.judged.step(steps);
    };
    startKeys(SHORTCUTS, {
      ArrowRight: step(1),
      ArrowLeft: step(-1),
      v: () => this.reading && this.nextVocabulary(1),
      e: () => this.reading && this.edit(),
      Escape: () => {
        if (!this.reading) return;
        if (this.judged.claim === null) this.edit();
        else this.judged.choose(null);
      },
    });
  }
}

function intro() {
  return h(
    "header",
    { class: "intro" },
    h("h1", {}, "Is it grounded?"),
    h("p", { class: "lead" }, "Paste what a model said and what it was given. Every claim is checked against the context."),
  );
}

function facts(result) {
  if (!result) return "";
  const cost = result.usage.cost ? `, ${money(result.usage.cost)}` : "";
  return `, ${duration(result.latency_ms)}${cost}`;
}

function spoken({ judge, result, trouble, verdicts }) {
  if (trouble) return `${judge}: ${trouble}`;
  if (result.score === null) return `${judge}: no score.`;
  const wrong = verdicts.filter(({ support }) => support === "contradicted" || support === "unsupported").length;
  return `${judge}: ${wrong} of ${plural(verdicts.length, "claim")} not supported.`;
}

async function start() {
  startTheme();
  byId("home").addEventListener("click", () => location.assign("/"));
  const page = new CheckPage(byId("check"), await askJson("/v1/about"));
  page.keys();
}

start()
  .catch((error) => {
    byId("loading")?.replaceChildren(`The page could not be opened: ${error.message}`);
    throw error;
  })
  .finally(() => {
    document.documentElement.dataset.ready = "true";
  });

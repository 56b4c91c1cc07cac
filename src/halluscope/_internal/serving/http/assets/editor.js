// Where an output and its context are written down, in the places where they will be read.

import { h } from "./dom.js";

const BOTH = "side by side";

/** A text with passages in it, parted by empty lines. */
export function passagesOf(text) {
  return text
    .split(/\n[ \t]*\n/)
    .map((passage) => passage.trim())
    .filter(Boolean);
}

export class Editor {
  /** `about` is what the server has; `oncheck` hears that the texts are to be judged. */
  constructor(about, oncheck) {
    this.about = about;
    this.output = area("output", "What the model said", "Paste the answer of a model, or the messages of a conversation as JSON");
    this.context = area("context", "What it was given", "Paste the context it was given");
    this.input = h("input", { id: "input", class: "field", placeholder: "The question that was asked", autocomplete: "off" });
    this.judge = this.judges();
    this.button = h("button", { type: "submit", class: "primary" }, "Check", h("kbd", { "aria-hidden": "true" }, "Ctrl ⏎"));
    this.element = h(
      "form",
      { class: "editor" },
      h(
        "div",
        { class: "columns" },
        h("div", { class: "reading" }, label("output", "Output"), this.output),
        h(
          "div",
          { class: "given" },
          label("context", "Context", "an empty line separates passages"),
          this.context,
        ),
      ),
      h("div", { class: "asked" }, label("input", "Question", "optional"), this.input),
      h("div", { class: "acts" }, this.examples(), this.judge ? this.judge.element : null, h("span", { class: "spring" }), this.button),
    );
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      oncheck();
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        oncheck();
      }
    });
  }

  /** The judges to ask: one, or the embedded one and another beside it. */
  get wanted() {
    const chosen = this.judge?.field.value ?? this.about.judges[0];
    return chosen.startsWith(BOTH) ? ["local", chosen.slice(BOTH.length + 1)] : [chosen];
  }

  get texts() {
    const input = this.input.value.trim();
    return { output: this.output.value, context: passagesOf(this.context.value), input: input || undefined };
  }

  fill({ output, context, input }) {
    this.output.value = output;
    this.context.value = context.join("\n\n");
    this.input.value = input ?? "";
  }

  examples() {
    const field = h(
      "select",
      { id: "example", class: "field", "aria-label": "Example" },
      h("option", { value: "" }, "Pick an example…"),
      this.about.examples.map(({ id, about }) => h("option", { value: id }, about)),
    );
    field.addEventListener("change", () => {
      const picked = this.about.examples.find(({ id }) => id === field.value);
      if (picked) this.fill(picked);
    });
    return field;
  }

  judges() {
    const { judges } = this.about;
    if (judges.length < 2) return null;
    const others = judges.filter((name) => name !== "local");
    const field = h(
      "select",
      { id: "judge", class: "field", "aria-label": "Judge" },
      judges.map((name) => h("option", { value: name }, name)),
      others.map((name) => h("option", { value: `${BOTH} ${name}` }, `local and ${name}, ${BOTH}`)),
    );
    return { field, element: h("label", { class: "labelled" }, "Judge", field) };
  }
}

function area(id, about, hint) {
  return h("textarea", { id, class: `text ${id}`, "aria-label": about, placeholder: hint, spellcheck: "false", dir: "auto" });
}

function label(id, words, aside = null) {
  return h("h3", {}, h("label", { for: id }, words), aside ? h("span", { class: "faint" }, aside) : null);
}

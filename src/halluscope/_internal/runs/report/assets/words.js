// What things are called, and how numbers are written.

/** Worst first: where claims overlap, the first of these shows. */
export const SUPPORTS = ["contradicted", "unsupported", "supported", "not_a_claim", "pending"];

export const GLYPHS = { contradicted: "✗", unsupported: "?", supported: "✓", not_a_claim: "–", pending: "…" };

export const SUPPORT_WORDS = {
  contradicted: "contradicted",
  unsupported: "unsupported",
  supported: "supported",
  not_a_claim: "not a claim",
  pending: "being judged",
};

/** Why there is no score, in a word and in a sentence. */
export const NO_SCORE = {
  empty_output: ["empty output", "The output is empty."],
  no_claims: ["no claims", "The output makes no claim that could be checked."],
  refusal: ["refusal", "The output declines to answer."],
  no_context: ["no context", "There is no context to hold the output against."],
  unjudgeable: ["cannot be judged", "The judge says that it cannot read this text."],
  incomplete: ["incomplete", "Some claims got no verdict from the judge."],
  failed: ["judge failed", "The judge did not answer."],
};

export const CHANGE_WORDS = {
  worse: "worse",
  better: "better",
  lost: "lost its score",
  gained: "now has a score",
  new: "new",
};

const whole = new Intl.NumberFormat("en-US");

export function count(n) {
  return whole.format(n);
}

export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Two decimals, and more only where two would show a small number as nothing. */
export function score(value) {
  if (value === null || value === undefined) return "–";
  return value !== 0 && Math.abs(value) < 0.005 ? value.toPrecision(1) : value.toFixed(2);
}

export function signed(value) {
  if (value === 0) return "±0.00";
  const size = Math.abs(value);
  const digits = size < 0.0005 ? size.toPrecision(1) : size.toFixed(size < 0.1 ? 3 : 2);
  return `${value < 0 ? "−" : "+"}${digits}`;
}

/** A decimal only where a whole number would round to none or to all. */
export function percent(share) {
  const value = Number((share * 100).toFixed(1));
  const edge = (value > 99.4 && value < 100) || (value > 0 && value < 0.6);
  return `${edge ? value : Math.round(value)} %`;
}

export function interval(figure, write) {
  return figure.low === null ? "" : `${write(figure.low)} – ${write(figure.high)}`;
}

export function money(dollars) {
  if (dollars === 0) return "$0";
  return dollars < 0.01 ? `$${dollars.toPrecision(2)}` : `$${dollars.toFixed(2)}`;
}

export function duration(ms) {
  if (ms < 1) return "under 1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  return ms < 60000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60000).toFixed(1)} min`;
}

/** "passes at 0.5 or less" */
export function rule(direction, threshold) {
  if (threshold === null || threshold === undefined)
    return direction === "lower" ? "lower is better" : "higher is better";
  if (direction === "lower" && threshold === 0) return "passes at 0";
  return `passes at ${Number(threshold.toFixed(4))} or ${direction === "lower" ? "less" : "more"}`;
}

export function metricName(name) {
  return name.replaceAll("_", " ");
}

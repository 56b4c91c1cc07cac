// Bars for the distribution of scores.

import { svg } from "./dom.js";
import { count, score } from "./words.js";

const WIDTH = 400;

/** Whether a bar lies on the side of the threshold that passes, judged by its middle. */
function passes(metric, middle) {
  if (metric.threshold === null) return null;
  return metric.direction === "lower" ? middle <= metric.threshold : middle >= metric.threshold;
}

function side(metric, middle) {
  const good = passes(metric, middle);
  return good === null ? "neutral" : good ? "good" : "bad";
}

/** Counts of scores in equal parts of a range. */
export function binned(scores, { low, high, counts }) {
  const bins = new Array(counts.length).fill(0);
  for (const value of scores) {
    if (value === null) continue;
    const place = Math.floor(((value - low) / (high - low)) * bins.length);
    bins[Math.min(bins.length - 1, Math.max(0, place))]++;
  }
  return bins;
}

/** A drawing of the bins. With `whole`, the bins of everything stand behind as a shadow. */
export function histogram(metric, bins, { height = 72, whole = null, label = "", onpick = null } = {}) {
  const { low, high } = metric.histogram;
  const most = Math.max(1, ...(whole ?? bins));
  const step = WIDTH / bins.length;
  const rise = (n) => (n ? Math.max(2, (n / most) * (height - 2)) : 0);
  const bar = (n, i, kind) =>
    svg("rect", { class: kind, x: i * step + 1, y: height - rise(n), width: step - 2, height: rise(n), rx: 1 });
  const drawing = svg("svg", {
    class: "histogram",
    viewBox: `0 0 ${WIDTH} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  const edge = (i) => low + ((high - low) * i) / bins.length;
  if (whole) drawing.append(...whole.map((n, i) => bar(n, i, "shadow")));
  bins.forEach((n, i) => {
    const shown = bar(n, i, side(metric, (edge(i) + edge(i + 1)) / 2));
    const words = `${score(edge(i))} – ${score(edge(i + 1))}: ${count(n)}`;
    shown.append(svg("title", {}, words));
    drawing.append(shown);
    if (onpick && n) {
      const area = svg("rect", { class: "pick", x: i * step, y: 0, width: step, height });
      area.append(svg("title", {}, words));
      area.addEventListener("click", () => onpick(edge(i), edge(i + 1)));
      drawing.append(area);
    }
  });
  if (metric.threshold !== null) {
    const x = ((metric.threshold - low) / (high - low)) * WIDTH;
    drawing.append(svg("line", { class: "threshold", x1: x, x2: x, y1: 0, y2: height }));
  }
  return drawing;
}

/** The mean as a dot with its interval as a line, on the same axis as the bars above it. */
export function whisker(metric) {
  const { low, high } = metric.histogram;
  const x = (value) => ((value - low) / (high - low)) * WIDTH;
  const { value, low: from, high: to } = metric.mean;
  return svg(
    "svg",
    { class: "whisker", viewBox: `0 0 ${WIDTH} 12`, "aria-hidden": "true", preserveAspectRatio: "none" },
    from === null ? null : svg("line", { class: "reach", x1: x(from), x2: x(to), y1: 6, y2: 6 }),
    svg("line", { class: "mean", x1: x(value), x2: x(value), y1: 1, y2: 11 }),
  );
}

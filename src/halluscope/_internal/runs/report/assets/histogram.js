// The distribution of scores.

import { svg } from "./dom.js";
import { count, score } from "./words.js";

const WIDTH = 400;

/** How many scores, and how many that passed, lie in equal parts of a range. */
export function binned(results, { score: scores, passed }, { low, high, counts }) {
  const bins = { counts: counts.map(() => 0), passed: counts.map(() => 0) };
  for (const result of results) {
    if (scores[result] === null) continue;
    const place = Math.floor(((scores[result] - low) / (high - low)) * counts.length + 1e-9);
    const bin = Math.min(counts.length - 1, Math.max(0, place));
    bins.counts[bin]++;
    bins.passed[bin] += passed[result];
  }
  return bins;
}

/** Bars, those that passed below and those that failed on top. With `whole`, everything stands behind as a shadow. */
export function histogram(metric, { counts, passed }, { height = 84, whole = null, label = "", onpick = null } = {}) {
  const { low, high } = metric.histogram;
  const most = Math.max(1, ...(whole ?? counts));
  const step = WIDTH / counts.length;
  const rise = (n) => (n ? Math.max(2, (n / most) * (height - 2)) : 0);
  const bar = (kind, i, from, size) =>
    size ? svg("rect", { class: kind, x: i * step + 1, y: height - from - size, width: step - 2, height: size }) : null;
  const edge = (i) => low + ((high - low) * i) / counts.length;
  const drawing = svg("svg", {
    class: "histogram",
    viewBox: `0 0 ${WIDTH} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": label,
  });
  counts.forEach((n, i) => {
    const [good, bad] = [rise(passed[i]), rise(n - passed[i])];
    const shown = [
      whole ? bar("shadow", i, 0, rise(whole[i])) : null,
      bar("good", i, 0, good),
      bar("bad", i, good, bad),
    ];
    drawing.append(...shown.filter(Boolean));
    if (!n || !onpick) return;
    const words = `${score(edge(i))} – ${score(edge(i + 1))}: ${count(n)}, of which ${count(passed[i])} passed`;
    const area = svg("rect", { class: "pick", x: i * step, y: 0, width: step, height }, svg("title", {}, words));
    area.addEventListener("click", () => onpick(edge(i), edge(i + 1)));
    drawing.append(area);
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

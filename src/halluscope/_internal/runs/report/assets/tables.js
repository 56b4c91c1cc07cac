// Tables inside a text, so that they can be drawn as tables. Places are those of the text.

const GRID_LEAST = 2;
const CELL_MOST = 60;
const RULE_LINE = /^[\s|:+-]*-[\s|:+-]*$/;
/** Columns set apart by blanks, but not the wide gap after a sentence. */
const GAPS = /[^\s.?!:;] {2,}\S/;

/** The lines of a text with their places. */
function linesOf(text) {
  const lines = [];
  let start = 0;
  for (const words of text.split("\n")) {
    lines.push({ start, words });
    start += words.length + 1;
  }
  return lines;
}

/** The cells of a line between separators, without the blanks around them. */
function cellsOf({ start, words }, separator) {
  const cells = [];
  let from = 0;
  let quoted = false;
  const end = (at) => {
    const cell = words.slice(from, at);
    const blank = cell.length - cell.trimStart().length;
    cells.push({ start: start + from + blank, end: start + from + blank + cell.trim().length, blank });
    from = at + 1;
  };
  for (let at = 0; at < words.length; at++) {
    if (words[at] === '"' && separator !== "|") quoted = !quoted;
    if (words[at] === separator && !quoted && words[at - 1] !== "\\") end(at);
  }
  end(words.length);
  if (separator !== "|") return cells;
  if (/^\s*\|/.test(words)) cells.shift();
  if (/\|\s*$/.test(words)) cells.pop();
  return cells;
}

/** Rows whose cells stand between pipes, tabs, commas or semicolons; null where the lines are something else. */
function gridOf(lines, separator) {
  const rows = lines.map((line) => cellsOf(line, separator));
  const width = rows[0].length;
  if (width < 2) return null;
  if (separator === "|") {
    const ruled = lines.length > 1 && RULE_LINE.test(lines[1].words);
    if (!ruled && !lines.every(({ words }) => words.trim().startsWith("|"))) return null;
    return { head: ruled, rows: rows.filter((_, i) => !RULE_LINE.test(lines[i].words)) };
  }
  if (rows.some((row) => row.length !== width)) return null;
  if (separator !== "\t") {
    // Prose has commas too, with a blank after them and in longer lines.
    if (lines.length < 3 || width < 3) return null;
    if (rows.flat().some(({ start, end, blank }) => blank || end - start > CELL_MOST)) return null;
  }
  return { head: true, rows };
}

const KINDS = [
  ...["|", "\t", ",", ";"].map((separator) => ({
    holds: (words) => words.includes(separator),
    made: (lines) => gridOf(lines, separator),
  })),
  { holds: (words) => GAPS.test(words), made: () => ({ rows: null }) },
];

/** The tables of a text: `rows` of cells with their places, null for one that is laid out with blanks. */
export function tablesIn(text) {
  const lines = linesOf(text);
  const found = [];
  for (let first = 0; first < lines.length; first++) {
    for (const { holds, made } of KINDS) {
      let last = first;
      while (last < lines.length && holds(lines[last].words)) last++;
      const block = lines.slice(first, last);
      const table = block.length >= GRID_LEAST ? made(block) : null;
      if (!table) continue;
      const end = block.at(-1);
      found.push({ ...table, start: block[0].start, end: end.start + end.words.length });
      first = last - 1;
      break;
    }
  }
  return found;
}

// Search in ids, inputs, outputs, contexts, claims and reasons. The texts are read once, the first time
// something is searched for, block by block so that the page never stops.

/** Lower case without accents, so that "zurich" finds "Zürich". */
export function folded(text) {
  const lower = text.toLowerCase();
  return /[^\0-\x7f]/.test(lower) ? lower.normalize("NFD").replace(/\p{M}/gu, "") : lower;
}

/** What a query asks for: its words, and whatever stands in quotation marks as one. */
function wordsIn(query) {
  return [...folded(query).matchAll(/"([^"]+)"|(\S+)/g)].map((match) => match[1] ?? match[2]);
}

/** Mark what was searched for in the texts below `root`, where the browser can do so without changing them. */
export function markFound(root, query) {
  if (!globalThis.CSS?.highlights) return;
  const wanted = wordsIn(query);
  const ranges = [];
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (wanted.length && ranges.length < 1000 && nodes.nextNode()) {
    const node = nodes.currentNode;
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length || !node.parentElement.closest(".text, .entry, .reason")) continue;
    for (const word of wanted) {
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set("search", new Highlight(...ranges));
}

function wordsOf(record) {
  const parts = [record.input, record.output, ...(record.context ?? []), record.reason, record.label];
  for (const verdict of record.verdicts ?? []) parts.push(verdict.text, verdict.reason);
  if (record.failure) parts.push(record.failure.message);
  if (record.metadata) parts.push(JSON.stringify(record.metadata));
  return parts.filter(Boolean).join("\n");
}

export class Search {
  constructor(store) {
    this.store = store;
    this.texts = null;
    this.reading = null;
  }

  /** Read all texts. `progress` hears how far it is. */
  load(progress) {
    this.reading ??= this.read(progress);
    return this.reading;
  }

  async read(progress) {
    const { cases, results, texts } = this.store;
    const owner = new Map();
    cases.record.forEach((record, row) => owner.set(record, row));
    results.record.forEach((record, result) => owner.set(record, results.case[result]));
    const found = cases.id.map((id) => [folded(id)]);
    for (let block = 0; block < texts.starts.length; block++) {
      const records = await texts.block(block);
      records.forEach((record, i) => found[owner.get(texts.starts[block] + i)].push(folded(wordsOf(record))));
      progress((block + 1) / texts.starts.length);
      await new Promise((resume) => setTimeout(resume));
    }
    this.texts = found.map((parts) => parts.join("\n"));
  }

  /** Whether a case holds every word of the query. */
  matcher(query) {
    const wanted = wordsIn(query);
    if (!wanted.length) return null;
    const { cases } = this.store;
    const text = this.texts ? (row) => this.texts[row] : (row) => folded(`${cases.id[row]}\n${cases.snippet[row]}`);
    return (row) => {
      const held = text(row);
      return wanted.every((word) => held.includes(word));
    };
  }
}

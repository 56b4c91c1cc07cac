// The data inside the page: an index that is read at once, and blocks of texts that are read when needed.

const KEPT = 48;

/** Open one compressed block of a report; `read` gives the text of a block by its id. */
async function unpacked(read, id) {
  const packed = atob(read(id));
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** Records by number, in blocks; the blocks used last are kept. */
class Shelf {
  constructor(read, kind, starts) {
    this.read = read;
    this.kind = kind;
    this.starts = starts;
    this.open = new Map();
  }

  blockOf(record) {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= record) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  block(number) {
    const known = this.open.get(number) ?? unpacked(this.read, `${this.kind}-${number}`);
    this.open.delete(number);
    this.open.set(number, known);
    if (this.open.size > KEPT) this.open.delete(this.open.keys().next().value);
    return known;
  }

  async record(number) {
    const place = this.blockOf(number);
    return (await this.block(place))[number - this.starts[place]];
  }
}

/** A whole report as the rest of the script sees it: the one that is open, or one whose blocks `read` gives. */
export async function openStore(read = (id) => document.getElementById(id).textContent) {
  const index = await unpacked(read, "index");
  const { cases, results } = index;
  const byMetric = index.metrics.map(() => []);
  const byCase = cases.id.map(() => []);
  results.case.forEach((row, result) => {
    byMetric[results.metric[result]].push(result);
    byCase[row].push(result);
  });
  return {
    ...index,
    byMetric,
    byCase,
    texts: new Shelf(read, "texts", index.blocks.texts),
    exchanges: new Shelf(read, "exchanges", index.blocks.exchanges),
    outcome: (result) => index.outcomes[results.outcome[result]],
    change: (result) => (results.change[result] === null ? null : index.changes[results.change[result]]),
  };
}

// The difference of two texts, line by line.
//
// Lines that occur once in each text are anchors; the longest chain of anchors that is in order in both texts is kept
// ("patience diff", Bram Cohen), and what lies between two of them is compared in the same way. Without anchors, equal
// lines at the start and the end are kept, and the rest is one change.

/** A line without the numbers of values, and how far it is indented: `%12 = f %acc_3` and `%13 = f %acc_4` are the same to
 * a reader, and so are two lines of which one stands in one more loop. */
function withoutNumbers(line) {
  return line.trim().replace(/%\d+|(%[A-Za-z$._-][\w$.-]*?)_\d+(?![\w$.-])/g, (_, name) => name ?? "%");
}

/** Rows `{ kind, left, right }` of kind "same", "changed", "removed" or "added", with the numbers of lines or -1. */
function difference(before, after) {
  const left = before.map(withoutNumbers);
  const right = after.map(withoutNumbers);
  const rows = [];
  compareParts(left, 0, left.length, right, 0, right.length, rows);
  return rows;
}

function compareParts(left, a, aEnd, right, b, bEnd, rows) {
  while (a < aEnd && b < bEnd && left[a] === right[b]) rows.push({ kind: "same", left: a++, right: b++ });
  let same = 0;
  while (a < aEnd - same && b < bEnd - same && left[aEnd - same - 1] === right[bEnd - same - 1]) same++;
  const anchors = anchorsOf(left, a, aEnd - same, right, b, bEnd - same);
  if (anchors.length) {
    for (const [x, y] of anchors) {
      compareParts(left, a, x, right, b, y, rows);
      rows.push({ kind: "same", left: x, right: y });
      [a, b] = [x + 1, y + 1];
    }
    compareParts(left, a, aEnd - same, right, b, bEnd - same, rows);
  } else {
    for (; a < aEnd - same; a++) rows.push({ kind: "removed", left: a, right: -1 });
    for (; b < bEnd - same; b++) rows.push({ kind: "added", left: -1, right: b });
  }
  for (let i = same; i > 0; i--) rows.push({ kind: "same", left: aEnd - i, right: bEnd - i });
}

/** Pairs of lines that occur once on each side, as many as are in order on both. */
function anchorsOf(left, a, aEnd, right, b, bEnd) {
  const seen = new Map();
  const entry = (line) => seen.get(line) ?? seen.set(line, { left: [], right: [] }).get(line);
  for (let i = a; i < aEnd; i++) entry(left[i]).left.push(i);
  for (let i = b; i < bEnd; i++) entry(right[i]).right.push(i);
  const pairs = [];
  for (const each of seen.values()) {
    if (each.left.length === 1 && each.right.length === 1) pairs.push([each.left[0], each.right[0]]);
  }
  return longestIncreasing(pairs.sort((p, q) => p[0] - q[0]));
}

/** The longest chain of pairs whose second numbers increase, too. */
function longestIncreasing(pairs) {
  const ends = [];
  const before = new Array(pairs.length);
  pairs.forEach(([, y], n) => {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (pairs[ends[middle]][1] < y) low = middle + 1;
      else high = middle;
    }
    before[n] = low ? ends[low - 1] : -1;
    ends[low] = n;
  });
  const chain = [];
  for (let n = ends.length ? ends[ends.length - 1] : -1; n >= 0; n = before[n]) chain.push(pairs[n]);
  return chain.reverse();
}

/** Rows for two columns: what was removed stands beside what was added in its place. */
function sideBySide(rows) {
  const result = [];
  for (let i = 0; i < rows.length; ) {
    if (rows[i].kind === "same") {
      result.push(rows[i++]);
      continue;
    }
    const removed = [];
    const added = [];
    for (; i < rows.length && rows[i].kind !== "same"; i++) (rows[i].kind === "removed" ? removed : added).push(rows[i]);
    for (let n = 0; n < Math.max(removed.length, added.length); n++) {
      const [left, right] = [removed[n]?.left ?? -1, added[n]?.right ?? -1];
      result.push({ kind: left < 0 ? "added" : right < 0 ? "removed" : "changed", left, right });
    }
  }
  return result;
}

/** The rows with long runs of equal lines folded to `{ kind: "fold", rows }`, but for `context` lines beside changes. */
function folded(rows, context = 3) {
  const result = [];
  for (let i = 0; i < rows.length; ) {
    let end = i;
    while (end < rows.length && rows[end].kind === "same") end++;
    const [head, tail] = [i ? context : 0, end < rows.length ? context : 0];
    if (end - i > head + tail + 1) {
      result.push(...rows.slice(i, i + head), { kind: "fold", rows: rows.slice(i + head, end - tail) }, ...rows.slice(end - tail, end));
    } else {
      result.push(...rows.slice(i, end));
    }
    for (i = end; i < rows.length && rows[i].kind !== "same"; i++) result.push(rows[i]);
  }
  return result;
}

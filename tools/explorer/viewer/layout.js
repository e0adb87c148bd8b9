// A layered layout (Sugiyama, Tagawa and Toda, 1981): layers by the longest path, points where long edges cross layers, an
// order within layers by the mean position of neighbours, and positions near to those of neighbours.
//
// It is no library's, as folding has 0.1 s. For the ops of ResNet-50 (179), BERT-base (444) and SmolLM2 of 135 million
// parameters (2,537) this layout takes 17, 33 and 100 ms. dagre 3.1 takes 0.2 s, 1.2 s and, for the 1,337 calls of kernels of
// the last one, 42 s; without the edges that cross many layers 0.4 s for BERT and 2.4 s for SmolLM2. d3-dag 1.2 needs the
// same help: then it takes 0.05 and 0.37 s, or 0.04 and 0.16 s with layers that are merely centred, so that no edge is
// straight. elkjs 0.12 takes 0.4 s for ResNet-50, 1.2 s for BERT, and 1.6 MB of each page.

const SWEEPS = 8;
const SETTLING = 12;
const WORK = 30000;
const FARTHEST = 24;

/** Where boxes `{ inputs }` go, and the points of edges. */
function layered(boxes) {
  const layers = layersOf(boxes);
  const rows = Array.from({ length: Math.max(...layers) + 1 }, () => []);
  const points = boxes.map((_, number) => ({ layer: layers[number], width: NODE.width, above: [], below: [] }));
  points.forEach((point) => rows[point.layer].push(point));
  const edges = [];
  boxes.forEach((box, number) => box.inputs.forEach((input) => {
    const path = [points[input]];
    // An edge against the order, which a cycle of groups has, is drawn straight; so is one that crosses many layers, such
    // as those from the caches of a language model: with points in all of them these would outnumber what is between.
    const isFar = layers[number] - layers[input] > FARTHEST;
    for (let layer = layers[input] + 1; layer < layers[number] && !isFar; layer++) {
      const bend = { layer, width: 12, above: [], below: [], isBend: true };
      rows[layer].push(bend);
      path.push(bend);
    }
    path.push(points[number]);
    for (let n = 1; n < path.length && layers[input] < layers[number] && !isFar; n++) {
      path[n].above.push(path[n - 1]);
      path[n - 1].below.push(path[n]);
    }
    edges.push(path);
  }));
  order(rows);
  place(rows);
  const all = rows.flat();
  const left = all.reduce((least, point) => Math.min(least, point.x - point.width / 2), Infinity);
  const right = all.reduce((most, point) => Math.max(most, point.x + point.width / 2), -Infinity);
  const topOf = (layer) => layer * (NODE.height + NODE.gapY);
  const ends = (path) => path.flatMap((point, n) => {
    const [x, top] = [point.x - left, topOf(point.layer)];
    if (n === 0) return [{ x, y: top + NODE.height }];
    return n === path.length - 1 ? [{ x, y: top }] : [{ x, y: top }, { x, y: top + NODE.height }];
  });
  return {
    at: points.map((point) => ({ x: point.x - left, y: topOf(point.layer) })),
    edges: edges.map(ends),
    width: right - left,
  };
}

/** The layer of each box: below all that it reads, but for edges that close a cycle, and above its readers. */
function layersOf(boxes) {
  const layers = new Array(boxes.length).fill(-1);
  const open = new Set();
  for (let start = 0; start < boxes.length; start++) {
    const stack = [start];
    while (stack.length) {
      const number = stack[stack.length - 1];
      if (layers[number] >= 0) {
        stack.pop();
        continue;
      }
      const waits = [...boxes[number].inputs].filter((input) => layers[input] < 0 && !open.has(input));
      open.add(number);
      if (waits.length) stack.push(...waits);
      else {
        layers[number] = Math.max(-1, ...[...boxes[number].inputs].map((input) => layers[input])) + 1;
        open.delete(number);
        stack.pop();
      }
    }
  }
  // What could stand higher stands right above its first reader, so that what a layer of a model needs is near to it.
  const readers = boxes.map(() => []);
  boxes.forEach((box, number) => box.inputs.forEach((input) => readers[input].push(number)));
  for (const number of [...layers.keys()].sort((a, b) => layers[b] - layers[a])) {
    const first = readers[number].reduce((least, reader) => Math.min(least, layers[reader]), Infinity);
    if (first < Infinity) layers[number] = Math.max(layers[number], first - 1);
  }
  return layers;
}

/** How often all points are moved, of `most` times: less often if they are many, as somebody waits. */
function rounds(rows, most) {
  const points = rows.reduce((sum, row) => sum + row.length, 0);
  return Math.max(2, Math.min(most, Math.round(WORK / points)));
}

function order(rows) {
  const number = () => rows.forEach((row) => row.forEach((point, n) => { point.order = n; }));
  number();
  const sweeps = rounds(rows, SWEEPS);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      for (const point of row) {
        const beside = down ? point.above : point.below;
        point.key = beside.length ? beside.reduce((sum, each) => sum + each.order, 0) / beside.length : point.order;
      }
      row.sort((a, b) => a.key - b.key);
      row.forEach((point, n) => { point.order = n; });
    }
  }
}

function place(rows) {
  for (const row of rows) {
    let x = 0;
    for (const point of row) {
      point.x = x + point.width / 2;
      x += point.width + NODE.gapX;
    }
    row.forEach((point) => { point.x -= x / 2; });
  }
  const settling = rounds(rows, SETTLING);
  for (let round = 0; round < settling; round++) {
    for (const row of round % 2 ? [...rows].reverse() : rows) settle(row, round % 2 ? "below" : "above");
  }
}

/** Move the points of a row towards their neighbours, as far as the order and the gaps allow. */
function settle(row, side) {
  const wanted = row.map((point) => {
    const beside = point[side].length ? point[side] : [...point.above, ...point.below];
    return beside.length ? beside.reduce((sum, each) => sum + each.x, 0) / beside.length : point.x;
  });
  const gap = (n) => (row[n - 1].width + row[n].width) / 2 + NODE.gapX;
  const fromLeft = [...wanted];
  const fromRight = [...wanted];
  for (let n = 1; n < row.length; n++) fromLeft[n] = Math.max(fromLeft[n], fromLeft[n - 1] + gap(n));
  for (let n = row.length - 2; n >= 0; n--) fromRight[n] = Math.min(fromRight[n], fromRight[n + 1] - gap(n + 1));
  row.forEach((point, n) => { point.x = (fromLeft[n] + fromRight[n]) / 2; });
}

// The map's own structure, as view/pack/structure.h lists it: tree, leaves, visibility, faces.

const STRUCTURE = {
  planes: Float32Array, nodes: Int32Array, leaves: Int32Array, leafFaces: Int32Array,
  leafBrushes: Int32Array, brushes: Int32Array, sides: Int32Array, models: Int32Array,
  faces: Int32Array, lights: Int32Array, rows: Uint8Array,
};
const LEAF_SIZE = 13;
const FACE_SIZE = 10;
const MODEL_SIZE = 9;

function makeStructure(map) {
  const structure = {clusters: 0, rowBytes: 0};
  for (const [name, kind] of Object.entries(STRUCTURE))
    structure[name] = map.head.streams[name] ? new kind(map.stream(name).buffer) : new kind(0);
  const rows = map.head.streams.rows;
  if (rows) {
    structure.rowBytes = rows.record;
    structure.clusters = rows.size / rows.record;
  }
  structure.leafCount = structure.leaves.length / LEAF_SIZE;
  return structure;
}

// The distance of a point from a plane.
function planeDistance(structure, plane, point) {
  const {planes} = structure, at = 4 * plane;
  return planes[at] * point[0] + planes[at + 1] * point[1] + planes[at + 2] * point[2] - planes[at + 3];
}

// The number of the leaf of the world at a point; -1 in a map without a tree.
function leafAt(structure, point) {
  const {nodes} = structure;
  let node = nodes.length ? 0 : -1;
  for (let steps = nodes.length; node >= 0 && steps > 0; steps--)
    node = nodes[3 * node + (planeDistance(structure, nodes[3 * node], point) >= 0 ? 1 : 2)];
  return structure.leafCount ? -1 - node : -1;
}

function readLeaf(structure, number) {
  const at = LEAF_SIZE * number, row = structure.leaves.subarray(at, at + LEAF_SIZE);
  return {
    number, contents: row[0], cluster: row[1], area: row[2], firstBrush: row[3], brushes: row[4],
    firstFace: row[5], faces: row[6], mins: [...row.subarray(7, 10)], maxs: [...row.subarray(10, 13)],
  };
}

function clusterAt(structure, point) {
  const leaf = leafAt(structure, point);
  return leaf < 0 ? -1 : structure.leaves[LEAF_SIZE * leaf + 1];
}

// True if a cluster sees another; all do in a map without visibility.
function seesCluster(structure, from, to) {
  if (!structure.clusters)
    return true;
  if (from < 0 || to < 0 || from >= structure.clusters || to >= structure.clusters)
    return false;
  return (structure.rows[from * structure.rowBytes + (to >> 3)] >> (to & 7) & 1) === 1;
}

function countSeen(structure, from) {
  let count = 0;
  for (let to = 0; to < structure.clusters; to++)
    count += seesCluster(structure, from, to) ? 1 : 0;
  return count;
}

// Calls `visit` with the numbers of the leaves that a box touches, below a node.
function visitLeaves(structure, node, mins, maxs, visit) {
  const {nodes, planes} = structure;
  const stack = [node];
  for (let steps = 2 * nodes.length + 1; stack.length && steps > 0; steps--) {
    const at = stack.pop();
    if (at < 0) {
      visit(-1 - at);
      continue;
    }
    const plane = 4 * nodes[3 * at];
    let near = -planes[plane + 3], far = near;
    for (let k = 0; k < 3; k++) {
      const normal = planes[plane + k];
      near += normal * (normal > 0 ? mins[k] : maxs[k]);
      far += normal * (normal > 0 ? maxs[k] : mins[k]);
    }
    if (far >= 0)
      stack.push(nodes[3 * at + 1]);
    if (near < 0)
      stack.push(nodes[3 * at + 2]);
  }
}

// The number of the brush model of an entity; 0: it has none.
function modelOf(structure, {keys}) {
  const model = /^\*(\d+)$/.exec(keys.get("model") || ""), number = model ? Number(model[1]) : 0;
  return MODEL_SIZE * number < structure.models.length ? number : 0;
}

// The box of an entity's brushes; null: it has none. Their own box is around the entity's place.
function boxOfModel(structure, entity) {
  const at = MODEL_SIZE * modelOf(structure, entity);
  if (!at)
    return null;
  const numbers = [...structure.models.subarray(at + 3, at + 9)].map(asFloat), place = entity.origin || [0, 0, 0];
  return {mins: add(numbers.slice(0, 3), place), maxs: add(numbers.slice(3), place)};
}

// The first brush that has a point inside, of the leaf that the point is in; -1: none.
function brushAt(structure, point) {
  const number = leafAt(structure, point), leaf = number < 0 ? {brushes: 0} : readLeaf(structure, number);
  for (let i = 0; i < leaf.brushes; i++) {
    const brush = structure.leafBrushes[leaf.firstBrush + i], [first, count] = structure.brushes.subarray(3 * brush, 3 * brush + 2);
    if (structure.sides.subarray(first, first + count).every(plane => planeDistance(structure, plane, point) <= 0))
      return brush;
  }
  return -1;
}

// --- faces ---

const floatBits = new DataView(new ArrayBuffer(4));

function asFloat(bits) {
  floatBits.setInt32(0, bits);
  return floatBits.getFloat32(0);
}

function readFace(structure, number) {
  const at = FACE_SIZE * number, row = structure.faces.subarray(at, at + FACE_SIZE);
  return {
    number, side: row[0], name: row[1], width: row[2], height: row[3],
    styles: [0, 8, 16, 24].map(shift => row[4] >>> shift & 255).filter(style => style !== 255),
    flags: row[5], lit: row[6] === 1, luxel: asFloat(row[7]), area: asFloat(row[8]), texinfo: row[9],
  };
}

// The clusters whose leaves list each face.
function clustersOfFaces(structure) {
  const found = new Map();
  for (let i = 0; i < structure.leafCount; i++) {
    const leaf = readLeaf(structure, i);
    for (let k = 0; k < leaf.faces && leaf.cluster >= 0; k++) {
      const face = structure.leafFaces[leaf.firstFace + k];
      if (!found.has(face))
        found.set(face, new Set());
      found.get(face).add(leaf.cluster);
    }
  }
  return found;
}

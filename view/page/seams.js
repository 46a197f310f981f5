// Seams: edges of two surfaces that go on into each other, with another light on each side.

const SEAM_ANGLE = 0.7;   // least cosine between their normals
const SEAM_VISIBLE = 8;   // least difference in bytes of the picture
const SEAM_GRID = 1 / 8;  // corners nearer than this are one
const SEAM_PLACES = [0.25, 0.5, 0.75];
const NO_PAGE = 65535;

// The parts of a vertex that lead to its light.
function readVertices(vertices) {
  const floats = new Float32Array(vertices.buffer), shorts = new Uint16Array(vertices.buffer);
  return {
    pageOf: vertex => shorts[2 * VERTEX_WORDS * vertex + 14],
    luxelOf: vertex => [floats[VERTEX_WORDS * vertex + 5], floats[VERTEX_WORDS * vertex + 6]],
  };
}

// The light of a place on a page, of the first style: red, green, blue; 255 is white.
function luxelAt({bytes, side}, page, [x, y]) {
  const left = Math.floor(x), top = Math.floor(y), sum = [0, 0, 0];
  for (let i = 0; i < 4; i++) {
    const column = Math.min(left + (i & 1), side - 1), row = Math.min(top + (i >> 1), side - 1);
    const share = (1 - Math.abs(left + (i & 1) - x)) * (1 - Math.abs(top + (i >> 1) - y));
    const at = 4 * ((page * side + row) * side + column), factor = share * 2 ** (bytes[at + 3] - 24);
    for (let k = 0; k < 3; k++)
      sum[k] += factor * bytes[at + k];
  }
  return sum;
}

function shownByte(light) {
  return 255 * clamp(light / 255, 0, 1) ** (1 / 2.2);
}

function between(a, b, share) {
  return a.map((value, k) => value + share * (b[k] - value));
}

// All edges of lit triangles, by the places of their ends.
function edgesByPlace(scene) {
  const {triangles: {corners, surfaces}, vertexParts, indices} = scene, found = new Map();
  const keyOf = point => point.map(value => Math.round(value / SEAM_GRID)).join();
  for (let i = 0; i < surfaces.length; i++) {
    const page = vertexParts.pageOf(indices[3 * i]);
    if (page === NO_PAGE)
      continue;
    const ends = [0, 1, 2].map(k => [...corners.subarray(9 * i + 3 * k, 9 * i + 3 * k + 3)]), keys = ends.map(keyOf);
    for (let k = 0; k < 3; k++) {
      const next = (k + 1) % 3, swapped = keys[k] > keys[next], [from, to] = swapped ? [next, k] : [k, next];
      const key = `${keys[from]} ${keys[to]}`, row = {surface: surfaces[i], triangle: i, page, points: [ends[from], ends[to]], vertices: [indices[3 * i + from], indices[3 * i + to]]};
      if (found.has(key))
        found.get(key).push(row);
      else
        found.set(key, [row]);
    }
  }
  return found;
}

// How much the light differs, in bytes of the picture.
function seamOf(scene, one, other) {
  const {vertexParts, luxelPages} = scene;
  const shown = ({page, vertices: [from, to]}, share) =>
    luxelAt(luxelPages, page, between(vertexParts.luxelOf(from), vertexParts.luxelOf(to), share)).map(shownByte);
  return Math.max(...SEAM_PLACES.map(share => {
    const a = shown(one, share), b = shown(other, share);
    return Math.max(...a.map((value, k) => Math.abs(value - b[k])));
  }));
}

function findSeams(scene) {
  const {corners} = scene.triangles, seams = [];
  for (const rows of edgesByPlace(scene).values()) {
    const [one] = rows, other = rows.find(row => row.surface !== one.surface);
    if (!other || dot(normalOf(corners, one.triangle), normalOf(corners, other.triangle)) < SEAM_ANGLE)
      continue;
    const amount = seamOf(scene, one, other);
    if (amount >= SEAM_VISIBLE)
      seams.push({amount, points: one.points, normal: normalOf(corners, one.triangle)});
  }
  return seams.sort((a, b) => b.amount - a.amount);
}

// The seams of a map, the worst first; found when they are first asked for.
function seamsOf(scene) {
  scene.seams = scene.seams || findSeams(scene);
  return scene.seams;
}

// A little above the faces, so that they are seen.
function seamLines(scene) {
  return seamsOf(scene).flatMap(({amount, points, normal}) => {
    const strong = clamp(amount / 64, 0, 1), colour = [1, 1 - strong, 1 - strong];
    return points.map(point => [add(point, scale(normal, 0.3)), colour]);
  });
}

// A list that is made when it is opened.
function seamList(app) {
  const made = section("Seams", element("p", {}, "Looking for them."));
  made.addEventListener("toggle", () => {
    if (!made.open || made.dataset.filled)
      return;
    made.dataset.filled = "1";
    const seams = seamsOf(app.scene), rows = seams.slice(0, 50).map(({amount, points}) =>
      [`Light differs by ${Math.round(amount)} of 255`, between(points[0], points[1], 0.5)]);
    made.lastChild.replaceWith(rows.length ? placeList(app, rows, point => app.lookAt(point)) : element("p", {}, "There are none."));
    made.firstChild.textContent = `Seams (${seams.length})`;
  });
  return made;
}

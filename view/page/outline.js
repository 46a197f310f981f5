// The outline of the surface that was clicked: where it ends, and where it has an edge.

const OUTLINE_COLOUR = [0.1, 0.75, 1];
const OUTLINE_EDGE = 0.8; // cosine between the triangles at an edge
const OUTLINE_GRID = 16;  // corners are compared in parts of a unit

// The edges of the triangles of a surface, by the places of their ends: these, and the normals
// beside them.
function edgesOfSurface({triangles: {corners, surfaces}}, surface) {
  const found = new Map(), keyOf = point => point.map(value => Math.round(value * OUTLINE_GRID)).join();
  surfaces.forEach((other, triangle) => {
    if (other !== surface)
      return;
    const normal = normalOf(corners, triangle);
    const ends = [0, 3, 6].map(k => [...corners.subarray(9 * triangle + k, 9 * triangle + k + 3)]);
    ends.forEach((from, k) => {
      const to = ends[(k + 1) % 3], key = [keyOf(from), keyOf(to)].sort().join(" ");
      if (!found.has(key))
        found.set(key, {ends: [from, to], normals: []});
      found.get(key).normals.push(normal);
    });
  });
  return [...found.values()];
}

// Surfaces with a back have each triangle twice.
function isOutline({normals}) {
  return normals.filter(normal => dot(normals[0], normal) >= OUTLINE_EDGE).length < 2;
}

function outlinePoints(scene, surface) {
  return edgesOfSurface(scene, surface).filter(isOutline).flatMap(({ends}) => ends.map(end => [end, OUTLINE_COLOUR]));
}

// Draws the outline of a surface from now on; of none with -1.
function outlineSurface(gl, scene, surface) {
  deleteLines(gl, scene.chosenLines);
  scene.chosenLines = surface < 0 ? null : {...makeLines(gl, outlinePoints(scene, surface)), isWide: true};
}

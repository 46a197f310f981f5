// Places that messages and lists name: the camera goes where it sees them, and a cross marks them.

const POINT_SIZE = 12;
const POINT_COLOUR = [1, 0.2, 0.9];
const VIEW_DISTANCES = [160, 96, 48];

// Directions from a point to a camera: from slightly above first, then level, then from below.
function viewDirections() {
  const found = [];
  for (const pitch of [25, 0, 55, -25, 85, -85])
    for (let yaw = 0; yaw < 360; yaw += 45)
      found.push([pitch, yaw]);
  return found;
}

const SOLID = 1;

// True if a camera can be at a place: in a leaf of the map that is not solid, and not outside of
// what players see, as far as the map tells.
function isOpen({structure}, place) {
  const number = leafAt(structure, place);
  if (number < 0)
    return true;
  const {contents, cluster} = readLeaf(structure, number);
  return !(contents & SOLID) && (cluster >= 0 || !structure.clusters);
}

// How much of the way from an eye to a point lies behind the first thing on it.
function hiddenPart(scene, eye, point, hides) {
  const way = subtract(point, eye), far = length(way);
  const hit = castRay(scene, scene.solid, eye, scale(way, 1 / far), far - 1, hides);
  return hit ? far - hit.distance : 0;
}

// The first open place from which nothing hides some points, the first of which is in the middle,
// else that from which least is before one; null: none is open.
function bestPlace(scene, points, directions, reach = 0, hides = null) {
  let best = null;
  for (const far of VIEW_DISTANCES.map(distance => distance + reach))
    for (const [pitch, yaw] of directions) {
      const eye = subtract(points[0], scale(axesOf(pitch, yaw).forward, far));
      if (!isOpen(scene, eye))
        continue;
      const before = Math.max(...points.map(point => hiddenPart(scene, eye, point, hides)));
      if (!best || before < best.before)
        best = {before, eye, pitch, yaw: (yaw + 540) % 360 - 180};
      if (!before)
        return best;
    }
  return best;
}

// Puts the camera where it sees the point, or at the point. Around the point may be what belongs to
// it: so far from it in any direction, with surfaces that hide nothing.
function standBefore(app, point, reach = 0, hides = null) {
  standAt(app, point, bestPlace(app.scene, [point], viewDirections(), reach, hides));
}

function standAt({scene, camera, renderer}, point, place) {
  scene.pointLines = crossLines(renderer.gl, point);
  if (place)
    Object.assign(camera, {eye: place.eye, pitch: place.pitch, yaw: place.yaw});
  else
    camera.eye = [...point];
}

// The same for the end of a line, beside which the camera stands: along it, a line is a dot.
function standBesideLine(app, end, next) {
  const along = normalize(subtract(next, end)), part = Math.min(distance(end, next), VIEW_DISTANCES[2]);
  standAt(app, end, bestPlace(app.scene, [end, add(end, scale(along, part))], directionsAcross(along)));
}

// Directions across a line, the most level one from above first.
function directionsAcross(along) {
  const side = normalize(cross(along, Math.abs(along[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1])), other = cross(side, along);
  const turns = Array.from({length: 16}, (_, i) => i * Math.PI / 8);
  const found = turns.map(turn => anglesOf(add(scale(side, Math.cos(turn)), scale(other, Math.sin(turn)))));
  return found.sort(([a], [b]) => Math.abs(a - 20) - Math.abs(b - 20));
}

// The same for an entity: what is drawn of it, or its place.
function standBeforeEntity(app, {number, origin, box}) {
  if (!box)
    standBefore(app, origin);
  else
    standBefore(app, scale(add(box.mins, box.maxs), 0.5), distance(box.mins, box.maxs) / 2,
      surface => app.scene.surfaceRows[surface].entity !== number);
}

function crossLines(gl, point) {
  const points = [];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1])
      points.push([point.map((value, k) => value + (k === axis ? side * POINT_SIZE : 0)), POINT_COLOUR]);
  return makeLines(gl, points);
}

// A place that a message names: the camera goes where it sees it, and a cross marks it.

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

// The first open place from which nothing hides a point, else that from which least is before it;
// null: none is open.
function bestPlace(scene, point, reach, hides) {
  let best = null;
  for (const far of VIEW_DISTANCES.map(distance => distance + reach))
    for (const [pitch, yaw] of viewDirections()) {
      const {forward} = axesOf(pitch, yaw), eye = subtract(point, scale(forward, far));
      if (!isOpen(scene, eye))
        continue;
      const hit = castRay(scene, scene.solid, eye, forward, far - 1, hides), before = hit ? far - hit.distance : 0;
      if (!best || before < best.before)
        best = {before, eye, pitch, yaw: (yaw + 180) % 360 - 180};
      if (!hit)
        return best;
    }
  return best;
}

// Puts the camera where it sees the point, or at the point. Around the point may be what belongs to
// it: so far from it in any direction, with surfaces that hide nothing.
function standBefore(app, point, reach = 0, hides = null) {
  const {scene, camera} = app, place = bestPlace(scene, point, reach, hides);
  scene.pointLines = crossLines(app.renderer.gl, point);
  if (place)
    Object.assign(camera, {eye: place.eye, pitch: place.pitch, yaw: place.yaw});
  else
    camera.eye = [...point];
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

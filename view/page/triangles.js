// Rays against the triangles that are drawn.

// A vertex in 32-bit words, of which the last is the surface.
const VERTEX_WORDS = 12;

// The corners of all triangles, nine numbers each, and the surface of each.
function makeTriangles(vertices, indices) {
  const floats = new Float32Array(vertices.buffer), words = new Uint32Array(vertices.buffer);
  const corners = new Float32Array(3 * indices.length), surfaces = new Uint32Array(indices.length / 3);
  indices.forEach((vertex, i) => {
    for (let k = 0; k < 3; k++)
      corners[3 * i + k] = floats[VERTEX_WORDS * vertex + k];
  });
  surfaces.forEach((_, i) => {
    surfaces[i] = words[VERTEX_WORDS * indices[3 * i] + VERTEX_WORDS - 1];
  });
  return {corners, surfaces};
}

// The distance along a ray to a triangle, whose corners are clockwise from the front; Infinity:
// missed. It runs for each triangle of the map, so it makes no arrays.
function crossTriangle(corners, at, origin, direction, twoSided) {
  const ax = corners[at], ay = corners[at + 1], az = corners[at + 2];
  const bx = corners[at + 3] - ax, by = corners[at + 4] - ay, bz = corners[at + 5] - az;
  const cx = corners[at + 6] - ax, cy = corners[at + 7] - ay, cz = corners[at + 8] - az;
  const [dx, dy, dz] = direction;
  const px = dy * cz - dz * cy, py = dz * cx - dx * cz, pz = dx * cy - dy * cx;
  const facing = bx * px + by * py + bz * pz;
  if (Math.abs(facing) < 1e-9 || (facing > 0 && !twoSided))
    return Infinity;
  const fx = origin[0] - ax, fy = origin[1] - ay, fz = origin[2] - az;
  const u = (fx * px + fy * py + fz * pz) / facing;
  if (!(u >= 0 && u <= 1))
    return Infinity;
  const qx = fy * bz - fz * by, qy = fz * bx - fx * bz, qz = fx * by - fy * bx;
  const v = (dx * qx + dy * qy + dz * qz) / facing;
  return v >= 0 && u + v <= 1 ? (cx * qx + cy * qy + cz * qz) / facing : Infinity;
}

function emptyBox() {
  return {mins: [Infinity, Infinity, Infinity], maxs: [-Infinity, -Infinity, -Infinity]};
}

function widenBox({mins, maxs}, corners, triangle) {
  for (let i = 9 * triangle; i < 9 * triangle + 9; i++) {
    mins[i % 3] = Math.min(mins[i % 3], corners[i]);
    maxs[i % 3] = Math.max(maxs[i % 3], corners[i]);
  }
}

// The box of the surfaces that `wanted` chooses; null: it chooses none.
function boxOfTriangles({corners, surfaces}, wanted) {
  const box = emptyBox();
  surfaces.forEach((surface, triangle) => {
    if (wanted(surface))
      widenBox(box, corners, triangle);
  });
  return box.mins[0] <= box.maxs[0] ? box : null;
}

const NEAREST_HIT = 0.01;

function crossDraw({corners, surfaces}, draw, ray, best) {
  for (let i = draw.first / 3; i < (draw.first + draw.count) / 3; i++) {
    if (ray.wanted && !ray.wanted(surfaces[i]))
      continue;
    const far = crossTriangle(corners, 9 * i, ray.origin, ray.direction, draw.twoSided);
    if (far > NEAREST_HIT && far < best.distance) {
      best.distance = far;
      best.triangle = i;
    }
  }
}

function normalOf(corners, triangle) {
  const [a, b, c] = [0, 3, 6].map(k => [...corners.subarray(9 * triangle + k, 9 * triangle + k + 3)]);
  return normalize(cross(subtract(c, a), subtract(b, a)));
}

// The nearest triangle of some draws that a ray hits nearer than `far`: distance, point, surface,
// normal; null: none. `wanted` chooses surfaces.
function castRay(scene, draws, origin, direction, far = Infinity, wanted = null) {
  const {triangles} = scene, best = {distance: far, triangle: -1};
  draws.forEach(draw => crossDraw(triangles, draw, {origin, direction, wanted}, best));
  if (best.triangle < 0)
    return null;
  return {
    distance: best.distance,
    point: add(origin, scale(direction, best.distance)),
    surface: triangles.surfaces[best.triangle],
    normal: normalOf(triangles.corners, best.triangle),
  };
}

// The distance to a box; null: missed.
function crossBox(origin, direction, mins, maxs) {
  let near = 0, far = Infinity;
  for (let k = 0; k < 3; k++) {
    const one = (mins[k] - origin[k]) / direction[k], other = (maxs[k] - origin[k]) / direction[k];
    near = Math.max(near, Math.min(one, other));
    far = Math.min(far, Math.max(one, other));
  }
  return near <= far ? near : null;
}

const LINE_REACH = 0.015; // of the distance from the eye

// The distance at which a ray comes near a line between two points; null: it does not.
function passLine(origin, direction, from, to) {
  const along = subtract(to, from), start = subtract(from, origin);
  const a = dot(along, along), b = dot(along, direction), bend = a - b * b;
  const share = bend > 1e-9 * a ? clamp((b * dot(start, direction) - dot(start, along)) / bend, 0, 1) : 0;
  const point = add(from, scale(along, share)), far = dot(subtract(point, origin), direction);
  return far > 0 && distance(point, add(origin, scale(direction, far))) < LINE_REACH * far ? far : null;
}

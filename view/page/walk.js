// Walking: gravity, steps, and sliding along walls.

const GRAVITY = 800;
const JUMP = 268;
const STEP = 18;
const WALK_SPEED = 250;
const FLOOR = 0.7; // the least z of the normal of what one can stand on

// Slides a box along what it meets. Returns its centre.
function slide(collider, from, way) {
  const {half} = collider.body;
  let at = from, rest = way;
  for (let i = 0; i < 4 && length(rest) > 1e-4; i++) {
    const hit = sweep(collider, half, at, add(at, rest));
    at = hit.at;
    if (!hit.normal)
      break;
    rest = scale(rest, 1 - hit.share);
    rest = subtract(rest, scale(hit.normal, dot(rest, hit.normal)));
  }
  return at;
}

// A level way, over steps.
function stride(collider, from, way) {
  const plain = slide(collider, from, way);
  const up = sweep(collider, collider.body.half, from, add(from, [0, 0, STEP])).at;
  const over = slide(collider, up, way);
  const down = sweep(collider, collider.body.half, over, subtract(over, [0, 0, STEP + 1]));
  const level = ([x, y]) => Math.hypot(x - from[0], y - from[1]);
  return down.normal && down.normal[2] >= FLOOR && level(down.at) > level(plain) + 0.01 ? down.at : plain;
}

// Falls, or stands. Returns the centre; walker.onFloor and walker.fall change.
function drop(collider, walker, at, seconds) {
  const {half} = collider.body;
  walker.fall -= GRAVITY * seconds;
  const hit = sweep(collider, half, at, add(at, [0, 0, walker.fall * seconds - (walker.fall <= 0 ? 0.1 : 0)]));
  const next = hit.at;
  const floor = curvedFloor(collider, add(at, [0, 0, STEP - half[2]]), STEP + at[2] - next[2] + 0.5);
  walker.onFloor = Boolean(hit.normal) && hit.normal[2] >= FLOOR;
  if (floor !== null && next[2] - half[2] <= floor + 0.5 && walker.fall <= 0) {
    next[2] = floor + half[2];
    walker.onFloor = true;
  }
  if (walker.onFloor || (hit.normal && walker.fall > 0))
    walker.fall = 0;
  return next;
}

function makeWalker() {
  return {fall: 0, onFloor: false};
}

// The level direction of the keys, and whether they jump.
function walkingKeys(input, camera) {
  const axes = axesOf(0, camera.yaw);
  let sum = [0, 0, 0], jump = false;
  input.keys.forEach(code => {
    const [forward, right, up] = MOVES[code];
    sum = add(sum, add(scale(axes.forward, forward), scale(axes.right, right)));
    jump = jump || up > 0;
  });
  return {direction: normalize(sum), jump};
}

// Moves the camera for some seconds. Returns whether anything moves still.
function walk(collider, walker, camera, input, seconds) {
  const {half, eye} = collider.body, keys = walkingKeys(input, camera);
  const before = camera.eye;
  let at = subtract(before, [0, 0, eye - half[2]]);
  if (keys.jump && walker.onFloor)
    [walker.fall, walker.onFloor] = [JUMP, false];
  const way = scale(keys.direction, WALK_SPEED * (input.fast ? 2 : 1) * seconds);
  if (length(way) > 0)
    at = walker.onFloor ? stride(collider, at, way) : slide(collider, at, way);
  at = drop(collider, walker, at, seconds);
  camera.eye = add(at, [0, 0, eye - half[2]]);
  if (camera.eye[2] < collider.scene.head.mins[2] - 1024) // it fell out of the map
    [camera.eye, walker.fall] = [[before[0], before[1], collider.scene.head.maxs[2]], 0];
  return distance(camera.eye, before) > 0.01 || input.keys.size > 0 || !walker.onFloor;
}

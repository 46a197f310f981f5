// A box that moves among the brushes of the map, as the player of the game does.

const SOLID_SOURCE = 0x1400b; // solid, window, grate, moveable, player clip
const SOLID_QUAKE3 = 0x10001; // solid, player clip
const TOUCH = 1 / 32;         // kept free in front of a side
const SLACK = 0.1;            // this deep in a side is still outside
const PASSABLE = /^(trigger_|func_(illusionary|areaportal|occluder|detail_blocker|dustmotes|fog|precipitation|smokevolume|no|nobuild|nogrenades))/;

function bodyOf(quake3) {
  return quake3 ? {half: [15, 15, 28], eye: 50} : {half: [16, 16, 36], eye: 64};
}

// Brush entities that block, with their model.
function blockingModels(scene) {
  const found = [];
  scene.entities.forEach(entity => {
    const number = modelOf(scene.structure, entity);
    if (number > 0 && !PASSABLE.test(entity.keys.get("classname") || ""))
      found.push({number, origin: entity.origin || [0, 0, 0]});
  });
  return found;
}

function makeCollider(scene) {
  return {
    scene,
    mask: scene.head.quake3 ? SOLID_QUAKE3 : SOLID_SOURCE,
    models: blockingModels(scene),
    body: bodyOf(scene.head.quake3),
    curved: scene.surfaceRows.map((row, surface) => (row.curved ? surface : -1)).filter(surface => surface >= 0),
  };
}

// Calls `visit` with the brushes of a model near a box.
function visitBrushes(structure, quake3, model, mins, maxs, visit) {
  const [head, first, count] = structure.models.subarray(MODEL_SIZE * model, MODEL_SIZE * model + 3);
  if (quake3 && model > 0) {
    for (let i = 0; i < count; i++)
      visit(first + i);
    return;
  }
  visitLeaves(structure, head, mins, maxs, leaf => {
    const at = LEAF_SIZE * leaf;
    for (let i = 0; i < structure.leaves[at + 4]; i++)
      visit(structure.leafBrushes[structure.leaves[at + 3] + i]);
  });
}

// Where a box with these half sides enters a brush on its way; null: it does not, or began inside.
function enterBrush(structure, brush, half, from, to) {
  let enter = -1, leave = 1, normal = null, outside = false;
  const [first, count] = structure.brushes.subarray(3 * brush, 3 * brush + 2);
  for (let i = 0; i < count; i++) {
    const plane = structure.sides[first + i], at = 4 * plane, {planes} = structure;
    const reach = Math.abs(planes[at]) * half[0] + Math.abs(planes[at + 1]) * half[1] + Math.abs(planes[at + 2]) * half[2];
    const start = planeDistance(structure, plane, from) - reach, end = planeDistance(structure, plane, to) - reach;
    outside = outside || start > -SLACK;
    if (start > -SLACK && (end >= TOUCH || end >= start))
      return null;
    if (start <= -SLACK && end <= 0)
      continue;
    if (start > end) {
      const share = Math.max((start - TOUCH) / (start - end), 0);
      if (share > enter)
        [enter, normal] = [share, [planes[at], planes[at + 1], planes[at + 2]]];
    } else {
      leave = Math.min(leave, (start + TOUCH) / (start - end));
    }
  }
  return outside && normal && enter < leave ? {share: enter, normal} : null;
}

// Moves a box from one centre towards another: the share of the way that is free, and the normal
// of what it touches.
function sweep(collider, half, from, to) {
  const {scene: {structure, head}, mask} = collider;
  const best = {share: 1, normal: null};
  const reach = add(half, [1, 1, 1]);
  [{number: 0, origin: [0, 0, 0]}, ...collider.models].forEach(({number, origin}) => {
    const start = subtract(from, origin), end = subtract(to, origin), seen = new Set();
    const mins = subtract(start.map((value, k) => Math.min(value, end[k])), reach);
    const maxs = add(start.map((value, k) => Math.max(value, end[k])), reach);
    visitBrushes(structure, head.quake3, number, mins, maxs, brush => {
      if (seen.has(brush) || !(structure.brushes[3 * brush + 2] & mask))
        return;
      seen.add(brush);
      const hit = enterBrush(structure, brush, half, start, end);
      if (hit && hit.share < best.share)
        Object.assign(best, hit);
    });
  });
  return {...best, at: add(from, scale(subtract(to, from), best.share))};
}

// The height of the displacement or curve below a point; null: none within `depth`.
function curvedFloor(collider, point, depth) {
  if (!collider.curved.length)
    return null;
  const {scene} = collider;
  const wanted = surface => scene.surfaceRows[surface].curved;
  const hit = castRay(scene, scene.solid, point, [0, 0, -1], depth, wanted);
  return hit ? hit.point[2] : null;
}

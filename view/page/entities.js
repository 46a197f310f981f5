// Entities: their places, what they fire, and how they are drawn.

const MARKER = 8;
const MARKER_COLOURS = [[/^light/, [1, 0.85, 0.2]], [/^info_player|^info_survivor/, [0.2, 0.9, 0.3]],
  [/^trigger/, [1, 0.5, 0.1]], [/^prop/, [0.5, 0.7, 1]]];
const PLAIN_MARKER = [0.9, 0.4, 0.9];
const ARROW = [0.2, 0.9, 0.9];

function originOf(keys) {
  const numbers = (keys.get("origin") || "").trim().split(/\s+/).map(Number);
  return numbers.length === 3 && numbers.every(Number.isFinite) ? numbers : null;
}

// A row of head.entities: keys and values in turn.
function readEntity(row, number) {
  const pairs = [];
  for (let i = 0; i + 1 < row.length; i += 2)
    pairs.push([row[i], row[i + 1]]);
  const keys = new Map();
  pairs.forEach(([key, value]) => keys.has(key.toLowerCase()) || keys.set(key.toLowerCase(), value));
  return {number, pairs, keys, origin: originOf(keys), box: null, isUnseen: false};
}

function hasPlace({box, origin}) {
  return Boolean(box || origin);
}

function middleOf({box, origin}) {
  return box ? scale(add(box.mins, box.maxs), 0.5) : origin;
}

// The names that an entity's outputs and targets lead to.
function targetsOf(entity) {
  const found = [];
  entity.pairs.forEach(([key, value]) => {
    const parts = value.split(value.includes("\x1b") ? "\x1b" : ",");
    if (parts.length === 5)
      found.push({output: key, name: parts[0], input: parts[1]});
    else if (/^(target|killtarget|parentname)$/i.test(key))
      found.push({output: key, name: value, input: ""});
  });
  return found;
}

// Entities by their name, in lower case.
function entitiesByName(entities) {
  const found = new Map();
  entities.forEach(entity => {
    const name = (entity.keys.get("targetname") || "").toLowerCase();
    if (name)
      found.set(name, [...(found.get(name) || []), entity]);
  });
  return found;
}

// Those that a target means; * at its end stands for any text.
function entitiesNamed(byName, target) {
  const name = target.toLowerCase();
  if (!name.endsWith("*"))
    return byName.get(name) || [];
  return [...byName].filter(([has]) => has.startsWith(name.slice(0, -1))).flatMap(([, entities]) => entities);
}

function markerColour(entity) {
  const name = entity.keys.get("classname") || "";
  const row = MARKER_COLOURS.find(([pattern]) => pattern.test(name));
  return row ? row[1] : PLAIN_MARKER;
}

// Brushes that are not drawn, as those of triggers, are their box.
function markerLines(entity) {
  if (entity.isUnseen)
    return boxLines(entity.box.mins, entity.box.maxs, markerColour(entity));
  if (!entity.origin)
    return [];
  const reach = [MARKER, MARKER, MARKER];
  return boxLines(subtract(entity.origin, reach), add(entity.origin, reach), markerColour(entity));
}

function arrowLines(from, to) {
  const way = normalize(subtract(to, from)), side = normalize(cross(way, Math.abs(way[2]) > 0.9 ? [1, 0, 0] : [0, 0, 1]));
  const tip = subtract(to, scale(way, MARKER)), back = subtract(tip, scale(way, MARKER));
  const ends = [[from, tip], [tip, add(back, scale(side, MARKER / 2))], [tip, subtract(back, scale(side, MARKER / 2))]];
  return ends.flat().map(place => [place, ARROW]);
}

function entityLines(entities) {
  const placed = entities.filter(entity => entity.number > 0 && hasPlace(entity));
  const byName = entitiesByName(placed);
  const arrows = placed.flatMap(entity => targetsOf(entity)
    .flatMap(({name}) => entitiesNamed(byName, name))
    .flatMap(target => arrowLines(middleOf(entity), middleOf(target))));
  return [...placed.flatMap(markerLines), ...arrows];
}

// The distance at which a ray passes an edge of a box, as near as a finger can point; null: it does
// not. What is within the box can be picked, too.
function crossEdges(origin, direction, {mins, maxs}) {
  const lines = boxLines(mins, maxs, null);
  let best = null;
  for (let i = 0; i < lines.length; i += 2) {
    const far = passLine(origin, direction, lines[i][0], lines[i + 1][0]);
    if (far !== null && (best === null || far < best))
      best = far;
  }
  return best;
}

// The nearest marker on a ray.
function pickEntity(entities, origin, direction) {
  let best = null;
  entities.filter(entity => entity.number > 0 && (entity.isUnseen || entity.origin)).forEach(entity => {
    const reach = [MARKER, MARKER, MARKER];
    const far = entity.isUnseen ? crossEdges(origin, direction, entity.box)
      : crossBox(origin, direction, subtract(entity.origin, reach), add(entity.origin, reach));
    if (far !== null && far > 0 && (!best || far < best.distance))
      best = {entity, distance: far};
  });
  return best;
}

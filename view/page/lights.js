// The lights of the map at a point: the formulas of the worldlights lump.

const LIGHT_SIZE = 18;
const LIGHT_NAMES = ["surface", "point", "spot", "sun", "quake", "sky"];
const SUN = 3, SPOT = 2, POINT = 1, SURFACE = 0;
const SHADOW_RAYS = 64;

function readLight(structure, number) {
  const row = structure.lights.subarray(LIGHT_SIZE * number, LIGHT_SIZE * (number + 1));
  const numbers = [...row.subarray(3)].map(asFloat);
  const [stopdot, stopdot2, exponent, constant, linear, quadratic] = numbers.slice(9);
  return {
    number, type: row[0], style: row[1], cluster: row[2], origin: numbers.slice(0, 3),
    intensity: numbers.slice(3, 6), normal: numbers.slice(6, 9), stopdot, stopdot2, exponent,
    constant, linear, quadratic,
  };
}

function coneShare(light, cosine) {
  if (cosine <= light.stopdot2)
    return 0;
  if (cosine >= light.stopdot || light.stopdot <= light.stopdot2)
    return cosine;
  const share = (cosine - light.stopdot2) / (light.stopdot - light.stopdot2);
  return cosine * share ** (light.exponent || 1);
}

function falloff(light, far) {
  if (light.type === SURFACE)
    return 1 / (far * far);
  const sum = light.constant + light.linear * far + light.quadratic * far * far;
  return sum > 0 ? 1 / sum : 0;
}

// The way to a light, its distance, and its share at a point without shadows.
function lightAt(light, point) {
  if (light.type === SUN)
    return {way: scale(light.normal, -1), far: Infinity, share: 1};
  const way = subtract(light.origin, point), far = Math.max(length(way), 1);
  const direction = scale(way, 1 / far);
  const cosine = -dot(direction, light.normal);
  const aim = light.type === POINT ? 1 : light.type === SPOT ? coneShare(light, cosine) : Math.max(cosine, 0);
  return {way: direction, far, share: aim * falloff(light, far)};
}

function meetsSky(scene, point, way, far) {
  for (let i = 0; i < scene.sky.length; i += 9)
    if (crossTriangle(scene.sky, i, point, way, true) < far)
      return true;
  return false;
}

// True if a light is hidden at a point. A sun is seen where the ray meets sky, or leaves the map.
function isShadowed(scene, point, way, far) {
  const hit = castRay(scene, scene.solid, point, way, far - 1);
  return hit !== null && !(far === Infinity && meetsSky(scene, point, way, hit.distance));
}

// The lights that reach a point of a surface, the brightest first; 255 is white.
function lightsAt(scene, point, normal) {
  const {structure} = scene, above = add(point, normal);
  const cluster = clusterAt(structure, add(point, scale(normal, 2)));
  const found = [];
  for (let i = 0; i < structure.lights.length / LIGHT_SIZE; i++) {
    const light = readLight(structure, i);
    if (light.type > SUN || (light.type !== SUN && light.cluster >= 0 && cluster >= 0 && !seesCluster(structure, cluster, light.cluster)))
      continue;
    const {way, far, share} = lightAt(light, above);
    const colour = scale(light.intensity, 255 * share * Math.max(dot(way, normal), 0));
    found.push({light, way, far, colour, amount: Math.max(...colour)});
  }
  const bright = found.filter(row => row.amount >= 0.25).sort((a, b) => b.amount - a.amount);
  return bright.slice(0, SHADOW_RAYS).filter(row => !isShadowed(scene, above, row.way, row.far));
}

// --- lights and entities ---

const ENTITY_REACH = 1; // units between a light and its entity

function allLights({structure}) {
  return Array.from({length: structure.lights.length / LIGHT_SIZE}, (_, number) => readLight(structure, number));
}

// The sun and the light of the sky are of one entity, which may be anywhere; light of surfaces is of
// none.
function isLightOf(light, {origin, keys}) {
  const name = keys.get("classname") || "";
  if (light.type >= SUN)
    return name === "light_environment";
  return light.type !== SURFACE && name.startsWith("light") && Boolean(origin) && distance(origin, light.origin) < ENTITY_REACH;
}

function lightsOfEntity(scene, entity) {
  return allLights(scene).filter(light => isLightOf(light, entity));
}

function entityOfLight(scene, light) {
  return scene.entities.find(entity => isLightOf(light, entity));
}

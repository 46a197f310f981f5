// The answer to a click: the surface, its face, the lights on it, or an entity. Rows are names,
// values and, where they lead to something, what goes there.

const SURFACE_FLAGS = [[0x1, "light"], [0x2, "sky2d"], [0x4, "sky"], [0x8, "warp"], [0x10, "trans"],
  [0x20, "noportal"], [0x40, "trigger"], [0x80, "nodraw"], [0x100, "hint"], [0x200, "skip"],
  [0x400, "nolight"], [0x800, "bumplight"], [0x1000, "noshadows"], [0x2000, "nodecals"]];

function flagNames(flags) {
  const names = SURFACE_FLAGS.filter(([flag]) => flags & flag).map(([, name]) => name);
  return names.length ? names.join(" ") : "none";
}

function placeRows(scene, point) {
  const number = leafAt(scene.structure, point);
  if (number < 0)
    return [];
  const leaf = readLeaf(scene.structure, number);
  return [["Leaf", number], ["Cluster", leaf.cluster], ["Area", leaf.area]];
}

// The brush behind a face of the world.
function brushRows(scene, hit) {
  const brush = brushAt(scene.structure, subtract(hit.point, scale(hit.normal, 0.25)));
  return brush < 0 ? [] : [["Brush", brush]];
}

function faceRows(scene, number, hit) {
  const face = readFace(scene.structure, number), {quake3} = scene.head;
  const rows = [[quake3 ? "Surface" : "Face", number]];
  if (face.side >= 0)
    rows.push(["Side", face.side]);
  rows.push(...brushRows(scene, hit));
  if (face.texinfo >= 0)
    rows.push(["Texinfo", face.texinfo]);
  rows.push([quake3 ? "Shader" : "Material", scene.head.names[face.name] || "none"]);
  rows.push(["Flags", quake3 ? `0x${(face.flags >>> 0).toString(16)}` : flagNames(face.flags)]);
  if (face.lit)
    rows.push(["Luxels", `${face.width} x ${face.height}`], ["Units per luxel", round(face.luxel)], ["Styles", face.styles.join(" ")]);
  return rows;
}

// Rows of names and values of a hit surface.
function surfaceRows(app, hit) {
  const {scene} = app, row = scene.surfaceRows[hit.surface];
  const rows = row.face >= 0 ? faceRows(scene, row.face, hit) : [["Static prop", row.prop]];
  const entity = row.entity > 0 && scene.entities[row.entity];
  if (entity)
    rows.push(["Entity", entity.keys.get("classname") || row.entity, () => app.tell(tellEntity(app, entity))]);
  rows.push(...placeRows(scene, add(hit.point, scale(hit.normal, 1))));
  rows.push(["Point", hit.point.map(Math.round).join(" ")]);
  return rows;
}

function lightTitle(light) {
  return `Light ${light.number}, ${LIGHT_NAMES[light.type] || light.type}${light.style ? `, style ${light.style}` : ""}`;
}

function colourText(colour) {
  return colour.map(value => round(value)).join(" ");
}

function lightRows(app, hit) {
  return lightsAt(app.scene, hit.point, hit.normal).slice(0, 12).map(({light, colour}) => (
    [lightTitle(light), colourText(colour), () => app.tell(tellLight(app, light))]));
}

// What is told of an entity, with its lights.
function tellEntity(app, entity) {
  const {scene} = app, lights = lightsOfEntity(scene, entity);
  return {
    title: "Entity", rows: [["Entity", entity.number], ...entity.pairs], surface: -1, lightsTitle: "Its lights",
    lights: lights.map(light => [lightTitle(light), "", () => app.tell(tellLight(app, light))]),
  };
}

// What is told of a light, with the entity that it is of.
function tellLight(app, light) {
  const {scene} = app, entity = entityOfLight(scene, light), isPlaced = light.type <= SPOT;
  const rows = [["Light", light.number], ["Kind", LIGHT_NAMES[light.type] || light.type], ["Style", light.style]];
  if (isPlaced)
    rows.push(["Place", light.origin.map(Math.round).join(" "), () => app.showLight(light)], ["Cluster", light.cluster]);
  rows.push(["Intensity", colourText(light.intensity)]);
  if (light.type === POINT || light.type === SPOT)
    rows.push(["Falloff", `constant ${round(light.constant)}, linear ${round(light.linear)}, quadratic ${round(light.quadratic)}`]);
  if (entity)
    rows.push(["Entity", `${entity.number} ${entity.keys.get("classname")}`, () => app.showEntity(entity)]);
  return {title: "Light", rows, lights: [], surface: -1};
}

// The ray of a pixel of the page.
function pixelRay(app, x, y) {
  const {canvas, camera} = app;
  const view = viewOf(camera, canvas.clientWidth, canvas.clientHeight);
  const right = (2 * x / canvas.clientWidth - 1) * view.slopes[0];
  const up = (1 - 2 * y / canvas.clientHeight) * view.slopes[1];
  return normalize(add(view.axes.forward, add(scale(view.axes.right, right), scale(view.axes.up, up))));
}

// Returns title, rows, lights and surface of the thing at a pixel; null: nothing is there.
function inspect(app, x, y) {
  const {scene, camera, settings} = app;
  const direction = pixelRay(app, x, y);
  const hit = castRay(scene, [...scene.solid, ...scene.blended], camera.eye, direction);
  const marker = settings.entities ? pickEntity(scene.entities, camera.eye, direction) : null;
  if (marker && (!hit || marker.distance < hit.distance))
    return tellEntity(app, marker.entity);
  if (!hit)
    return null;
  if (dot(hit.normal, direction) > 0)
    hit.normal = scale(hit.normal, -1);
  return {
    title: scene === app.before ? "Surface, before" : "Surface", scene, rows: surfaceRows(app, hit), lights: lightRows(app, hit), surface: hit.surface,
    lightsTitle: "Lights here (red, green, blue; 255 is white)",
  };
}

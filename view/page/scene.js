// The map on the graphics card: vertices, light and images.

// The layout of a vertex, as view/pack/geometry.c writes it: place in the record, numbers, kind.
const VERTEX_SIZE = 48;
const VERTEX_LAYOUT = [
  [0, 3, "float"], [12, 2, "float"], [20, 2, "float"], [28, 2, "short"], [32, 4, "byte"],
  [36, 4, "byte"], [40, 2, "share"], [44, 1, "int"], [42, 2, "signed"],
];

function bindVertices(gl) {
  const types = {short: gl.UNSIGNED_SHORT, byte: gl.UNSIGNED_BYTE, int: gl.UNSIGNED_INT};
  VERTEX_LAYOUT.forEach(([at, count, kind], location) => {
    gl.enableVertexAttribArray(location);
    if (kind === "float")
      gl.vertexAttribPointer(location, count, gl.FLOAT, false, VERTEX_SIZE, at);
    else if (kind === "share" || kind === "signed")
      gl.vertexAttribPointer(location, count, kind === "share" ? gl.UNSIGNED_BYTE : gl.BYTE, true, VERTEX_SIZE, at);
    else
      gl.vertexAttribIPointer(location, count, types[kind], VERTEX_SIZE, at);
  });
}

function makeMesh(gl, vertices, indices) {
  const mesh = gl.createVertexArray();
  gl.bindVertexArray(mesh);
  makeBuffer(gl, gl.ARRAY_BUFFER, vertices);
  makeBuffer(gl, gl.ELEMENT_ARRAY_BUFFER, indices);
  bindVertices(gl);
  gl.bindVertexArray(null);
  return mesh;
}

function makeHoles(gl, positions) {
  const holes = gl.createVertexArray();
  gl.bindVertexArray(holes);
  makeBuffer(gl, gl.ARRAY_BUFFER, positions);
  gl.enableVertexAttribArray(0);
  gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 12, 0);
  gl.bindVertexArray(null);
  return holes;
}

// Red, green, blue and exponent as RGB9_E5, in which the card can interpolate.
function packLuxels(bytes) {
  const words = new Uint32Array(bytes.length / 4);
  for (let i = 0, at = 0; i < words.length; i++, at += 4)
    words[i] = bytes[at] | bytes[at + 1] << 9 | bytes[at + 2] << 18 | bytes[at + 3] << 27;
  return words;
}

function makeLuxels(gl, light, bytes) {
  const texture = gl.createTexture();
  const pages = Math.max(light.pages, 1);
  const side = light.pages ? light.side : 1;
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.RGB9_E5, side, side, pages);
  if (light.pages)
    gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, 0, 0, 0, 0, side, side, pages, gl.RGB,
      gl.UNSIGNED_INT_5_9_9_9_REV, packLuxels(bytes));
  setFilter(gl, gl.TEXTURE_2D_ARRAY, gl.LINEAR, gl.LINEAR, gl.CLAMP_TO_EDGE);
  return texture;
}

function makeImage(gl, bitmap) {
  const texture = gl.createTexture();
  const sharper = gl.getExtension("EXT_texture_filter_anisotropic");
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.SRGB8_ALPHA8, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.generateMipmap(gl.TEXTURE_2D);
  setFilter(gl, gl.TEXTURE_2D, gl.LINEAR_MIPMAP_LINEAR, gl.LINEAR, gl.REPEAT);
  if (sharper)
    gl.texParameterf(gl.TEXTURE_2D, sharper.TEXTURE_MAX_ANISOTROPY_EXT, 4);
  return texture;
}

// Decodes the images and calls `changed` when one can be drawn.
async function loadImages(gl, map, images, changed) {
  await Promise.all(map.head.images.map(async (row, number) => {
    const options = {premultiplyAlpha: "none", colorSpaceConversion: "none"};
    const bitmap = await createImageBitmap(map.image(number), options);
    images[number] = makeImage(gl, bitmap);
    bitmap.close();
    changed();
  }));
}

function readDraws(rows) {
  return rows.map(([kind, material, twoSided, first, count, centre]) => (
    {kind, material, twoSided: twoSided === 1, first, count, centre}));
}

function readSurfaces(numbers) {
  const rows = [];
  for (let i = 0; i < numbers.length; i += 4)
    rows.push({face: numbers[i], entity: numbers[i + 1], prop: numbers[i + 2], curved: numbers[i + 3] === 1});
  return rows;
}

function leakLines(gl, leak) {
  const points = [];
  for (let i = 3; i < leak.length; i += 3)
    points.push([leak.slice(i - 3, i), [1, 0.1, 0.1]], [leak.slice(i, i + 3), [1, 0.1, 0.1]]);
  return makeLines(gl, points);
}

// The knowledge of the map beyond its picture.
function makeKnowledge(gl, map) {
  const {head} = map, structure = makeStructure(map), entities = head.entities.map(readEntity);
  const rows = readSurfaces(new Int32Array(map.stream("surfaces").buffer));
  return {
    structure,
    entities,
    surfaceRows: rows,
    portals: readPortals(map),
    listed: clustersOfFaces(structure),
    marks: makeMarks(gl, rows.length),
    leakLines: head.leak.length ? leakLines(gl, head.leak) : null,
  };
}

// Sets the boxes of each entity but the world: of what is drawn of it, else of its brushes.
function setEntityBoxes({corners, surfaces}, rows, entities, structure) {
  surfaces.forEach((surface, triangle) => {
    const {entity} = rows[surface];
    if (entity > 0)
      widenBox(entities[entity].box ||= emptyBox(), corners, triangle);
  });
  entities.filter(entity => entity.number > 0 && !entity.box).forEach(entity => {
    entity.box = boxOfModel(structure, entity);
    entity.isUnseen = Boolean(entity.box);
  });
}

function deleteLines(gl, lines) {
  if (lines)
    gl.deleteVertexArray(lines.lines);
}

// Buffers end with what holds them.
function deleteScene(gl, scene) {
  [scene.mesh, scene.holes].forEach(mesh => gl.deleteVertexArray(mesh));
  [scene.luxels, scene.marks.texture, ...scene.images].forEach(texture => gl.deleteTexture(texture));
  [scene.entityLines, scene.leakLines, scene.pointLines, scene.chosenLines, scene.structureLines].forEach(lines => deleteLines(gl, lines));
}

function makeScene(gl, map, images) {
  const {head} = map;
  const vertices = map.stream("vertices"), sky = map.stream("sky"), luxels = map.stream("luxels");
  const indices = new Uint32Array(map.stream("indices").buffer);
  const draws = readDraws(head.draws);
  const knowledge = makeKnowledge(gl, map), triangles = makeTriangles(vertices, indices);
  setEntityBoxes(triangles, knowledge.surfaceRows, knowledge.entities, knowledge.structure);
  return {
    head,
    ...knowledge,
    entityLines: makeLines(gl, entityLines(knowledge.entities)),
    triangles,
    indices,
    vertexParts: readVertices(vertices),
    luxelPages: {bytes: luxels, side: head.light.side},
    sky: new Float32Array(sky.buffer),
    mesh: makeMesh(gl, vertices, indices),
    holes: makeHoles(gl, sky),
    holeCount: sky.length / 12,
    luxels: makeLuxels(gl, head.light, luxels),
    images,
    leafNumber: -1, // of the camera
    cluster: -1,
    solid: draws.filter(draw => draw.kind < 2),
    blended: draws.filter(draw => draw.kind === 2),
    overlays: draws.filter(draw => draw.kind === 3),
    far: Math.max(4096, 2 * distance(head.mins, head.maxs)),
  };
}

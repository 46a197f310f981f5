// Colours that are laid over surfaces: what is seen from here, how dense light is.

const MARKS_WIDTH = 1024;
const OVERLAYS = {none: "Nothing", seen: "What is seen from here", density: "Density of luxels", overdraw: "Overdraw", seams: "Seams of light"};
const LEGENDS = {
  none: "",
  seen: "Striped: not seen from here. Boxes: leaves of this cluster.",
  density: "Each square is a luxel. Grey: no lightmap. Units of a side:",
  overdraw: "Brighter: more surfaces, whatever hides them.",
  seams: "Lines: the light differs on both sides; white a little, red much.",
};
const UNSEEN = [150, 20, 20, 235];
// Marks of surfaces on which the shader draws luxels, and of those that have none.
const LUXELS = [0, 0, 0, 255], NO_LUXELS = [0, 0, 0, 128];
// Of sides of 2 units and less, 4, 8 ... as by brushwork render --debug density.
const DENSITY_COLOURS = [[225, 45, 35], [240, 140, 40], [250, 220, 60], [60, 190, 80], [30, 150, 200], [50, 70, 190], [110, 60, 150]];
const DENSITY_KEYS = DENSITY_COLOURS.map((colour, i) => [colour, `${2 ** (i + 1)}${i === 0 ? " and less" : i === 6 ? " and more" : ""}`]);

function makeMarks(gl, count) {
  const height = Math.max(1, Math.ceil(count / MARKS_WIDTH));
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA8, MARKS_WIDTH, height);
  setFilter(gl, gl.TEXTURE_2D, gl.NEAREST, gl.NEAREST, gl.CLAMP_TO_EDGE);
  return {texture, height, bytes: new Uint8Array(4 * MARKS_WIDTH * height), key: null};
}

// The clusters of surfaces that no leaf lists: those of their corners.
function clustersOfCorners(scene) {
  const found = new Map();
  const {corners, surfaces} = scene.triangles;
  for (let i = 0; i < corners.length / 3; i++) {
    const surface = surfaces[Math.floor(i / 3)];
    if (scene.listed.has(scene.surfaceRows[surface].face))
      continue;
    if (!found.has(surface))
      found.set(surface, new Set());
    found.get(surface).add(clusterAt(scene.structure, corners.subarray(3 * i, 3 * i + 3)));
  }
  return found;
}

function clustersOf(scene, surface) {
  scene.ofCorners = scene.ofCorners || clustersOfCorners(scene);
  return scene.listed.get(scene.surfaceRows[surface].face) || scene.ofCorners.get(surface) || new Set();
}

function isSeen(scene, surface, cluster) {
  for (const other of clustersOf(scene, surface))
    if (other < 0 || seesCluster(scene.structure, cluster, other))
      return true;
  return false;
}

function markOf(scene, overlay, cluster, surface) {
  const {face} = scene.surfaceRows[surface];
  if (overlay === "density")
    return face >= 0 && readFace(scene.structure, face).lit ? LUXELS : NO_LUXELS;
  if (overlay === "seen" && cluster >= 0 && !isSeen(scene, surface, cluster))
    return UNSEEN;
  return [0, 0, 0, 0];
}

function updateMarks(gl, scene, settings) {
  const {marks} = scene;
  const key = [settings.overlay, settings.overlay === "seen" ? scene.cluster : 0].join();
  if (key === marks.key)
    return;
  marks.key = key;
  scene.surfaceRows.forEach((_, surface) => {
    marks.bytes.set(markOf(scene, settings.overlay, scene.cluster, surface), 4 * surface);
  });
  gl.bindTexture(gl.TEXTURE_2D, marks.texture);
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, MARKS_WIDTH, marks.height, gl.RGBA, gl.UNSIGNED_BYTE, marks.bytes);
}

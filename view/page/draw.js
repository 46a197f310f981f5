// Draws a frame: the sky, the 3D skybox, the map, then its light becomes a picture.

const NEAR = 1;
const METER_SIDE = 256;

function makeRenderer(gl) {
  const float = gl.getExtension("EXT_color_buffer_float") ||
    gl.getExtension("EXT_color_buffer_half_float");
  const format = float ? gl.RGBA16F : gl.RGBA8;
  const samples = gl.getInternalformatParameter(gl.RENDERBUFFER, format, gl.SAMPLES);
  return {
    gl,
    float: Boolean(float),
    format,
    samples: Math.min(4, samples.length ? samples[0] : 0),
    map: makeProgram(gl, MAP_VERTEX, MAP_FRAGMENT),
    sky: makeProgram(gl, SCREEN_VERTEX, SKY_FRAGMENT),
    hole: makeProgram(gl, HOLE_VERTEX, HOLE_FRAGMENT),
    meter: makeProgram(gl, SCREEN_VERTEX, METER_FRAGMENT),
    tone: makeProgram(gl, SCREEN_VERTEX, TONE_FRAGMENT),
    line: makeProgram(gl, LINE_VERTEX, LINE_FRAGMENT),
    screen: gl.createVertexArray(),
    brightness: float ? makeTarget(gl, format, METER_SIDE, METER_SIDE, 9) : null,
    drawn: null,
    picture: null,
  };
}

// Coarse pictures have one sample per pixel.
function resizeRenderer(renderer, width, height, coarse) {
  const {gl, drawn, picture} = renderer, samples = coarse ? 0 : renderer.samples;
  if (drawn && drawn.width === width && drawn.height === height && drawn.samples === samples)
    return;
  [drawn, picture].filter(Boolean).forEach(target => deleteTarget(gl, target));
  renderer.drawn = makeSampledTarget(gl, renderer.format, width, height, samples);
  renderer.picture = makeTarget(gl, renderer.format, width, height);
}

function drawScreen(renderer) {
  renderer.gl.bindVertexArray(renderer.screen);
  renderer.gl.drawArrays(renderer.gl.TRIANGLES, 0, 3);
}

function drawSky(renderer, scene, view) {
  const {sky} = scene.head, image = scene.images[sky.image];
  const {gl, sky: {program, uniforms}} = renderer;
  gl.useProgram(program);
  gl.disable(gl.DEPTH_TEST);
  gl.uniform3fv(uniforms.forward, view.axes.forward);
  gl.uniform3fv(uniforms.right, scale(view.axes.right, view.slopes[0]));
  gl.uniform3fv(uniforms.up, scale(view.axes.up, view.slopes[1]));
  gl.uniform3fv(uniforms.zenith, sky.zenith);
  gl.uniform3fv(uniforms.horizon, sky.horizon);
  gl.uniform3fv(uniforms.sun, sky.sun || [0, 0, 0]);
  gl.uniform3fv(uniforms.toSun, sky.toSun || [0, 0, 1]);
  gl.uniform1i(uniforms.hasSun, sky.sun ? 1 : 0);
  gl.uniform1i(uniforms.hasPanorama, image ? 1 : 0);
  gl.uniform1i(uniforms.panorama, 1);
  bindTexture(gl, 1, gl.TEXTURE_2D, image || null);
  drawScreen(renderer);
  gl.enable(gl.DEPTH_TEST);
}

function drawHoles(renderer, scene, matrix) {
  const {gl, hole: {program, uniforms}} = renderer;
  gl.useProgram(program);
  gl.uniformMatrix4fv(uniforms.view, false, matrix);
  gl.disable(gl.CULL_FACE);
  gl.colorMask(false, false, false, false);
  gl.bindVertexArray(scene.holes);
  gl.drawArrays(gl.TRIANGLES, 0, scene.holeCount);
  gl.colorMask(true, true, true, true);
}

function bindTexture(gl, unit, target, texture) {
  gl.activeTexture(gl.TEXTURE0 + unit);
  gl.bindTexture(target, texture);
}

function useMaterial(renderer, scene, material) {
  const {gl, map: {uniforms}} = renderer;
  const base = scene.images[material.image], second = scene.images[material.second];
  const [number, mean] = material.grid || [-1, 1], grid = scene.images[number];
  bindTexture(gl, 1, gl.TEXTURE_2D, base || grid || null);
  bindTexture(gl, 2, gl.TEXTURE_2D, second || null);
  gl.uniform3fv(uniforms.colour, material.colour);
  gl.uniform1i(uniforms.hasImage, base ? 1 : 0);
  gl.uniform1f(uniforms.gridMean, grid ? mean : 0);
  gl.uniform1i(uniforms.hasSecond, base && second ? 1 : 0);
  gl.uniform1i(uniforms.alphaTest, base && material.masked ? ALPHA_TESTS.GE128 : 0);
  gl.uniform1i(uniforms.blended, base && material.blended ? 1 : 0);
}

// Overlays whose colours are not of light.
function isFlat({overlay}) {
  return overlay === "overdraw" || overlay === "density";
}

function cull(gl, draw) {
  if (draw.twoSided)
    gl.disable(gl.CULL_FACE);
  else
    gl.enable(gl.CULL_FACE);
}

// The depth of what is opaque, so that only what is seen is shaded.
function drawDepth(renderer, scene, matrix) {
  const {gl, hole: {program, uniforms}} = renderer;
  gl.useProgram(program);
  gl.uniformMatrix4fv(uniforms.view, false, matrix);
  gl.colorMask(false, false, false, false);
  gl.bindVertexArray(scene.mesh);
  scene.solid.filter(draw => draw.kind === 0 && hasPlainDepth(scene.head.materials[draw.material])).forEach(draw => {
    cull(gl, draw);
    gl.drawElements(gl.TRIANGLES, draw.count, gl.UNSIGNED_INT, 4 * draw.first);
  });
  gl.colorMask(true, true, true, true);
}

function drawPart(renderer, scene, settings, draw) {
  const {gl} = renderer, material = scene.head.materials[draw.material];
  const elements = () => gl.drawElements(gl.TRIANGLES, draw.count, gl.UNSIGNED_INT, 4 * draw.first);
  cull(gl, draw);
  if (material.stages && settings.mode !== "light" && !isFlat(settings)) {
    drawStages(renderer, scene, settings, material, draw.kind === 2, elements);
    return;
  }
  useMaterial(renderer, scene, material);
  elements();
}

function useMap(renderer, scene, settings, view, matrix) {
  const {gl, map: {program, uniforms}} = renderer;
  gl.useProgram(program);
  gl.bindVertexArray(scene.mesh);
  bindTexture(gl, 0, gl.TEXTURE_2D_ARRAY, scene.luxels);
  gl.uniform1i(uniforms.luxels, 0);
  gl.uniform1i(uniforms.base, 1);
  gl.uniform1i(uniforms.second, 2);
  gl.uniformMatrix4fv(uniforms.view, false, matrix);
  gl.uniform4fv(uniforms.styleLight, settings.styleLight);
  bindTexture(gl, 3, gl.TEXTURE_2D, scene.marks.texture);
  gl.uniform1i(uniforms.marks, 3);
  gl.uniform1i(uniforms.countsLayers, settings.overlay === "overdraw" ? 1 : 0);
  gl.uniform1i(uniforms.countsLuxels, settings.overlay === "density" ? 1 : 0);
  gl.uniform3fv(uniforms.densities, new Float32Array(DENSITY_COLOURS.flat().map(value => value / 255)));
  gl.uniform1i(uniforms.withTextures, settings.mode === "light" ? 0 : 1);
  gl.uniform1i(uniforms.withLight, settings.mode === "textures" ? 0 : 1);
  useFog(renderer, scene, settings, view);
  endStages(renderer, settings, false);
}

// Calls `draw` for what lies over what is drawn already, and hides nothing.
function blend(gl, draw) {
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
  gl.depthMask(false);
  draw();
  gl.depthMask(true);
  gl.disable(gl.BLEND);
}

// Farthest first.
function drawBlended(renderer, scene, settings, eye) {
  const far = new Map(scene.blended.map(draw => [draw, distance(draw.centre, eye)]));
  const order = [...scene.blended].sort((a, b) => far.get(b) - far.get(a));
  blend(renderer.gl, () => order.forEach(draw => drawPart(renderer, scene, settings, draw)));
}

// Slightly before the faces that they lie on. The light is that of the faces.
function drawOverlays(renderer, scene, settings) {
  const {gl} = renderer;
  if (settings.mode === "light" || settings.overlay === "density")
    return;
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(-1, -2);
  blend(gl, () => scene.overlays.forEach(draw => drawPart(renderer, scene, settings, draw)));
  gl.disable(gl.POLYGON_OFFSET_FILL);
}

// Each layer adds the same, whatever is in front of it.
function drawLayers(renderer, scene, settings, view, matrix) {
  const {gl} = renderer;
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  useMap(renderer, scene, settings, view, matrix);
  gl.disable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE);
  [...scene.solid, ...scene.blended].forEach(draw => drawPart(renderer, scene, settings, draw));
  gl.disable(gl.BLEND);
  gl.enable(gl.DEPTH_TEST);
}

function linesOf(scene, settings) {
  return [settings.entities && scene.entityLines, settings.leak && scene.leakLines, scene.pointLines, scene.chosenLines, scene.structureLines].filter(Boolean);
}

function drawMap(renderer, scene, settings, view) {
  const {gl} = renderer;
  const matrix = viewMatrix(view.eye, view.axes, view.slopes, view.near, scene.far);
  if (settings.overlay === "overdraw") {
    drawLayers(renderer, scene, settings, view, matrix);
    return;
  }
  gl.clear(gl.DEPTH_BUFFER_BIT);
  drawHoles(renderer, scene, matrix);
  drawDepth(renderer, scene, matrix);
  useMap(renderer, scene, settings, view, matrix);
  scene.solid.forEach(draw => drawPart(renderer, scene, settings, draw));
  drawOverlays(renderer, scene, settings);
  drawBlended(renderer, scene, settings, view.eye);
  drawLines(renderer, linesOf(scene, settings), matrix);
}

// The 3D skybox: the same map, seen from its sky_camera.
function skyboxView(skybox, view) {
  return {...view, eye: add(skybox.origin, scale(view.eye, 1 / skybox.scale)), near: NEAR / 4, inSkybox: skybox};
}

function resolve(renderer) {
  const {gl, drawn: {frame, width, height}, picture} = renderer;
  gl.bindFramebuffer(gl.READ_FRAMEBUFFER, frame);
  gl.bindFramebuffer(gl.DRAW_FRAMEBUFFER, picture.frame);
  gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
}

function measure(renderer) {
  const {gl, brightness, meter: {program, uniforms}} = renderer;
  gl.bindFramebuffer(gl.FRAMEBUFFER, brightness.frame);
  gl.viewport(0, 0, brightness.width, brightness.height);
  gl.useProgram(program);
  bindTexture(gl, 0, gl.TEXTURE_2D, renderer.picture.texture);
  gl.uniform1i(uniforms.picture, 0);
  drawScreen(renderer);
  bindTexture(gl, 0, gl.TEXTURE_2D, brightness.texture);
  gl.generateMipmap(gl.TEXTURE_2D);
}

// `isFirst` of a frame: of two builds, both have the exposure of the first, or a difference of light
// would not be seen.
function showPicture(renderer, settings, hdr, isFirst) {
  const {gl, brightness, picture, tone: {program, uniforms}} = renderer;
  const lit = settings.mode !== "textures" && !isFlat(settings);
  const automatic = lit && hdr && settings.automatic && Boolean(brightness);
  gl.disable(gl.DEPTH_TEST);
  gl.disable(gl.CULL_FACE);
  if (automatic && isFirst)
    measure(renderer);
  gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  gl.viewport(0, 0, picture.width, picture.height);
  gl.useProgram(program);
  bindTexture(gl, 0, gl.TEXTURE_2D, picture.texture);
  bindTexture(gl, 1, gl.TEXTURE_2D, automatic ? brightness.texture : picture.texture);
  gl.uniform1i(uniforms.picture, 0);
  gl.uniform1i(uniforms.meter, 1);
  gl.uniform1f(uniforms.meterLevel, automatic ? brightness.levels - 1 : 0);
  gl.uniform1f(uniforms.exposure, lit ? settings.exposure : 1);
  gl.uniform1i(uniforms.automatic, automatic ? 1 : 0);
  gl.uniform1i(uniforms.soft, lit && hdr ? 1 : 0);
  drawScreen(renderer);
}

// Draws the part of another map that is left of the border over what was drawn.
function drawBefore(renderer, scene, settings, view) {
  const {gl, drawn: {width, height}} = renderer;
  gl.enable(gl.SCISSOR_TEST);
  gl.scissor(0, 0, Math.round(settings.border * width), height);
  drawFrame(renderer, scene, settings, view, false);
  gl.disable(gl.SCISSOR_TEST);
}

function drawFrame(renderer, scene, settings, view, isFirst = true) {
  const {gl} = renderer;
  const {width, height} = renderer.drawn;
  updateMarks(gl, scene, settings);
  updateStructureLines(gl, scene, settings);
  gl.bindFramebuffer(gl.FRAMEBUFFER, renderer.drawn.frame);
  gl.viewport(0, 0, width, height);
  gl.frontFace(gl.CW);
  gl.cullFace(gl.BACK);
  gl.depthFunc(gl.LEQUAL);
  drawSky(renderer, scene, view);
  if (scene.head.skybox)
    drawMap(renderer, scene, settings, skyboxView(scene.head.skybox, view));
  drawMap(renderer, scene, settings, {...view, near: NEAR});
  resolve(renderer);
  showPicture(renderer, settings, scene.head.hdr, isFirst);
}

// The stages of Quake 3's shaders: one pass each. Light alone is shown by the first image.

const ALPHA_TESTS = {GT0: 1, LT128: 2, GE128: 3};

// An affine change of texture coordinates: u' = a u + b v + c, v' = d u + e v + f.
const PLAIN_CHANGE = [1, 0, 0, 0, 1, 0];

function joinChanges([a, b, c, d, e, f], [A, B, C, D, E, F]) {
  return [A * a + B * d, A * b + B * e, A * c + B * f + C, D * a + E * d, D * b + E * e, D * c + E * f + F];
}

// About the middle of the image.
function aboutMiddle([a, b, d, e]) {
  return [a, b, 0.5 - 0.5 * (a + b), d, e, 0.5 - 0.5 * (d + e)];
}

// The waves of shaders go from -1 to 1 (sawtooths from 0); phase and time are in turns.
const WAVES = {
  sin: x => Math.sin(2 * Math.PI * x),
  square: x => (x < 0.5 ? 1 : -1),
  triangle: x => (x < 0.25 ? 4 * x : x < 0.75 ? 2 - 4 * x : 4 * x - 4),
  sawtooth: x => x,
  inversesawtooth: x => 1 - x,
};

function waveAt(name, [base, amplitude, phase, frequency], seconds) {
  const kind = name.toLowerCase(), wave = Object.hasOwn(WAVES, kind) ? WAVES[kind] : WAVES.sin;
  const turn = phase + seconds * frequency;
  return base + amplitude * wave(turn - Math.floor(turn));
}

const CHANGES = {
  scroll: ([s, t], time) => [1, 0, s * time % 1, 0, 1, t * time % 1],
  scale: ([s, t]) => [s, 0, 0, 0, t, 0],
  rotate: ([degrees], time) => {
    const angle = degrees * time * RADIANS, c = Math.cos(angle), s = Math.sin(angle);
    return aboutMiddle([c, s, -s, c]);
  },
  transform: ([a, d, b, e, c, f]) => [a, b, c, d, e, f],
  stretch: (numbers, time) => {
    const size = 1 / (waveAt("sin", numbers, time) || 1);
    return aboutMiddle([size, 0, 0, size]);
  },
  turb: () => PLAIN_CHANGE, // see turbulenceOf
};

function changeOf(stage, seconds) {
  return stage.changes.reduce((sum, [name, ...numbers]) => joinChanges(sum, CHANGES[name](numbers, seconds)), PLAIN_CHANGE);
}

// The first turbulence of a stage: what two sines add to u and v, which later changes turn and
// scale, and the turn that they begin with.
function turbulenceOf({changes}, seconds) {
  const at = changes.findIndex(([name]) => name === "turb");
  if (at < 0)
    return [[0, 0, 0, 0], 0];
  const [, , amplitude, phase, frequency] = changes[at], turn = phase + seconds * frequency;
  const [a, b, , d, e] = changeOf({changes: changes.slice(at + 1)}, seconds);
  return [[a, b, d, e].map(part => part * amplitude), turn - Math.floor(turn)];
}

// True if the depth of a shader is that of its surface: what it draws first has no holes, is not
// blended with what is behind it, and stays in its place.
function hasPlainDepth({stages, deforms}) {
  return !stages || !(stages[0].alpha || stages[0].blend || deforms.length > 0);
}

// True if a shader looks different a moment later.
function isMoving({stages, deforms}) {
  return Boolean(stages) && (deforms.length > 0 || stages.some(stage => stage.wave || stage.opacity || stage.images.length > 1 ||
    stage.changes.some(([name]) => name !== "scale" && name !== "transform")));
}

function stageImage(scene, {images, frequency}, seconds) {
  const number = images[Math.floor(seconds * frequency) % images.length];
  return scene.images[number === undefined ? images[0] : number] || null;
}

// How fog changes what a pass adds: it takes its place, or what is added or multiplied fades.
function fogOfBlend(blend) {
  if (!blend)
    return 0;
  const [source, target] = blend;
  return target === 1 ? 1 : source === 0x306 || target === 0x300 ? 2 : 0;
}

// 0 .. 1; without a wave 1.
function shareOfWave(wave, seconds) {
  return wave ? clamp(waveAt(wave[0], wave.slice(1), seconds), 0, 1) : 1;
}

// Shaders have brightness as images have it, not as light: what they double is more than doubled.
function scaleOf({doubled, blend}, withLight) {
  if (blend && blend[0] === 0x306 && blend[1] === 0x300)
    return 2 ** 1.2; // both parts of the blending are equal
  return doubled && withLight ? 2 ** 2.2 : 1;
}

function brightnessOf(stage, seconds, withLight) {
  const bright = shareOfWave(stage.wave, seconds), scale = scaleOf(stage, withLight);
  return (stage.colour || [1, 1, 1]).map(part => scale * clamp(part * bright, 0, 1) ** 2.2);
}

// Waves of vertices, in the numbers of MAP_VERTEX.
function setDeforms(renderer, {deforms}, seconds) {
  const {gl, map: {uniforms}} = renderer, kinds = Object.keys(WAVES);
  gl.uniform1i(uniforms.deforms, deforms.length);
  if (deforms.length === 0)
    return;
  gl.uniform4fv(uniforms.deformWay, deforms.flatMap(row => row.slice(0, 4)));
  gl.uniform4fv(uniforms.deformWave, deforms.flatMap(([, , , , , base, amplitude, phase, frequency]) => [
    base, amplitude, (phase + seconds * frequency) % 1, 0]));
  gl.uniform1iv(uniforms.deformKind, deforms.map(row => Math.max(0, kinds.indexOf(row[4].toLowerCase()))));
}

function setStage(renderer, settings, stage, image, colour) {
  const {gl, map: {uniforms}} = renderer, change = changeOf(stage, settings.seconds);
  const [turbulence, turn] = turbulenceOf(stage, settings.seconds);
  const withLight = stage.lit && settings.mode !== "textures";
  bindTexture(gl, 1, gl.TEXTURE_2D, image);
  gl.uniform3fv(uniforms.colour, image ? brightnessOf(stage, settings.seconds, withLight) : colour);
  gl.uniform1i(uniforms.hasImage, image ? 1 : 0);
  gl.uniform1f(uniforms.gridMean, 0);
  gl.uniform1i(uniforms.hasSecond, 0);
  gl.uniform1i(uniforms.alphaTest, ALPHA_TESTS[(stage.alpha || "").toUpperCase()] || 0);
  gl.uniform1i(uniforms.blended, stage.blend ? 1 : 0);
  gl.uniform1i(uniforms.opacityFrom, stage.shines ? 3 : stage.vertexAlpha ? 2 : 1);
  gl.uniform1f(uniforms.opacity, shareOfWave(stage.opacity, settings.seconds));
  gl.uniform1i(uniforms.reflects, stage.reflects ? 1 : 0);
  gl.uniform4fv(uniforms.turbulence, turbulence);
  gl.uniform1f(uniforms.turbulentTurn, turn);
  gl.uniform1i(uniforms.clamped, stage.clamped ? 1 : 0);
  gl.uniform1i(uniforms.fogBlend, fogOfBlend(stage.blend));
  gl.uniform1i(uniforms.withLight, withLight ? 1 : 0);
  gl.uniform3fv(uniforms.changeU, change.slice(0, 3));
  gl.uniform3fv(uniforms.changeV, change.slice(3));
}

function setBlending(gl, stage) {
  if (!stage.blend) {
    gl.disable(gl.BLEND);
    return;
  }
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(stage.blend[0], stage.blend[1], gl.ZERO, gl.ONE);
}

// What drawing without stages expects.
function endStages(renderer, settings, blends) {
  const {gl, map: {uniforms}} = renderer;
  [[uniforms.opacityFrom, 0], [uniforms.clamped, 0], [uniforms.fogBlend, 0], [uniforms.reflects, 0], [uniforms.deforms, 0],
    [uniforms.withLight, settings.mode === "textures" ? 0 : 1]].forEach(([uniform, value]) => gl.uniform1i(uniform, value));
  gl.uniform3fv(uniforms.changeU, PLAIN_CHANGE.slice(0, 3));
  gl.uniform3fv(uniforms.changeV, PLAIN_CHANGE.slice(3));
  gl.uniform4f(uniforms.turbulence, 0, 0, 0, 0);
  gl.depthMask(!blends);
  if (blends) {
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ZERO, gl.ONE);
  } else {
    gl.disable(gl.BLEND);
  }
}

// `blends`: among what hides nothing. Without its image the first is a plain colour, and others are
// left out.
function drawStages(renderer, scene, settings, material, blends, draw) {
  const {gl} = renderer;
  setDeforms(renderer, material, settings.seconds);
  material.stages.forEach((stage, number) => {
    const image = stageImage(scene, stage, settings.seconds);
    if (!image && number > 0)
      return;
    setStage(renderer, settings, stage, image, material.colour);
    setBlending(gl, stage);
    gl.depthMask(!blends && number === 0);
    draw();
  });
  endStages(renderer, settings, blends);
}

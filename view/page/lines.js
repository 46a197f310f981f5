// Lines in the map: markers of entities, their outputs, the way out of a leak. Those behind
// something are faint.

// Pixels by which a line is shifted: WebGL draws no wide ones.
const THIN = [[0, 0]], WIDE = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]];

// `points` are pairs of ends, each with its colour.
function makeLines(gl, points) {
  const lines = gl.createVertexArray();
  gl.bindVertexArray(lines);
  makeBuffer(gl, gl.ARRAY_BUFFER, new Float32Array(points.flatMap(([place, colour]) => [...place, ...colour])));
  [0, 1].forEach(location => {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, 3, gl.FLOAT, false, 24, 12 * location);
  });
  gl.bindVertexArray(null);
  return {lines, count: points.length};
}

// The twelve edges of a box.
function boxLines(mins, maxs, colour) {
  const lines = [];
  for (let i = 0; i < 8; i++)
    for (let k = 0; k < 3; k++)
      if (!(i >> k & 1))
        [i, i | 1 << k].forEach(number => {
          lines.push([mins.map((low, axis) => (number >> axis & 1 ? maxs[axis] : low)), colour]);
        });
  return lines;
}

function drawLines(renderer, list, matrix) {
  const {gl, line: {program, uniforms}} = renderer;
  gl.useProgram(program);
  gl.uniformMatrix4fv(uniforms.view, false, matrix);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  [[gl.GREATER, 0.2], [gl.LEQUAL, 1]].forEach(([test, opacity]) => {
    gl.depthFunc(test);
    gl.uniform1f(uniforms.opacity, opacity);
    list.forEach(({lines, count, isWide}) => {
      gl.bindVertexArray(lines);
      (isWide ? WIDE : THIN).forEach(([x, y]) => {
        gl.uniform2f(uniforms.shift, 2 * x / renderer.drawn.width, 2 * y / renderer.drawn.height);
        gl.drawArrays(gl.LINES, 0, count);
      });
    });
  });
  gl.depthFunc(gl.LEQUAL);
  gl.depthMask(true);
  gl.disable(gl.BLEND);
}

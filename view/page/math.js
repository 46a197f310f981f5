// Vectors are arrays of three numbers, matrices of sixteen, by columns.

const RADIANS = Math.PI / 180;

function add(a, b) {
  return [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
}

function subtract(a, b) {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
}

function scale(a, factor) {
  return [a[0] * factor, a[1] * factor, a[2] * factor];
}

function dot(a, b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function length(a) {
  return Math.sqrt(dot(a, a));
}

function normalize(a) {
  const size = length(a);
  return size > 0 ? scale(a, 1 / size) : a;
}

function distance(a, b) {
  return length(subtract(a, b));
}

function clamp(value, min, max) {
  return Math.min(Math.max(value, min), max);
}

// The axes of a camera that looks along pitch (down is positive) and yaw, in degrees.
function axesOf(pitch, yaw) {
  const p = pitch * RADIANS, y = yaw * RADIANS;
  return {
    forward: [Math.cos(p) * Math.cos(y), Math.cos(p) * Math.sin(y), -Math.sin(p)],
    right: [Math.sin(y), -Math.cos(y), 0],
    up: [Math.sin(p) * Math.cos(y), Math.sin(p) * Math.sin(y), Math.cos(p)],
  };
}

// Pitch and yaw of a direction.
function anglesOf([x, y, z]) {
  return [-Math.atan2(z, Math.hypot(x, y)) / RADIANS, Math.atan2(y, x) / RADIANS];
}

// From map coordinates to clip coordinates; slopes are tangents of half the fields of view.
function viewMatrix(eye, axes, slopes, near, far) {
  const rows = [
    [scale(axes.right, 1 / slopes[0]), 0],
    [scale(axes.up, 1 / slopes[1]), 0],
    [scale(axes.forward, (far + near) / (far - near)), -2 * far * near / (far - near)],
    [axes.forward, 0],
  ];
  const matrix = new Float32Array(16);
  rows.forEach(([normal, offset], row) => {
    for (let k = 0; k < 3; k++)
      matrix[4 * k + row] = normal[k];
    matrix[12 + row] = offset - dot(normal, eye);
  });
  return matrix;
}

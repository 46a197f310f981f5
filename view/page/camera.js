// The camera: an eye and two angles in degrees, pitch (down is positive) and yaw.

const SPEED = 320;
const FAST = 4;
const TURN = 0.2;

function makeCamera([x, y, z, pitch, yaw]) {
  return {eye: [x, y, z], pitch, yaw, speed: SPEED};
}

function turnCamera(camera, dx, dy) {
  camera.yaw = (camera.yaw - dx * TURN + 540) % 360 - 180;
  camera.pitch = clamp(camera.pitch + dy * TURN, -89, 89);
}

// Where the camera goes with `steps` along its axes: forward, to the right, and up.
function flownTo(camera, [forward, right, up]) {
  const axes = axesOf(camera.pitch, camera.yaw);
  const moved = add(add(camera.eye, scale(axes.forward, forward)), scale(axes.right, right));
  return add(moved, [0, 0, up]);
}

// The field of view is 90 degrees along the longer side, as in brushwork render.
function viewOf(camera, width, height) {
  const side = Math.max(width, height);
  return {
    eye: camera.eye,
    axes: axesOf(camera.pitch, camera.yaw),
    slopes: [width / side, height / side],
  };
}

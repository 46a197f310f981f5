// Keyboard, mouse and touch.

const MOVES = {
  KeyW: [1, 0, 0], ArrowUp: [1, 0, 0], KeyS: [-1, 0, 0], ArrowDown: [-1, 0, 0],
  KeyD: [0, 1, 0], ArrowRight: [0, 1, 0], KeyA: [0, -1, 0], ArrowLeft: [0, -1, 0],
  KeyE: [0, 0, 1], Space: [0, 0, 1], KeyQ: [0, 0, -1], KeyC: [0, 0, -1],
};

// Map units of a step up or down by a button that a key has pressed.
const BUTTON_STEP = 32;

// Map units for a pixel of two fingers.
const TOUCH_STEP = 3;

// Keys that a control has a use for, where the tabulator has led to it. One that was clicked leaves
// them to the map.
const SPACE = ["Space"], ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
const CONTROL_KEYS = {button: SPACE, summary: SPACE, checkbox: SPACE, radio: [...SPACE, ...ARROWS], range: ARROWS};

function makeInput() {
  return {keys: new Set(), fast: false, pointers: new Map(), wasClicked: false};
}

function kindOf({tagName, type}) {
  return tagName === "INPUT" ? type : String(tagName).toLowerCase();
}

// True for keys that are not of the map: shortcuts of the browser, and text.
function isTyping(event) {
  return event.ctrlKey || event.altKey || event.metaKey || /^(text|search|select|textarea)$/.test(kindOf(event.target));
}

function isOfControl(input, event) {
  return !input.wasClicked && (CONTROL_KEYS[kindOf(event.target)] || []).includes(event.code);
}

function listenToKeys(input, app) {
  window.addEventListener("keydown", event => {
    input.fast = event.shiftKey;
    input.wasClicked &&= event.key !== "Tab";
    if (isTyping(event) || isOfControl(input, event))
      return;
    if (MOVES[event.code]) {
      input.keys.add(event.code);
      event.preventDefault();
      app.redraw();
    } else if (!event.repeat) {
      pressKey(app, event.key, event.target);
    }
  });
  window.addEventListener("keyup", event => {
    input.fast = event.shiftKey;
    input.keys.delete(event.code);
  });
  window.addEventListener("pointerdown", () => {
    input.wasClicked = true;
  }, {capture: true});
  window.addEventListener("blur", () => input.keys.clear());
}

// How far two fingers are apart: pinching moves forward and back.
function spreadOf({pointers}) {
  const [first, second] = [...pointers.values()];
  return second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
}

function movePointer(input, app, event) {
  const before = input.pointers.get(event.pointerId);
  if (!before)
    return;
  const dx = event.clientX - before.x, dy = event.clientY - before.y, apart = spreadOf(input);
  before.x = event.clientX;
  before.y = event.clientY;
  before.moved += Math.abs(dx) + Math.abs(dy);
  if (input.pointers.size >= 2)
    moveCamera(app, [(spreadOf(input) - apart - dy / 2) * TOUCH_STEP, dx * TOUCH_STEP / 2, 0]);
  else
    turnCamera(app.camera, dx, dy);
  app.redraw();
}

// A press without a movement picks what is there.
function releasePointer(input, app, event) {
  const pointer = input.pointers.get(event.pointerId);
  input.pointers.delete(event.pointerId);
  if (pointer && pointer.moved < 4 && event.type === "pointerup")
    app.pick(event.offsetX, event.offsetY);
}

function listenToPointers(input, app, canvas) {
  canvas.addEventListener("pointerdown", event => {
    canvas.focus();
    canvas.setPointerCapture(event.pointerId);
    input.pointers.set(event.pointerId, {x: event.clientX, y: event.clientY, moved: 0});
  });
  canvas.addEventListener("pointermove", event => movePointer(input, app, event));
  canvas.addEventListener("pointerup", event => releasePointer(input, app, event));
  canvas.addEventListener("pointercancel", event => releasePointer(input, app, event));
  canvas.addEventListener("wheel", event => {
    app.camera.speed = clamp(app.camera.speed * (event.deltaY < 0 ? 1.25 : 0.8), 20, 20000);
    event.preventDefault();
  }, {passive: false});
}

// A button that is a key for as long as a finger is on it.
function listenToButton(input, app, id, code) {
  const button = document.getElementById(id), end = () => input.keys.delete(code);
  button.addEventListener("pointerdown", event => {
    button.setPointerCapture(event.pointerId);
    input.keys.add(code);
    app.redraw();
  });
  ["pointerup", "pointercancel", "lostpointercapture"].forEach(name => button.addEventListener(name, end));
  button.addEventListener("contextmenu", event => event.preventDefault()); // of a long press
  button.addEventListener("click", event => {
    if (event.detail === 0) {
      moveCamera(app, [0, 0, MOVES[code][2] * BUTTON_STEP]);
      app.redraw();
    }
  });
}

// The way of `seconds` by the keys that are down; null when none is.
function stepOfKeys(input, camera, seconds) {
  if (!input.keys.size)
    return null;
  let sum = [0, 0, 0];
  input.keys.forEach(code => {
    sum = add(sum, MOVES[code]);
  });
  return scale(normalize(sum), camera.speed * (input.fast ? FAST : 1) * seconds);
}

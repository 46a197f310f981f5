// Starts the page, and draws when something has changed.

function defaultSettings() {
  const styleLight = new Float32Array(256).fill(1);
  styleLight[255] = 0;
  return {
    mode: "both", exposure: 1, firstExposure: 1, automatic: true, panel: true, overlay: "none", walking: false,
    entities: false, leak: true, fog: true, portals: false, frozen: false, animate: false, off: new Set(), styleLight,
    border: BORDER,
  };
}

function showMessage(text) {
  const message = document.getElementById("message");
  message.textContent = text;
  message.hidden = !text;
}

function moveCamera(app, step) {
  app.camera.eye = flownTo(app.camera, step);
}

// Enter on the picture is a click on its middle.
function pressKey(app, key, target) {
  const {settings} = app;
  const mode = MODES[Number(key) - 1];
  if (mode)
    app.change({mode});
  else if (key === "+" || key === "=")
    app.change({exposure: settings.exposure * 2 ** 0.25});
  else if (key === "-")
    app.change({exposure: settings.exposure / 2 ** 0.25});
  else if (key === "g" || key === "G")
    app.setWalking(!settings.walking);
  else if (key === "f" || key === "F")
    app.change({frozen: !settings.frozen});
  else if ((key === "b" || key === "B") && app.before)
    app.change({border: settings.border === 1 ? 0 : 1});
  else if (key === "h" || key === "H")
    app.change({panel: !settings.panel});
  else if (key === "Enter" && target === app.canvas)
    app.pick(app.canvas.clientWidth / 2, app.canvas.clientHeight / 2);
  else if (key === "Escape")
    app.forget();
}

function fitCanvas(app) {
  const {canvas, renderer} = app;
  const ratio = (window.devicePixelRatio || 1) / (app.pace.coarse ? 2 : 1);
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  resizeRenderer(renderer, canvas.width, canvas.height, app.pace.coarse);
}

// The address follows when the camera rests.
function followLater(app, link) {
  clearTimeout(app.linkTimer);
  app.linkTimer = setTimeout(() => writeLink(link), 300);
}

// The leaf and the cluster of the camera; kept when they are frozen.
function findPlace(scene, settings, camera) {
  if (settings.frozen && scene.cluster >= 0)
    return;
  scene.leafNumber = leafAt(scene.structure, camera.eye);
  scene.cluster = clusterAt(scene.structure, camera.eye);
}

function drawNow(app) {
  const {canvas, renderer, scene, settings, camera} = app;
  fitCanvas(app);
  scenesOf(app).forEach(shown => findPlace(shown, settings, camera));
  settings.seconds = settings.animate ? app.time / 1000 : 0;
  setStyles(settings, app.styles, app.patterns, app.time / 1000);
  const view = viewOf(camera, canvas.width, canvas.height);
  drawFrame(renderer, scene, settings, view);
  if (app.before)
    drawBefore(renderer, app.before, settings, view);
  showBorder(app);
  showSettings(app.panel, scene, settings, camera);
  const link = linkOf(camera, settings);
  if (link !== document.body.dataset.drawn)
    followLater(app, link);
  document.body.dataset.drawn = link;
}

// Moves by the keys. Returns whether it goes on.
function moveFor(app, seconds) {
  if (app.settings.walking)
    return walk(app.collider, app.walker, app.camera, app.input, seconds);
  const step = stepOfKeys(app.input, app.camera, seconds);
  if (step)
    moveCamera(app, step);
  return Boolean(step);
}

function frame(app, time) {
  app.waiting = false;
  if (!app.scene)
    return;
  const seconds = clamp((time - app.time) / 1000, 0, 0.1);
  app.time = time;
  const moves = moveFor(app, seconds);
  keepPace(app.pace, time, moves || app.input.pointers.size > 0 || app.settings.animate, app.redraw);
  drawNow(app);
  if (moves || app.settings.animate)
    app.redraw();
}

function makeApp(canvas, gl) {
  const app = {
    canvas,
    renderer: makeRenderer(gl),
    camera: makeCamera([0, 0, 0, 0, 0]),
    settings: defaultSettings(),
    input: makeInput(),
    pace: makePace(),
    scene: null,
    before: null, // the build to compare with
    messages: null,
    waiting: false,
    time: 0,
    redraw() {
      if (!app.waiting)
        requestAnimationFrame(time => frame(app, time));
      app.waiting = true;
    },
    change(settings) {
      Object.assign(app.settings, settings);
      app.redraw();
    },
    setWalking(walking) {
      app.walker = makeWalker();
      app.change({walking});
    },
    flyTo(point) {
      app.camera.eye = [...point];
      app.change({walking: false});
    },
    lookAt(point) {
      standBefore(app, point);
      app.change({walking: false});
    },
    lookAtLine([end, next]) {
      standBesideLine(app, end, next);
      app.change({walking: false});
    },
    lookAtEntity(entity) {
      standBeforeEntity(app, entity);
      app.change({walking: false});
    },
    showMessages(messages) {
      app.messages = messages;
      if (app.scene)
        app.panel = makePanel(app);
      app.redraw();
    },
    placeOf: message => (app.scene ? placeOfMessage(app, message) : null),
    flyFrom(go) {
      const {eye, pitch, yaw} = app.camera;
      go();
      return () => {
        Object.assign(app.camera, {eye, pitch, yaw});
        app.redraw();
      };
    },
    showEntity(entity) {
      app.lookAtEntity(entity);
      app.tell(tellEntity(app, entity));
    },
    showLight(light) {
      app.lookAt(light.origin);
      app.tell(tellLight(app, light));
    },
    tell(found) {
      showFound(found, app.forget);
      scenesOf(app).forEach(scene => (
        outlineSurface(app.renderer.gl, scene, found && found.scene === scene ? found.surface : -1)));
      app.redraw();
    },
    forget() {
      app.tell(null);
      app.canvas.focus();
    },
    pick(x, y) {
      app.tell(inspect({...app, scene: sceneAt(app, x)}, x, y));
    },
  };
  return app;
}

function listen(app) {
  listenToKeys(app.input, app);
  listenToPointers(app.input, app, app.canvas);
  listenToBorder(app);
  listenToButton(app.input, app, "up", "KeyE");
  listenToButton(app.input, app, "down", "KeyQ");
  document.getElementById("toggle").addEventListener("click", () => app.change({panel: !app.settings.panel}));
  new ResizeObserver(() => app.redraw()).observe(app.canvas);
  window.addEventListener("hashchange", event => {
    followLink(new URL(event.newURL).hash, app.camera, app.settings);
    followLater(app, linkOf(app.camera, app.settings)); // it may have had more than is valid
    app.redraw();
  });
  app.canvas.addEventListener("webglcontextlost", () => showMessage("The graphics card was lost: load the page again."));
}

// What depends on the map.
function setScene(app, scene, before) {
  const ended = scenesOf(app);
  Object.assign(app, {
    scene,
    before,
    styles: stylesOf(scene.structure),
    patterns: patternsOf(scene.entities),
    collider: makeCollider(scene),
    walker: makeWalker(),
    messages: scene.head.messages || null,
  });
  showFound(null);
  ended.forEach(old => deleteScene(app.renderer.gl, old));
  app.panel = makePanel(app);
  document.title = scene.head.name;
  document.getElementById("name").textContent = scene.head.name;
}

// Shows a map: the first where it or the link says, the next from where the camera is.
async function openMap(app, map) {
  const {gl} = app.renderer, isFirst = !app.scene;
  if (isFirst) {
    app.camera = makeCamera(map.head.start);
    app.settings.firstExposure = map.head.exposure;
    followLink(location.hash, app.camera, app.settings);
  }
  const images = map.head.images.map(() => null);
  setScene(app, makeScene(gl, map, images), map.before && makeScene(gl, map.before, images));
  if (isFirst)
    listen(app);
  drawNow(app);
  showMessage("");
  document.body.dataset.first = Math.round(performance.now());
  await loadImages(gl, map, images, app.redraw);
  document.body.dataset.ready = Math.round(performance.now());
}

async function start() {
  const canvas = document.getElementById("picture");
  const gl = canvas.getContext("webgl2", {antialias: false, depth: false, alpha: false});
  if (!gl)
    throw new Error("this browser has no WebGL 2");
  const app = makeApp(canvas, gl);
  const element = document.getElementById("data"), text = element.textContent;
  element.remove();
  if (text)
    await openMap(app, await readMap(text));
  else
    await follow({
      open: map => openMap(app, map),
      showMessages: app.showMessages,
      messages: () => app.messages || [],
      placeOf: app.placeOf,
      flyFrom: app.flyFrom,
    });
}

start().catch(error => {
  document.body.dataset.failed = error.message;
  showMessage(`The map cannot be shown: ${error.message}`);
});

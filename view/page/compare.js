// Two builds of a map in one picture: the one before is left of a border that can be moved.

const BORDER = 0.5; // at first: a share of the width

// The build that is shown, and the one before if there is one.
function scenesOf({scene, before}) {
  return [scene, before].filter(Boolean);
}

function sceneAt({canvas, scene, before, settings}, x) {
  return before && x < settings.border * canvas.clientWidth ? before : scene;
}

function listenToBorder(app) {
  const input = document.getElementById("border");
  input.addEventListener("input", () => app.change({border: Number(input.value)}));
}

function showBorder({before, settings: {border}}) {
  const compare = document.getElementById("compare");
  compare.hidden = !before;
  compare.style.setProperty("--at", `${100 * border}%`);
  document.getElementById("border").value = border;
}

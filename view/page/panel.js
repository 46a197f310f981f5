// The panel: what is shown, and where one is. All text is set as text.

const MODE_NAMES = {both: "Textures and light", textures: "Textures", light: "Light"};
const HELP = [
  "Drag: look around. W A S D: fly. E, Q: up, down. Shift: faster. Wheel: speed.",
  "1, 2, 3: textures and light, textures, light. + -: exposure. H: hide this.",
  "Touch: one finger looks around, two fly.",
];

// Makes an element: its properties, then its children, which may be text.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function modeButtons(app) {
  const box = element("fieldset", {}, element("legend", {}, "Show"));
  MODES.forEach(mode => {
    const input = element("input", {type: "radio", name: "mode", value: mode});
    input.addEventListener("change", () => app.change({mode}));
    box.append(element("label", {}, input, " ", MODE_NAMES[mode]));
  });
  return box;
}

function exposureSlider(app) {
  const input = element("input", {type: "range", min: -5, max: 5, step: 0.25, id: "exposure"});
  input.addEventListener("input", () => app.change({exposure: 2 ** Number(input.value)}));
  return element("label", {}, "Exposure ", input);
}

function automaticBox(app) {
  const input = element("input", {type: "checkbox", id: "automatic"});
  input.addEventListener("change", () => app.change({automatic: input.checked}));
  return element("label", {}, input, " Automatic exposure");
}

function copyButton() {
  const button = element("button", {type: "button"}, "Copy link");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 1500);
  });
  return button;
}

function makePanel(app) {
  const panel = document.getElementById("panel");
  const {head} = app.scene;
  panel.append(element("h1", {}, head.name), modeButtons(app));
  if (head.lit)
    panel.append(exposureSlider(app));
  if (head.hdr)
    panel.append(automaticBox(app));
  panel.append(element("p", {id: "place"}), copyButton());
  const help = HELP.map(line => element("p", {}, line));
  panel.append(element("details", {}, element("summary", {}, "Keys"), ...help));
  return panel;
}

function showSettings(panel, settings, camera) {
  panel.hidden = !settings.panel;
  panel.querySelectorAll("input[name=mode]").forEach(input => {
    input.checked = input.value === settings.mode;
  });
  const exposure = panel.querySelector("#exposure"), automatic = panel.querySelector("#automatic");
  if (exposure)
    exposure.value = Math.log2(settings.exposure);
  if (automatic)
    automatic.checked = settings.automatic;
  const place = [...camera.eye, camera.pitch, camera.yaw].map(Math.round);
  panel.querySelector("#place").textContent =
    `Place ${place.slice(0, 3).join(" ")}, angles ${place.slice(3).join(" ")}`;
}

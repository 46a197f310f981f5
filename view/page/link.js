// The address after #: place, mode and exposure, so that a link leads to the same view.

const MODES = ["both", "textures", "light"];

function round(value) {
  return Math.round(value * 100) / 100;
}

function linkOf(camera, settings) {
  const view = [...camera.eye, camera.pitch, camera.yaw].map(round).join(",");
  const parts = [`view=${view}`];
  if (settings.mode !== "both")
    parts.push(`mode=${settings.mode}`);
  if (round(settings.exposure) !== round(settings.firstExposure))
    parts.push(`exposure=${round(settings.exposure)}`);
  if (!settings.automatic)
    parts.push("auto=0");
  if (settings.overlay !== "none")
    parts.push(`over=${settings.overlay}`);
  if (settings.walking)
    parts.push("walk=1");
  if (settings.entities)
    parts.push("entities=1");
  if (settings.portals)
    parts.push("portals=1");
  if (!settings.fog)
    parts.push("fog=0");
  if (settings.border !== BORDER)
    parts.push(`border=${round(settings.border)}`);
  if (!settings.panel)
    parts.push("panel=0");
  return parts.join("&");
}

function numbersOf(text) {
  return (text || "").split(",").map(Number);
}

// Takes what is valid from a link.
function followLink(text, camera, settings) {
  const link = new URLSearchParams(text.replace(/^#/, ""));
  const view = numbersOf(link.get("view")).map(value => clamp(value, -1e6, 1e6));
  if (view.length === 5 && view.every(Number.isFinite)) {
    camera.eye = view.slice(0, 3);
    camera.pitch = clamp(view[3], -90, 90);
    camera.yaw = view[4];
  }
  const exposure = Number(link.get("exposure") || 0);
  settings.mode = MODES.includes(link.get("mode")) ? link.get("mode") : "both";
  settings.exposure = exposure > 0 && exposure <= 1000 ? exposure : settings.firstExposure;
  settings.automatic = link.get("auto") !== "0";
  settings.overlay = Object.hasOwn(OVERLAYS, link.get("over")) ? link.get("over") : "none";
  settings.walking = link.get("walk") === "1";
  settings.entities = link.get("entities") === "1";
  settings.portals = link.get("portals") === "1";
  settings.fog = link.get("fog") !== "0";
  settings.border = clamp(Number(link.get("border") ?? BORDER) || 0, 0, 1);
  settings.panel = link.get("panel") !== "0";
}

function writeLink(text) {
  history.replaceState(null, "", `#${text}`);
}

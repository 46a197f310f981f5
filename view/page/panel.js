// The panel: what is shown, where one is, and lists that lead to places. All text is set as text.

const MODE_NAMES = {both: "Textures and light", textures: "Textures", light: "Light"};
const HELP = [
  "Drag: look around. W A S D: move. E, Q: up, down. Shift: faster. Wheel: speed.",
  "Click, or Enter on the picture: what is there. Escape: nothing. G: walk or fly. F: keep what is seen from here.",
  "1, 2, 3: textures and light, textures, light. + -: exposure. H: hide this.",
  "B: the build before, or this one, of two that are compared.",
  "Tab and Enter: through the lists, and to their places.",
  "Touch: one finger looks around, two move: apart is forward. The buttons go up and down.",
];
const LONGEST = 1000;
const MOST_ROWS = 500; // of a list at once
const SEARCHED = 8;    // from so many rows on a list has a search

// Makes an element: its properties, then its children, which may be text.
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function clip(text) {
  const all = String(text);
  return all.length > LONGEST ? `${all.slice(0, LONGEST)} (${all.length} characters)` : all;
}

function placeButton(text, go) {
  const button = element("button", {type: "button", className: "place"}, clip(text));
  button.addEventListener("click", go);
  return button;
}

// Rows of a name, a value and, where one of them (`linked`: its number) leads to something, what goes
// there.
function tableOf(rows, linked = 1) {
  const lines = rows.map(([name, value, go]) => {
    const [first, second] = [name, value].map((text, i) => (go && i === linked ? placeButton(text, go) : clip(text)));
    return element("tr", {}, element("th", {scope: "row"}, first), element("td", {}, second));
  });
  return element("table", {}, ...lines);
}

function section(title, ...children) {
  return element("details", {}, element("summary", {}, title), ...children);
}

function choices(legend, name, texts, chosen) {
  const box = element("fieldset", {}, element("legend", {}, legend));
  Object.entries(texts).forEach(([value, text]) => {
    const input = element("input", {type: "radio", name, value});
    input.addEventListener("change", () => chosen(value));
    box.append(element("label", {}, input, ` ${text}`));
  });
  return box;
}

function checkBox(text, id, changed) {
  const input = element("input", {type: "checkbox", id});
  input.addEventListener("change", () => changed(input.checked));
  return element("label", {}, input, ` ${text}`);
}

function exposureSlider(app) {
  const input = element("input", {type: "range", min: -5, max: 5, step: 0.25, id: "exposure"});
  input.addEventListener("input", () => app.change({exposure: 2 ** Number(input.value)}));
  const reset = element("button", {type: "button", id: "reset"}, "Reset");
  reset.addEventListener("click", () => app.change({exposure: 1}));
  return element("div", {}, element("label", {}, "Exposure ", input), element("span", {id: "exposed"}), " ", reset);
}

// What the slider is at, and why.
function exposureText({exposure, firstExposure}) {
  const isRaised = firstExposure > 1 && exposure === firstExposure;
  return exposure === 1 ? "" : `${round(exposure)} times${isRaised ? ": raised, since the first view is dark" : ""}`;
}

function showExposure(panel, settings) {
  const slider = panel.querySelector("#exposure");
  if (!slider)
    return;
  slider.value = Math.log2(settings.exposure);
  panel.querySelector("#exposed").textContent = exposureText(settings);
  panel.querySelector("#reset").hidden = settings.exposure === 1;
}

function copyButton(app) {
  const button = element("button", {type: "button"}, "Copy link");
  button.addEventListener("click", async () => {
    writeLink(linkOf(app.camera, app.settings)); // it follows the camera a moment later
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed: copy the address";
    }
    setTimeout(() => {
      button.textContent = "Copy link";
    }, 1500);
  });
  return button;
}

// A list of places to fly to: rows of a text and a point or what else `go` takes, which may be
// missing.
function placeList(app, rows, go = point => app.flyTo(point)) {
  const list = element("ul", {});
  if (rows.length < SEARCHED) {
    list.append(...listItems(rows, go));
    return list;
  }
  const search = element("input", {type: "search", placeholder: "Search", ariaLabel: "Search the list"});
  const fill = () => list.replaceChildren(...listItems(matching(rows, search.value), go));
  search.addEventListener("input", fill);
  fill();
  return element("div", {}, search, list);
}

function listItems(rows, go) {
  const items = rows.slice(0, MOST_ROWS).map(([text, point]) => (
    element("li", {}, point ? placeButton(text, () => go(point)) : clip(text))));
  return rows.length > MOST_ROWS ? [...items, element("li", {}, `${rows.length - MOST_ROWS} more: search for them`)] : items;
}

// The rows that have all words of a search.
function matching(rows, search) {
  const words = search.toLowerCase().split(/\s+/);
  return rows.filter(([text]) => words.every(word => text.toLowerCase().includes(word)));
}

function styleBoxes(app) {
  const {styles, settings} = app;
  const boxes = styles.map(style => checkBox(`Style ${style}`, `style${style}`, on => {
    settings.off[on ? "delete" : "add"](style);
    app.redraw();
  }));
  return section("Light styles", ...boxes);
}

function limitTable({limits}) {
  return section("Limits", tableOf(limits.map(([name, used, maximum]) =>
    [name, maximum ? `${used} of ${maximum} (${round(100 * used / maximum)} %)` : used])));
}

function faultList(app, {faults}) {
  return section(`Faults (${faults.length})`, placeList(app, faults.map(({code, title, message, point}) => [`${code} ${title}: ${message}`, point])));
}

function leafCentre(leaf) {
  return leaf.mins.map((low, k) => (low + leaf.maxs[k]) / 2);
}

// The clusters that see most, in the middle of their largest leaf.
function costliest(structure) {
  const largest = new Map();
  const volume = leaf => leaf.mins.reduce((sum, low, k) => sum * (leaf.maxs[k] - low), 1);
  for (let i = 0; i < structure.leafCount; i++) {
    const leaf = readLeaf(structure, i), before = largest.get(leaf.cluster);
    if (leaf.cluster >= 0 && (!before || volume(leaf) > volume(before)))
      largest.set(leaf.cluster, leaf);
  }
  const rows = [...largest.values()].map(leaf => ({leaf, seen: countSeen(structure, leaf.cluster)}));
  return rows.sort((a, b) => b.seen - a.seen || a.leaf.cluster - b.leaf.cluster).slice(0, 20)
    .map(({leaf, seen}) => [`Cluster ${leaf.cluster} sees ${seen} of ${structure.clusters}`, leafCentre(leaf)]);
}

function entityList(app) {
  const all = app.scene.entities.filter(entity => entity.number > 0);
  const rows = all.map(entity => {
    const name = entity.keys.get("targetname");
    const place = hasPlace(entity) ? entity : null;
    return [`${entity.number} ${entity.keys.get("classname") || ""}${name ? `, ${name}` : ""}`, place];
  });
  return section(`Entities (${app.scene.entities.length})`, placeList(app, rows, entity => app.lookAtEntity(entity)));
}

function settingBoxes(app) {
  const {scene: {head}} = app, boxes = [];
  if (head.lit)
    boxes.push(exposureSlider(app));
  if (head.hdr)
    boxes.push(checkBox("Automatic exposure", "automatic", automatic => app.change({automatic})));
  boxes.push(checkBox("Walk", "walk", walking => app.setWalking(walking)));
  boxes.push(checkBox("Entities", "entities", entities => app.change({entities})));
  boxes.push(checkBox("Keep what is seen from here", "frozen", frozen => app.change({frozen})));
  if (app.scene.portals.length)
    boxes.push(checkBox("Portals", "portals", portals => app.change({portals})));
  if (hasFog(app.scene))
    boxes.push(checkBox("Fog", "fog", fog => app.change({fog})));
  if (app.styles.some(style => style > 0) || head.materials.some(isMoving))
    boxes.push(checkBox("Animate", "animate", animate => app.change({animate})));
  if (head.leak.length)
    boxes.push(checkBox("Way out of the leak", "leak", leak => app.change({leak})));
  return boxes;
}

function lists(app) {
  const {scene: {head, structure}} = app, made = [entityList(app), limitTable(head), faultList(app, head)];
  if (app.messages)
    made.unshift(section(`Build (${countText(app.messages)})`, messageList(app, app.messages)));
  if (app.styles.length > 1)
    made.unshift(styleBoxes(app));
  if (structure.clusters)
    made.push(section("Costliest clusters", placeList(app, costliest(structure))));
  if (head.lit)
    made.push(seamList(app));
  if (head.leak.length)
    made.push(section("Leak", placeList(app, leakEnds(head.leak), app.lookAtLine)));
  return made;
}

// The sections stay open that are, whatever they count now.
function openTitles(panel) {
  const open = [...panel.querySelectorAll("details[open] > summary")];
  return new Set(open.map(summary => summary.textContent.replace(/ \(.*/, "")));
}

function makePanel(app) {
  const panel = document.getElementById("panel"), open = openTitles(panel);
  panel.replaceChildren(element("h2", {}, app.scene.head.name),
    choices("Show", "mode", MODE_NAMES, mode => app.change({mode})),
    choices("Lay over", "overlay", OVERLAYS, overlay => app.change({overlay})), element("p", {id: "legend"}),
    ...settingBoxes(app), element("p", {id: "place"}), element("p", {id: "here"}), copyButton(app),
    ...lists(app),
    section("Keys", ...HELP.map(line => element("p", {}, line))));
  panel.querySelectorAll("details").forEach(details => {
    details.open = open.has(details.firstChild.textContent.replace(/ \(.*/, ""));
  });
  return panel;
}

// Beside the panel, or below it: what a click has found. `close` ends it.
function showFound(found, close) {
  const box = document.getElementById("found");
  box.replaceChildren();
  if (!found)
    return;
  const button = element("button", {type: "button"}, "Close");
  button.addEventListener("click", close);
  box.append(button, element("h2", {}, found.title), tableOf(found.rows));
  if (found.lights.length)
    box.append(element("h2", {}, found.lightsTitle), tableOf(found.lights, 0));
}

// Colours with what they mean: style attributes are forbidden, its properties are not.
function showLegend(legend, overlay) {
  if (legend.dataset.overlay === overlay)
    return;
  legend.dataset.overlay = overlay;
  const keys = overlay === "density" ? DENSITY_KEYS : [];
  legend.replaceChildren(LEGENDS[overlay], ...keys.flatMap(([colour, text]) => {
    const swatch = element("span", {className: "swatch", ariaHidden: "true"});
    swatch.style.backgroundColor = `rgb(${colour.join()})`;
    return [" ", element("span", {className: "key"}, swatch, ` ${text}`)];
  }));
}

function checkRadio(panel, name, value) {
  panel.querySelectorAll(`input[name=${name}]`).forEach(input => {
    input.checked = input.value === value;
  });
}

function setBox(panel, id, checked) {
  const box = panel.querySelector(`#${id}`);
  if (box)
    box.checked = checked;
}

function hereText({structure, portals, leafNumber, cluster}) {
  if (!structure.clusters)
    return `Leaf ${leafNumber}, no visibility`;
  const seen = cluster >= 0 ? `, sees ${countSeen(structure, cluster)} of ${structure.clusters} clusters` : "";
  const own = portals.filter(({clusters}) => clusters.includes(cluster)).length;
  return `Leaf ${leafNumber}, cluster ${cluster}${seen}${portals.length ? `, ${own} portals` : ""}`;
}

function showSettings(panel, scene, settings, camera) {
  const box = document.getElementById("found");
  panel.hidden = !settings.panel;
  box.hidden = !settings.panel || !box.hasChildNodes();
  if (!settings.panel)
    return;
  checkRadio(panel, "mode", settings.mode);
  checkRadio(panel, "overlay", settings.overlay);
  showLegend(panel.querySelector("#legend"), settings.overlay);
  ["automatic", "entities", "frozen", "leak", "fog", "portals", "animate"].forEach(id => setBox(panel, id, settings[id]));
  setBox(panel, "walk", settings.walking);
  panel.querySelectorAll("[id^=style]").forEach(box => {
    box.checked = !settings.off.has(Number(box.id.slice(5)));
  });
  showExposure(panel, settings);
  const place = [...camera.eye, camera.pitch, camera.yaw].map(Math.round);
  panel.querySelector("#place").textContent = `Place ${place.slice(0, 3).join(" ")}, angles ${place.slice(3).join(" ")}`;
  panel.querySelector("#here").textContent = hereText(scene);
}

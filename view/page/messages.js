// The messages of a build, and where they lead.

function lineOf({severity, code, text, where}) {
  return `${severity} ${code} ${text}${where ? ` (${where})` : ""}`;
}

// The middle of what is drawn of the side of a brush, by the editor's number; null: nothing is.
function middleOfSide(scene, side) {
  const isOfSide = surface => {
    const {face} = scene.surfaceRows[surface];
    return face >= 0 && readFace(scene.structure, face).side === side;
  };
  const box = boxOfTriangles(scene.triangles, isOfSide);
  return box && scale(add(box.mins, box.maxs), 0.5);
}

// Leads to the place of a message: that which it names, else its side or its entity. A function, or
// null without a place.
function placeOfMessage(app, {places, side, entity}) {
  if (places.length)
    return () => app.lookAt(places[0][1]);
  const middle = side > 0 ? middleOfSide(app.scene, side) : null;
  if (middle)
    return () => app.lookAt(middle);
  const found = entity > 0 && app.scene.entities.find(({keys}) => Number(keys.get("hammerid")) === entity);
  return found && hasPlace(found) ? () => app.lookAtEntity(found) : null;
}

// The place of the first is that of its text.
function messageList(app, messages) {
  const rows = messages.flatMap(message => {
    const {severity, code, places} = message;
    const others = places.slice(1).map(([name, point]) => [`${severity} ${code}, ${name}`, () => app.lookAt(point)]);
    return [[lineOf(message), placeOfMessage(app, message)], ...others];
  });
  return placeList(app, rows, go => go());
}

function countText(messages) {
  const texts = ["error", "warning", "note"].map(severity => {
    const count = messages.filter(message => message.severity === severity).length;
    return count ? `${count} ${severity}${count === 1 ? "" : "s"}` : "";
  });
  return texts.filter(Boolean).join(", ") || "no messages";
}

// The ends of the way out of a leak, each with the point beside it.
function leakEnds(leak) {
  const at = number => leak.slice(3 * number, 3 * number + 3), last = leak.length / 3 - 1;
  return [["Where it begins", [at(0), at(Math.min(1, last))]], ["Where it ends", [at(last), at(Math.max(0, last - 1))]]];
}

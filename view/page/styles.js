// Light styles: on, off, or animated. A letter of a pattern is a brightness: a is dark, m is 1.

const FRAMES_PER_SECOND = 10;

// A light's own pattern, else a plain blink: games have their own for the styles 1 to 12.
function patternsOf(entities) {
  const patterns = new Map();
  entities.forEach(({keys}) => {
    const style = Number(keys.get("style")), pattern = keys.get("pattern");
    if (Number.isInteger(style) && /^[a-z]+$/.test(pattern || ""))
      patterns.set(style, pattern);
  });
  return patterns;
}

// The styles that the light of the map has.
function stylesOf(structure) {
  const found = new Set();
  for (let i = 0; i < structure.faces.length / FACE_SIZE; i++)
    readFace(structure, i).styles.forEach(style => found.add(style));
  return [...found].sort((a, b) => a - b);
}

function brightness(pattern, seconds) {
  const letter = pattern.charCodeAt(Math.floor(seconds * FRAMES_PER_SECOND) % pattern.length);
  return (letter - 97) / 12;
}

// Sets what each style gives now.
function setStyles(settings, styles, patterns, seconds) {
  styles.forEach(style => {
    const on = !settings.off.has(style);
    const pattern = patterns.get(style) || "mmmmmaaaaa";
    const animated = settings.animate && style > 0;
    settings.styleLight[style] = on ? (animated ? brightness(pattern, seconds) : 1) : 0;
  });
}

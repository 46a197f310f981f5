// The programs of the graphics card. Light is linear; 1 is white, in luxels and vertices 255.

const HEADER = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2DArray;
`;

const MAP_VERTEX = `${HEADER}
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 place;
layout(location = 2) in vec2 luxel;
layout(location = 3) in uvec2 page;
layout(location = 4) in uvec4 styles;
layout(location = 5) in uvec4 light;
layout(location = 6) in vec2 shares;
layout(location = 7) in uint surface;
layout(location = 8) in vec2 folded;
uniform mat4 view;
uniform vec4 styleLight[64];
uniform int deforms;
uniform vec4 deformWay[3];  // and turns per unit, along the normal
uniform vec4 deformWave[3]; // base, amplitude, phase and time
uniform int deformKind[3];
out vec2 vPlace;
out vec2 vLuxel;
out vec3 vLight;
out vec2 vShares;
flat out uvec2 vPage;
flat out vec4 vStyles;
flat out uint vSurface;
out vec3 vPosition;
out vec3 vNormal;
invariant gl_Position; // the same depth as that of HOLE_VERTEX

float lightOfStyle(uint style) {
  return styleLight[style >> 2][style & 3u];
}

// Of an octahedron that is folded to a square.
vec3 unfold(vec2 at) {
  vec3 up = vec3(at, 1.0 - abs(at.x) - abs(at.y));
  float below = max(-up.z, 0.0);
  up.xy -= mix(vec2(-below), vec2(below), greaterThanEqual(up.xy, vec2(0)));
  return normalize(up);
}

// As WAVES of the script, in turns.
float wave(int kind, float turn) {
  float x = fract(turn);
  if (kind == 1)
    return x < 0.5 ? 1.0 : -1.0;
  if (kind == 2)
    return x < 0.25 ? 4.0 * x : x < 0.75 ? 2.0 - 4.0 * x : 4.0 * x - 4.0;
  return kind == 3 ? x : kind == 4 ? 1.0 - x : sin(6.2831853 * x);
}

vec3 deformed(vec3 point, vec3 normal) {
  float sum = dot(point, vec3(1));
  for (int i = 0; i < deforms; i++) {
    float turn = deformWave[i].z + deformWay[i].w * sum;
    vec3 way = deformWay[i].w != 0.0 ? normal : deformWay[i].xyz;
    point += way * (deformWave[i].x + deformWave[i].y * wave(deformKind[i], turn));
  }
  return point;
}

void main() {
  vNormal = unfold(folded);
  vPosition = deforms > 0 ? deformed(position, vNormal) : position;
  gl_Position = view * vec4(vPosition, 1);
  vPlace = place;
  vLuxel = luxel;
  vLight = vec3(light.rgb) * exp2(float(light.a) - 24.0);
  vShares = shares;
  vPage = page;
  vSurface = surface;
  for (int i = 0; i < 4; i++)
    vStyles[i] = lightOfStyle(styles[i]);
}
`;

const MAP_FRAGMENT = `${HEADER}
in vec2 vPlace;
in vec2 vLuxel;
in vec3 vLight;
in vec2 vShares;
flat in uvec2 vPage;
flat in vec4 vStyles;
flat in uint vSurface;
in vec3 vPosition;
in vec3 vNormal;
uniform sampler2DArray luxels;
uniform sampler2D base;
uniform sampler2D second;
uniform vec3 colour;
uniform bool hasImage, hasSecond, blended, clamped;
uniform int alphaTest;   // 1: more than nothing, 2: less than half, 3: half or more
uniform int opacityFrom; // 0: of the surface, 1: of the stage, 2: of the vertices, 3: of a highlight
uniform float opacity;   // of the stage
uniform int fogBlend;    // 0: fog covers, 1: what is added fades, 2: what is multiplied does
uniform float gridMean;  // of the image, which is a measuring grid; 0: it is not
uniform vec3 changeU, changeV; // of texture coordinates
uniform bool reflects;         // these are of the environment
uniform vec4 turbulence;       // what its waves add to u, and to v
uniform float turbulentTurn;
uniform bool withTextures, withLight, countsLayers, countsLuxels;
uniform vec3 densities[7]; // of sides of 2 units, 4, 8 ...
uniform sampler2D marks;
uniform vec3 eye;
uniform bool hasFog;
uniform vec4 fogColour; // and the most that it hides
uniform vec2 fogReach;  // from where, to where
uniform int volumes;
uniform vec3 volumeMins[16], volumeMaxs[16];
uniform vec4 volumeColour[16]; // and the distance at which it hides all
out vec4 result;

// How much of the way from the eye is in a box.
float wayWithin(vec3 mins, vec3 maxs) {
  vec3 way = vPosition - eye;
  vec3 safe = mix(way, vec3(1e-6), lessThan(abs(way), vec3(1e-6)));
  vec3 one = (mins - eye) / safe, other = (maxs - eye) / safe;
  vec3 low = min(one, other), high = max(one, other);
  float enter = max(max(low.x, low.y), max(low.z, 0.0)), leave = min(min(high.x, high.y), min(high.z, 1.0));
  return max(leave - enter, 0.0) * length(way);
}

vec3 mixedOnScreen(vec3 colour, vec3 other, float share) {
  const vec3 toScreen = vec3(1.0 / 2.2);
  return pow(mix(pow(colour, toScreen), pow(other, toScreen), share), vec3(2.2));
}

vec3 fogged(vec3 colour) {
  if (hasFog) {
    float share = clamp((distance(vPosition, eye) - fogReach.x) / (fogReach.y - fogReach.x), 0.0, fogColour.a);
    colour = mix(colour, fogBlend == 0 ? fogColour.rgb : vec3(fogBlend - 1), share);
  }
  for (int i = 0; i < volumes; i++) {
    float share = sqrt(min(wayWithin(volumeMins[i], volumeMaxs[i]) / volumeColour[i].a, 1.0));
    colour = fogBlend == 0 ? mixedOnScreen(colour, volumeColour[i].rgb, share) : mix(colour, vec3(fogBlend - 1), share);
  }
  return colour;
}

vec3 lightHere() {
  if (vPage.x == 65535u)
    return vLight / 255.0;
  vec3 sum = vec3(0);
  for (int i = 0; i < 4; i++) {
    vec2 at = vLuxel + vec2(0.5, 0.5 + float(uint(i) * vPage.y));
    if (vStyles[i] > 0.0)
      sum += vStyles[i] * textureLod(luxels, vec3(at / float(textureSize(luxels, 0).x), vPage.x), 0.0).rgb;
  }
  return sum / 255.0;
}

bool failsAlphaTest(float alpha) {
  return alphaTest == 1 && alpha <= 0.0 || alphaTest == 2 && alpha >= 0.5 || alphaTest == 3 && alpha < 0.5;
}

// The environment is an image that lies around the map, as by Quake 3.
vec2 placeOfReflection() {
  vec3 seen = reflect(normalize(vPosition - eye), normalize(vNormal));
  return vec2(0.5 + 0.5 * seen.y, 0.5 - 0.5 * seen.z);
}

// The coordinates of a stage. Waves of turbulence are 1024 units long.
vec2 placeHere() {
  vec3 at = vec3(reflects ? placeOfReflection() : vPlace, 1);
  vec2 waves = sin(6.2831853 * (turbulentTurn + vec2(vPosition.x + vPosition.z, vPosition.y) / 1024.0));
  return vec2(dot(changeU, at) + dot(turbulence.xy, waves), dot(changeV, at) + dot(turbulence.zw, waves));
}

// Along the axes of the map, as by brushwork render. An image is 128 units.
vec2 placeOnGrid() {
  vec3 normal = cross(dFdx(vPosition), dFdy(vPosition)), size = abs(normal);
  int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  float side = normal[axis] < 0.0 ? -1.0 : 1.0;
  vec2 at = axis == 0 ? vec2(side * vPosition.y, -vPosition.z) : vec2(-side * vPosition.x, -vPosition.z);
  return (axis == 2 ? vec2(vPosition.x, -side * vPosition.y) : at) / 128.0;
}

// Of the one light that all highlights of Quake 3 come from.
float highlight() {
  vec3 light = normalize(vec3(-960, 1980, 96) - vPosition);
  float bright = dot(reflect(-light, normalize(vNormal)), normalize(eye - vPosition));
  return pow(max(bright, 0.0), 4.0);
}

float opacityHere() {
  if (opacityFrom == 3)
    return highlight();
  return opacityFrom == 0 ? vShares.y : opacityFrom == 1 ? opacity : vShares.x;
}

// What is not seen is striped, so that the colour is not needed.
float patternHere() {
  return mod(gl_FragCoord.x + gl_FragCoord.y, 12.0) < 6.0 ? 1.0 : 0.75;
}

// The side of a luxel in units: triangles are flat, so that any two steps of the picture tell it.
float luxelSide(vec2 across, vec2 down) {
  float luxels = abs(across.x * down.y - across.y * down.x);
  return luxels > 0.0 ? sqrt(length(cross(dFdx(vPosition), dFdy(vPosition))) / luxels) : 1e6;
}

// Each luxel is a square around its sample, until they are too small to be seen.
vec3 luxelHere(bool isLit) {
  vec2 across = dFdx(vLuxel), down = dFdy(vLuxel), cell = floor(vLuxel + 0.5);
  vec3 normal = normalize(cross(dFdx(vPosition), dFdy(vPosition)));
  float shade = 0.8 + 0.12 * abs(normal.x) + 0.15 * abs(normal.z);
  if (!isLit)
    return vec3(0.35 * shade);
  int size = int(clamp(floor(log2(luxelSide(across, down)) + 0.5) - 1.0, 0.0, 6.0));
  float dark = mod(cell.x + cell.y, 2.0) < 0.5 ? 1.0 : 0.7;
  float blurred = smoothstep(0.25, 0.7, max(length(across), length(down)));
  return densities[size] * shade * mix(dark, 0.85, blurred);
}

void main() {
  if (countsLayers) {
    result = vec4(vec3(0.07), 1);
    return;
  }
  vec4 mark = texelFetch(marks, ivec2(vSurface & 1023u, vSurface >> 10), 0);
  if (countsLuxels) {
    result = vec4(pow(luxelHere(mark.a > 0.9), vec3(2.2)), 1);
    return;
  }
  vec4 paint = vec4(1);
  if (hasImage) {
    vec2 place = placeHere();
    paint = texture(base, clamped ? clamp(place, 0.0, 1.0) : place);
    if (hasSecond)
      paint = mix(paint, texture(second, vPlace), vShares.x);
  }
  if (gridMean > 0.0)
    paint.rgb *= texture(base, placeOnGrid()).r / gridMean;
  if (failsAlphaTest(paint.a))
    discard;
  if (!blended)
    paint.a = 1.0;
  paint.a *= opacityHere();
  paint.rgb = withTextures ? paint.rgb * colour : vec3(1);
  result = vec4(withLight ? paint.rgb * lightHere() : paint.rgb, paint.a);
  result.rgb = mix(fogged(result.rgb), mark.rgb, mark.a * patternHere());
}
`;

// A triangle over the whole picture.
const SCREEN_VERTEX = `${HEADER}
out vec2 vScreen;
void main() {
  vScreen = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
  gl_Position = vec4(vScreen, 0, 1);
}
`;

const SKY_FRAGMENT = `${HEADER}
in vec2 vScreen;
uniform vec3 forward, right, up;
uniform vec3 zenith, horizon, sun, toSun;
uniform bool hasSun, hasPanorama;
uniform sampler2D panorama; // all directions: around the z axis, and from above down
out vec4 result;
void main() {
  vec3 direction = normalize(forward + vScreen.x * right + vScreen.y * up);
  if (hasPanorama) {
    vec2 place = vec2(0.5 + atan(direction.y, direction.x) / 6.2831853, acos(direction.z) / 3.14159265);
    result = vec4(textureLod(panorama, place, 0.0).rgb, 1);
    return;
  }
  vec3 light = mix(horizon, zenith, sqrt(max(direction.z, 0.0)));
  float near = dot(direction, toSun);
  float glow = near >= 0.9995 ? 1.0 : near > 0.0 ? 0.5 * pow(near, 64.0) : 0.0;
  if (hasSun)
    light += glow * max(sun - light, 0.0);
  result = vec4(light / 255.0, 1);
}
`;

// Of sky faces: they hide what is behind them, and show the sky that is drawn already.
const HOLE_VERTEX = `${HEADER}
layout(location = 0) in vec3 position;
uniform mat4 view;
invariant gl_Position;
void main() {
  gl_Position = view * vec4(position, 1);
}
`;

const HOLE_FRAGMENT = `${HEADER}
out vec4 result;
void main() {
  result = vec4(0);
}
`;

// The logarithm of the brightness, of which the tone of HDR light takes the mean.
const METER_FRAGMENT = `${HEADER}
in vec2 vScreen;
uniform sampler2D picture;
out vec4 result;
void main() {
  vec3 light = texture(picture, 0.5 * vScreen + 0.5).rgb;
  result = vec4(log(max(dot(light, vec3(0.2126, 0.7152, 0.0722)), 0.02)));
}
`;

const TONE_FRAGMENT = `${HEADER}
in vec2 vScreen;
uniform sampler2D picture, meter;
uniform float exposure, meterLevel;
uniform bool automatic, soft;
out vec4 result;
void main() {
  vec3 light = texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb;
  float factor = exposure;
  if (automatic)
    factor *= min(0.18 / exp(textureLod(meter, vec2(0.5), meterLevel).r), 16.0);
  light = max(light * factor, 0.0);
  if (soft)
    light *= (1.0 + light / 36.0) / (1.0 + light);
  result = vec4(pow(min(light, 1.0), vec3(1.0 / 2.2)), 1);
}
`;

const LINE_VERTEX = `${HEADER}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 colour;
uniform mat4 view;
uniform vec2 shift; // parts of half the picture
out vec3 vColour;
void main() {
  gl_Position = view * vec4(position, 1);
  gl_Position.xy += shift * gl_Position.w;
  gl_Position.z -= 1e-5 * gl_Position.w; // before the surface that it lies on
  vColour = colour;
}
`;

const LINE_FRAGMENT = `${HEADER}
in vec3 vColour;
uniform float opacity;
out vec4 result;
void main() {
  result = vec4(vColour, opacity);
}
`;

"""The sky: sunset in the west, clouds that it lights from below, far hills in the haze."""
import numpy as np

from noise import cells, hashed, mix, step

SUN = (194.0, 19.0)  # direction to it: yaw and elevation, degrees

# Which axis, and in which direction, the images go to the right and down.
SIDES = {"rt": ((1, 0, 0), (0, -1, 0), (0, 0, -1)), "lf": ((-1, 0, 0), (0, 1, 0), (0, 0, -1)),
         "bk": ((0, 1, 0), (1, 0, 0), (0, 0, -1)), "ft": ((0, -1, 0), (-1, 0, 0), (0, 0, -1)),
         "up": ((0, 0, 1), (0, -1, 0), (1, 0, 0)), "dn": ((0, 0, -1), (0, -1, 0), (-1, 0, 0))}


def direction(yaw, elevation):
    y, e = np.radians(yaw), np.radians(elevation)
    return np.array([np.cos(y) * np.cos(e), np.sin(y) * np.cos(e), np.sin(e)])


def cloud_noise(x, y, octaves, seed):
    total, weight, whole = 0, 1.0, 0.0
    for octave in range(octaves):
        f = 2 ** octave
        total = total + weight * (2 * cells(x * f + 91 * octave, y * f + 37 * octave, 256, 256, seed + octave) - 1)
        whole += weight
        weight *= 0.52
    return total / whole * 1.5


def air(d):
    """The clear sky."""
    up = np.clip(d[..., 2], 0, 1)
    near = np.clip(d @ direction(*SUN), -1, 1)
    west = 0.5 + 0.5 * (d[..., :2] @ direction(*SUN)[:2]) / np.maximum(np.hypot(d[..., 0], d[..., 1]), 1e-6)
    horizon = mix(np.array([188.0, 170, 178]), np.array([255.0, 190, 112]), west ** 1.5)
    middle = mix(np.array([124.0, 146, 186]), np.array([214.0, 178, 152]), west ** 2)
    zenith = np.array([62.0, 96, 152])
    low, high = step(0.0, 0.30, up), step(0.16, 0.85, up)
    colour = mix(mix(horizon, middle, low), zenith * np.ones(d.shape), high)
    colour = mix(colour, np.array([255.0, 224, 164]), 0.75 * np.exp((near - 1) * 26))
    return mix(colour, np.array([255.0, 250, 226]), np.clip(1.3 * np.exp((near - 1) * 420), 0, 1))


def clouds(d, colour):
    """Two layers on planes above: cumulus banks, and thin cirrus."""
    up = np.maximum(d[..., 2], 0.02)
    near = np.clip(d @ direction(*SUN), -1, 1)
    x, y = d[..., 0] / (up + 0.10), d[..., 1] / (up + 0.10)
    fade = step(0.015, 0.12, d[..., 2])
    thin = step(0.05, 0.9, cloud_noise(x * 0.55 + 0.5 * y, y * 1.7, 6, 700)) * fade
    colour = mix(colour, mix(np.array([226.0, 196, 196]), np.array([255.0, 214, 160]), step(0.0, 0.9, near)), 0.55 * thin)
    toward = direction(*SUN)
    density = cloud_noise(x * 0.9, y * 0.9, 7, 720)
    ahead = cloud_noise((x + 0.16 * toward[0]) * 0.9, (y + 0.16 * toward[1]) * 0.9, 6, 720)
    body = step(0.10, 0.62, density) * fade
    lit = np.clip(0.5 + 1.1 * (density - ahead), 0, 1)
    dark = mix(np.array([112.0, 106, 134]), np.array([170.0, 118, 112]), step(0.2, 0.95, near))
    bright = mix(np.array([244.0, 200, 176]), np.array([255.0, 222, 158]), step(0.2, 0.95, near))
    shade = mix(dark, bright, lit * (1 - 0.35 * step(0.3, 1.0, density)) + 0.12)
    return mix(colour, shade, 0.92 * body)


def hills(d, colour):
    """Ridges one behind the other; the farther, the nearer to the colour of the haze."""
    yaw = np.arctan2(d[..., 1], d[..., 0]) / (2 * np.pi) + 0.5
    flat = np.hypot(d[..., 0], d[..., 1])
    elevation = d[..., 2] / np.maximum(flat, 1e-6)
    near = np.clip(d @ direction(*SUN), 0, 1)
    haze = mix(np.array([150.0, 140, 158]), np.array([242.0, 176, 112]), near ** 3)
    for ridge, (height, size, share, seed) in enumerate(((0.105, 14, 0.30, 801), (0.075, 22, 0.52, 811), (0.045, 36, 0.74, 821))):
        line = 0
        for octave in range(5):
            n = size << octave
            line = line + 0.5 ** octave * (2 * cells(yaw * n, yaw * 0, n, 1, seed + octave) - 1)
        top = height * (0.62 + 0.30 * line)
        tone = mix(np.array([92.0, 96, 112]), np.array([112.0, 82, 66]), near ** 2)
        cover = step(-0.0016, 0.0016, top - elevation)
        body = mix(haze, tone, share * step(0.0, 1.0, 0.35 + elevation / np.maximum(top, 0.01)))
        colour = mix(colour, body, cover)
    return colour


def side(name):
    """An image of a side, RGB; of those around only the upper half."""
    forward, right, down = (np.array(v, dtype=np.float64) for v in SIDES[name])
    size = {"up": 512, "dn": 16}.get(name, 1024)
    rows = size if name in ("up", "dn") else size // 2
    y, x = np.mgrid[0:rows, 0:size]
    u, v = 2 * (x + 0.5) / size - 1, 2 * (y + 0.5) / size - 1
    d = forward + u[..., None] * right + v[..., None] * down
    d = d / np.sqrt((d * d).sum(-1))[..., None]
    colour = hills(d, clouds(d, air(d)))
    grain = hashed(x, y, 90 + len(name)) - 0.5  # hides the steps of the compressed colours
    return np.clip(colour + 2.0 * grain[..., None], 0, 255)

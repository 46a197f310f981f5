"""Maps of boxes as VMF text: rooms, and what stands in them."""


def side(points, scale, material):
    text = " ".join("(%g %g %g)" % p for p in points)
    a, b = [[q[i] - points[0][i] for i in range(3)] for q in points[1:]]
    normal = [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]
    k = max(range(3), key=lambda i: abs(normal[i]))
    u, v = [("0 1 0", "0 0 -1"), ("1 0 0", "0 0 -1"), ("1 0 0", "0 -1 0")][k]
    return (f'side\n{{\n"plane" "{text}"\n"material" "{material}"\n"uaxis" "[{u} 0] 0.25"\n'
            f'"vaxis" "[{v} 0] 0.25"\n"lightmapscale" "{scale}"\n}}\n')


def box(low, high, scale=16, material="dev/dev_measuregeneric01"):
    (x0, y0, z0), (x1, y1, z1) = low, high
    sides = [((x0, y1, z1), (x1, y1, z1), (x1, y0, z1)), ((x0, y0, z0), (x1, y0, z0), (x1, y1, z0)),
             ((x0, y1, z1), (x0, y0, z1), (x0, y0, z0)), ((x1, y1, z0), (x1, y0, z0), (x1, y0, z1)),
             ((x1, y1, z1), (x0, y1, z1), (x0, y1, z0)), ((x1, y0, z0), (x0, y0, z0), (x0, y0, z1))]
    return "solid\n{\n" + "".join(side(s, scale, material) for s in sides) + "}\n"


def walls(size, height, scale=16):
    s, h, t = size, height, 16
    around = [((-s - t, -s - t, -t), (s + t, s + t, 0)), ((-s - t, -s - t, h), (s + t, s + t, h + t)),
              ((-s - t, -s - t, 0), (-s, s + t, h)), ((s, -s - t, 0), (s + t, s + t, h)),
              ((-s, -s - t, 0), (s, -s, h)), ((-s, s, 0), (s, s + t, h))]
    return "".join(box(*wall, scale) for wall in around)


def room(size, height, inside="", scale=16):
    return ('world\n{\n"classname" "worldspawn"\n' + walls(size, height, scale) +
            inside + '}\nentity\n{\n"classname" "light"\n"origin" "0 0 200"\n'
            '"_light" "255 255 255 200"\n}\n'
            'entity\n{\n"classname" "info_player_start"\n"origin" "9 9 9"\n}\n')


def pillars(n, step):
    return "".join(box((x * step, y * step, 0), (x * step + step // 2, y * step + step // 2,
                                                256 + (x * 7 + y * 3) % 16 * 16))
                   for x in range(-n, n) for y in range(-n, n))

#!/usr/bin/env python3
"""The draw distance of maps for Quake 3, _farplanedist: nothing nearer disappears, by lines of sight through the tree
of the map itself."""
import math
import os
import random

from e2e import Suite, check, read, write
from ibsp_portals import Tree
from q3_rooms import HALL_HALF, HALL_HEIGHT, pillared_hall

suite = Suite()

DISTANCE, POINTS = 600, 160


def is_clear(tree, child, start, end):
    """Whether no part of the line is in a solid leaf."""
    while child >= 0:
        plane, front, back = tree.nodes[child][:3]
        nx, ny, nz, d = tree.planes[plane]
        a, b = (nx * p[0] + ny * p[1] + nz * p[2] - d for p in (start, end))
        if a >= 0 and b >= 0:
            child = front
        elif a < 0 and b < 0:
            child = back
        else:
            middle = tuple(s + (e - s) * a / (a - b) for s, e in zip(start, end))
            near, far = (front, back) if a >= 0 else (back, front)
            return is_clear(tree, near, start, middle) and is_clear(tree, far, middle, end)
    return tree.clusters_of_leaves[-1 - child] >= 0


def cluster_at(tree, p):
    child = 0
    while child >= 0:
        plane, front, back = tree.nodes[child][:3]
        nx, ny, nz, d = tree.planes[plane]
        child = front if nx * p[0] + ny * p[1] + nz * p[2] >= d else back
    return tree.clusters_of_leaves[-1 - child]


def seen_pairs(tree, points):
    """(cluster, cluster, distance) of points that see each other."""
    places = [(p, c) for p in points for c in [cluster_at(tree, p)] if c >= 0]
    for i, (p, a) in enumerate(places):
        for q, b in places[i + 1:]:
            if a != b and is_clear(tree, 0, p, q):
                yield a, b, math.dist(p, q)


def compiled(s, folder, name, **keys):
    path = os.path.join(folder, name + ".map")
    write(path, pillared_hall(**keys))
    s.run("vbsp", path).expect(0)
    s.run("vvis", path[:-4]).expect(0)
    return Tree(read(path[:-4] + ".bsp"))


@suite.case
def nothing_nearer_disappears(s, folder):
    """All that is seen within the distance stays; most of what is farther goes."""
    rng = random.Random(1)
    points = [tuple(rng.uniform(-HALL_HALF, HALL_HALF) for _ in range(2)) + (rng.uniform(1, HALL_HEIGHT - 1),)
              for _ in range(POINTS)]
    whole, near = compiled(s, folder, "whole"), compiled(s, folder, "near", _farplanedist=DISTANCE)
    check(whole.clusters == near.clusters > 50, f"{whole.clusters} and {near.clusters} clusters")
    kept = within = beyond = gone = 0
    for a, b, distance in seen_pairs(near, points):
        check(whole.sees[a][b], f"{a} and {b} see each other")
        if distance <= DISTANCE:
            within += 1
            kept += near.sees[a][b] and near.sees[b][a]
        else:
            beyond += 1
            gone += not near.sees[a][b]
    check(within > 200 and beyond > 200, f"{within} lines within the distance, {beyond} beyond")
    check(kept == within, f"{within - kept} of {within} lines within the distance are cut")
    check(3 * gone > beyond, f"only {gone} of {beyond} lines beyond are cut")
    for tree in (whole, near):
        print("pairs:", sum(map(sum, tree.sees)))
    print(f"{within} lines within, {kept} kept; {beyond} beyond, {gone} cut")


suite.main()

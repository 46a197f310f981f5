/* Parses the `dispinfo` block of a side. */
#ifndef VBSP_LEVEL_DISPLACEMENT_H
#define VBSP_LEVEL_DISPLACEMENT_H

#include <stdint.h>

#include "common/core/arena.h"
#include "common/geom/vec.h"
#include "common/text/keyvalues.h"

enum { DISPLACEMENT_MIN_POWER = 2, DISPLACEMENT_MAX_POWER = 4 };

/* Triangle tags in the map. A forced one takes its value from the next bit. */
enum map_triangle_tag {
    MAP_TRIANGLE_WALKABLE = 1 << 0,
    MAP_TRIANGLE_FORCE_WALKABLE = 1 << 1,
    MAP_TRIANGLE_WALKABLE_VALUE = 1 << 2,
    MAP_TRIANGLE_BUILDABLE = 1 << 3,
    MAP_TRIANGLE_FORCE_BUILDABLE = 1 << 4,
    MAP_TRIANGLE_BUILDABLE_VALUE = 1 << 5,
};

struct map_displacement_vertex {
    struct vec3 vector; /* from the flat side, in units */
    double alpha;       /* 0..255, as far as the editor keeps to it */
};

/* Vertex (row r, column c) is number r * side + c; rows go from the start corner to the next one
 * of the side's outline. */
struct map_displacement {
    int power, side;   /* side = 2^power + 1 vertices */
    struct vec3 start; /* the corner of row 0, column 0 */
    uint32_t flags;
    struct map_displacement_vertex *vertices; /* side * side */
    uint8_t *tags; /* 2 * (side - 1)^2: enum map_triangle_tag; NULL: not given */
    int missing;   /* count of missing numbers, read as 0 */
};

/* Reads a block; arrays are in the arena. False when the power or start position is invalid, or a
 * number exceeds the limits: `*problem` describes it. `elevation` and `subdiv` are for the editor,
 * whose effect is in the offsets. `allowed_verts` is computed again. */
bool map_displacement_read(const struct kv *block, struct arena *arena,
                           struct map_displacement *out, const char **problem);

#endif

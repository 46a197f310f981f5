#include "vbsp/target/source/faces/tjunction_thin.h"

#include "common/core/array.h"
#include "vbsp/faces/gap.h"
#include "vbsp/faces/outline.h"

void tjunction_lose(struct tjunction_loss *loss, struct vec3 before, struct vec3 at,
                    struct vec3 after)
{
    struct gap gap = gap_without(before, at, after);
    if (!loss->points++ || gap.seen > loss->seen) {
        loss->seen = gap.seen;
        loss->length = gap.length;
        loss->at = at;
    }
}

static struct vec3 place_of(const struct vertex_pool *pool, const int *points, ptrdiff_t i)
{
    return vertex_pool_at(pool, outline_vertex(points[i % arrlen(points)]));
}

/* The added point whose gap is the least visible, or -1. */
static ptrdiff_t least_visible(const struct vertex_pool *pool, const int *points)
{
    ptrdiff_t count = arrlen(points), best = -1;
    double min = 0;
    for (ptrdiff_t i = 0; i < count; i++) {
        if (points[i] >= 0)
            continue;
        double seen = gap_without(place_of(pool, points, i + count - 1), place_of(pool, points, i),
                                  place_of(pool, points, i + 1))
                          .seen;
        if (best < 0 || seen < min) {
            min = seen;
            best = i;
        }
    }
    return best;
}

void outline_thin(const struct vertex_pool *pool, int *points, int count,
                  struct tjunction_loss *loss)
{
    while (arrlen(points) > count) {
        ptrdiff_t at = least_visible(pool, points), all = arrlen(points);
        if (at < 0)
            return;
        tjunction_lose(loss, place_of(pool, points, at + all - 1), place_of(pool, points, at),
                       place_of(pool, points, at + 1));
        arrdel(points, at);
    }
}

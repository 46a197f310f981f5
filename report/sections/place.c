#include "report/sections/place.h"

#include "common/bsp/engine.h"

#include <math.h>

/* Quake 3 moves a player by his origin, and then a unit up. */
#define QUAKE3_LIFT 1.0

typedef void put_place(struct bytes *out, const struct engine *engine, struct vec3 eye,
                       const struct vec3 *angles);

/* A whole number, never -0. */
static double whole(double number)
{
    return floor(number + 0.5) + 0.0;
}

static void put_source(struct bytes *out, const struct engine *engine, struct vec3 eye,
                       const struct vec3 *angles)
{
    (void)engine;
    bytes_append_text(out, "setpos %.0f %.0f %.0f", whole(eye.x), whole(eye.y), whole(eye.z));
    if (angles)
        bytes_append_text(out, "; setang %.0f %.0f 0", whole(angles->x), whole(angles->y));
}

static void put_quake3(struct bytes *out, const struct engine *engine, struct vec3 eye,
                       const struct vec3 *angles)
{
    bytes_append_text(out, "/setviewpos %.0f %.0f %.0f %.0f", whole(eye.x), whole(eye.y),
                      whole(eye.z - engine->geometry.eye_height - QUAKE3_LIFT),
                      angles ? whole(angles->y) : 0);
}

static put_place *const put_family[ENGINE_FAMILIES] = {
    [ENGINE_SOURCE] = put_source,
    [ENGINE_QUAKE3] = put_quake3,
};

static void put(struct bytes *out, const struct engine *engine, struct vec3 eye,
                const struct vec3 *angles)
{
    bytes_append_text(out, "<code class=\"line\">");
    put_family[engine->family](out, engine, eye, angles);
    bytes_append_text(out, "</code>");
}

void report_put_view(struct bytes *out, const struct engine *engine, const struct scene_view *view)
{
    put(out, engine, view->eye, &view->angles);
}

void report_put_point(struct bytes *out, const struct engine *engine, const double point[3])
{
    put(out, engine, vec3(point[0], point[1], point[2]), NULL);
}

#include "vrad/lights/light_matching.h"

#include <string.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "vrad/lights/light.h"
#include "vrad/lights/light_set.h"

static bool same_place(struct vec3 a, struct vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* Equal except for the colour, and what follows from it. */
static bool lights_match(const struct light *a, const struct light *b)
{
    return a->type == b->type && same_place(a->origin, b->origin) &&
           same_place(a->normal, b->normal) && a->stopdot == b->stopdot &&
           a->stopdot2 == b->stopdot2 && a->spread == b->spread && a->face == b->face &&
           a->entity == b->entity && a->cluster == b->cluster;
}

static bool same_falloff(const struct light *a, const struct light *b)
{
    return a->exponent == b->exponent && a->constant == b->constant && a->linear == b->linear &&
           a->quadratic == b->quadratic && a->cap_distance == b->cap_distance &&
           a->fade_start == b->fade_start && a->fade_end == b->fade_end && a->radius == b->radius &&
           a->min_distance == b->min_distance && a->ramp == b->ramp && a->softening == b->softening;
}

bool light_sets_equal(const struct light_set *a, const struct light_set *b)
{
    if (arrlen(a->lights) != arrlen(b->lights) || a->sun != b->sun || a->sky != b->sky)
        return false;
    for (ptrdiff_t i = 0; i < arrlen(a->lights); i++) {
        const struct light *x = &a->lights[i], *y = &b->lights[i];
        if (!lights_match(x, y) || !same_falloff(x, y) || !same_place(x->intensity, y->intensity) ||
            x->style != y->style || x->flags != y->flags)
            return false;
    }
    return true;
}

void light_sets_match(struct light_set *a, struct light_set *b)
{
    ptrdiff_t count = arrlen(a->lights), next = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        a->lights[i].match_id = (int)i;
    for (ptrdiff_t i = 0; i < arrlen(b->lights); i++) {
        ptrdiff_t at =
            next; /* both sets have the same order: lights may be missing, but are not swapped */
        while (at < count && !lights_match(&a->lights[at], &b->lights[i]))
            at++;
        b->lights[i].match_id = (int)(at < count ? at : count + i);
        if (at < count)
            next = at + 1;
    }
}

static void copy_faces(struct bsp *bsp)
{
    if (arrlen(bsp->faces_hdr) != arrlen(bsp->faces)) {
        arrsetlen(bsp->faces_hdr, arrlenu(bsp->faces));
        memcpy(bsp->faces_hdr, bsp->faces, arrlenu(bsp->faces) * sizeof *bsp->faces);
    }
    for (ptrdiff_t i = 0; i < arrlen(bsp->faces); i++) {
        bsp->faces_hdr[i].light_offset = bsp->faces[i].light_offset;
        memcpy(bsp->faces_hdr[i].styles, bsp->faces[i].styles, sizeof bsp->faces[i].styles);
    }
}

#define COPY_ARRAY(to, from)                                                                       \
    do {                                                                                           \
        arrsetlen(to, arrlenu(from));                                                              \
        if (arrlen(from))                                                                          \
            memcpy(to, from, arrlenu(from) * sizeof *(from));                                      \
    } while (0)

void light_copy_to_hdr(struct bsp *bsp)
{
    const struct bsp_light_set *from = &bsp->ldr;
    struct bsp_light_set *to = &bsp->hdr;
    copy_faces(bsp);
    COPY_ARRAY(to->worldlights, from->worldlights);
    COPY_ARRAY(to->ambient, from->ambient);
    COPY_ARRAY(to->ambient_index, from->ambient_index);
    bytes_free(&to->lighting);
    bytes_append(&to->lighting, from->lighting.data, from->lighting.size);
}

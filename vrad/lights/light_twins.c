#include "vrad/lights/light_twins.h"

#include <string.h>

#include "common/core/array.h"

static bool same_place(struct vec3 a, struct vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* But for their colour, and what follows from that. */
static bool are_twins(const struct light *a, const struct light *b)
{
    return a->type == b->type && same_place(a->origin, b->origin) &&
           same_place(a->normal, b->normal) && a->stopdot == b->stopdot &&
           a->stopdot2 == b->stopdot2 && a->spread == b->spread && a->face == b->face &&
           a->entity == b->entity && a->cluster == b->cluster;
}

static bool fall_alike(const struct light *a, const struct light *b)
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
        if (!are_twins(x, y) || !fall_alike(x, y) || !same_place(x->intensity, y->intensity) ||
            x->style != y->style || x->flags != y->flags)
            return false;
    }
    return true;
}

void light_twins_number(struct light_set *a, struct light_set *b)
{
    ptrdiff_t count = arrlen(a->lights), next = 0;
    for (ptrdiff_t i = 0; i < count; i++)
        a->lights[i].twin = (int)i;
    for (ptrdiff_t i = 0; i < arrlen(b->lights); i++) {
        ptrdiff_t at = next; /* both sets have one order: lights are missing, none trade places */
        while (at < count && !are_twins(&a->lights[at], &b->lights[i]))
            at++;
        b->lights[i].twin = (int)(at < count ? at : count + i);
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

/* Surfaces that are drawn from both sides have one lightmap, with the direct light that
 * reaches either: their back sides are lit as receivers of their own, and added. Bounced light is
 * that of the front, as both sides have about the same. */
#include "common/core/array.h"
#include "vrad/target/quake3/receivers/receivers.h"

static bool is_two_sided(const struct quake3_light *q, const struct receiver *receiver)
{
    const struct shader *shader = q->surfaces[receiver->surfaces[0]].material->shader;
    return shader && shader->compile_flags & SHADER_TWO_SIDED;
}

static struct disp_mesh *flipped(struct quake3_light *q, const struct disp_mesh *mesh)
{
    size_t count = (size_t)mesh->columns * (size_t)mesh->rows;
    struct disp_mesh *back = ARENA_ARRAY(&q->arena, struct disp_mesh, 1);
    *back = *mesh;
    back->normals = ARENA_ARRAY(&q->arena, struct vec3, count);
    for (size_t i = 0; i < count; i++)
        back->normals[i] = vec3_neg(mesh->normals[i]);
    return back;
}

struct luxel_receiver *quake3_luxel_receivers(struct quake3_light *q)
{
    struct luxel_receiver *all = NULL;
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++)
        arrput(all, q->receivers[i].light);
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        const struct receiver *receiver = &q->receivers[i];
        struct luxel_receiver back = receiver->light;
        if (!is_two_sided(q, receiver))
            continue;
        back.origin = vec3_mad(back.origin, back.normal, -2 * receiver->lift);
        back.normal = vec3_neg(back.normal);
        if (back.mesh)
            back.mesh = flipped(q, back.mesh);
        arrput(q->backs, (int)i);
        arrput(all, back);
    }
    return all;
}

static void add(float *to, const float *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] += from[i];
}

/* The index of the style in a face's list, at its end if it is new; -1: the list is full. */
static int style_of(struct face_light *face, uint8_t style)
{
    for (int i = 0; i < face->style_count; i++)
        if (face->styles[i] == style)
            return i;
    if (face->style_count == BSP_FACE_STYLES)
        return -1;
    face->styles[face->style_count] = style;
    face->direct[face->style_count] = NULL;
    return face->style_count++;
}

void quake3_add_backs(struct quake3_light *q)
{
    for (ptrdiff_t i = 0; i < arrlen(q->backs); i++) {
        struct face_light *front = &q->map.faces[q->backs[i]];
        struct face_light *back = &q->map.faces[arrlen(q->receivers) + i];
        int count = 3 * back->slots * back->count;
        if (back->count == 0 || back->count != front->count)
            continue;
        for (int k = 0; k < back->style_count; k++) {
            int at = back->direct[k] ? style_of(front, back->styles[k]) : -1;
            if (at >= 0 && front->direct[at]) {
                add(front->direct[at], back->direct[k], count);
            } else if (at >= 0) {
                front->direct[at] = back->direct[k];
                back->direct[k] = NULL;
            }
        }
    }
}

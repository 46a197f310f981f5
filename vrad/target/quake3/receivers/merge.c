/* Surfaces that share luxels. Merged lightmap charts: touching flat surfaces of one plane share a
 * rectangle of luxels, so that light continues without a seam, and borders are stored once. */
#include "vrad/target/quake3/receivers/receivers.h"

#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"

/* Tolerances for equal planes. */
#define SAME_DISTANCE 0.05
#define SAME_NORMAL   1e-4

/* Maximum gap between touching surfaces. */
#define TOUCH 0.125

/* Maximum area of a merged rectangle relative to its parts: what lies between them is wasted. */
#define WASTE 2.0

struct candidate {
    int receiver;
    struct vec3 normal;
    double dist;
    struct bounds box;
    int model;
};

static int compare_numbers(double a, double b, double same)
{
    return fabs(a - b) <= same ? 0 : a < b ? -1 : 1;
}

/* In steps, so that the order is total. */
static double stepped(double value, double step)
{
    return floor(value / step + 0.5);
}

static int by_plane(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->model != y->model)
        return x->model - y->model;
    for (int k = 0; k < 3; k++) {
        double p = stepped(x->normal.e[k], SAME_NORMAL), q = stepped(y->normal.e[k], SAME_NORMAL);
        if (p != q)
            return p < q ? -1 : 1;
    }
    double p = stepped(x->dist, SAME_DISTANCE), q = stepped(y->dist, SAME_DISTANCE);
    if (p != q)
        return p < q ? -1 : 1;
    return x->receiver - y->receiver;
}

static bool same_plane(const struct candidate *a, const struct candidate *b)
{
    if (a->model != b->model || compare_numbers(a->dist, b->dist, 2 * SAME_DISTANCE))
        return false;
    for (int k = 0; k < 3; k++)
        if (compare_numbers(a->normal.e[k], b->normal.e[k], 2 * SAME_NORMAL))
            return false;
    return true;
}

/* The luxels of a box at a size; false when they do not fit a page. */
static bool luxels_of(const struct bounds *box, int axis, double size, int side, int out[2])
{
    int axes[2];
    quake3_luxel_axes(axis, axes);
    for (int k = 0; k < 2; k++) {
        double low = floor(box->mins.e[axes[k]] / size + 1e-4);
        double high = ceil(box->maxs.e[axes[k]] / size - 1e-4);
        if (high - low + 1 > side)
            return false;
        out[k] = (int)portable_fmax(high - low, 1) + 1;
    }
    return true;
}

static bool same_ambient(const struct quake3_light *q, int a, int b)
{
    struct vec3 one = quake3_ambient_of(q, a), two = quake3_ambient_of(q, b);
    return one.x == two.x && one.y == two.y && one.z == two.z;
}

static bool may_merge(const struct quake3_light *q, const struct candidate *a,
                      const struct candidate *b)
{
    const struct receiver *x = &q->receivers[a->receiver], *y = &q->receivers[b->receiver];
    const struct quake3_material *material_x = q->surfaces[x->surfaces[0]].material;
    const struct quake3_material *material_y = q->surfaces[y->surfaces[0]].material;
    int one[2], two[2], all[2];
    if (material_x != material_y || x->stored != y->stored ||
        x->light.no_shadows != y->light.no_shadows || x->size != y->size || x->axis != y->axis ||
        !same_ambient(q, x->surfaces[0], y->surfaces[0]) || !bounds_touch(&a->box, &b->box, TOUCH))
        return false;
    struct bounds box = a->box;
    bounds_add(&box, &b->box);
    return luxels_of(&a->box, x->axis, x->size, q->page_side, one) &&
           luxels_of(&b->box, x->axis, x->size, q->page_side, two) &&
           luxels_of(&box, x->axis, x->size, q->page_side, all) &&
           all[0] * all[1] <= WASTE * (one[0] * one[1] + two[0] * two[1]);
}

static void merge(struct quake3_light *q, struct candidate *to, const struct candidate *from)
{
    struct receiver *into = &q->receivers[to->receiver], *merged = &q->receivers[from->receiver];
    for (ptrdiff_t i = 0; i < arrlen(merged->surfaces); i++) {
        q->surfaces[merged->surfaces[i]].receiver = to->receiver;
        arrput(into->surfaces, merged->surfaces[i]);
    }
    arrsetlen(merged->surfaces, 0);
    bounds_add(&to->box, &from->box);
}

/* Merges candidates of one plane until no more can be merged. */
static void merge_plane(struct quake3_light *q, struct candidate *candidates, int count)
{
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < count; i++) {
            for (int k = i + 1; k < count; k++) {
                if (!may_merge(q, &candidates[i], &candidates[k]))
                    continue;
                merge(q, &candidates[i], &candidates[k]);
                memmove(&candidates[k], &candidates[k + 1],
                        (size_t)(count - k - 1) * sizeof *candidates);
                count--;
                k--;
                more = true;
            }
        }
    }
}

static void drop_empty(struct quake3_light *q)
{
    int kept = 0;
    for (int i = 0; i < (int)arrlen(q->receivers); i++) {
        if (!arrlen(q->receivers[i].surfaces)) {
            arrfree(q->receivers[i].surfaces);
            continue;
        }
        for (ptrdiff_t k = 0; k < arrlen(q->receivers[i].surfaces); k++)
            q->surfaces[q->receivers[i].surfaces[k]].receiver = kept;
        q->receivers[kept++] = q->receivers[i];
    }
    if (q->receivers)
        arrsetlen(q->receivers, (size_t)kept);
}

void quake3_merge_flat(struct quake3_light *q)
{
    struct candidate *candidates = NULL;
    for (ptrdiff_t i = 0; i < arrlen(q->receivers); i++) {
        struct candidate candidate = {.receiver = (int)i};
        int surface = q->receivers[i].surfaces[0];
        if (!quake3_flat_plane(q, surface, &candidate.normal, &candidate.dist))
            continue;
        candidate.model = q->surfaces[surface].model;
        candidate.box = quake3_receiver_box(q, &q->receivers[i]);
        arrput(candidates, candidate);
    }
    if (candidates)
        qsort(candidates, arrlenu(candidates), sizeof *candidates, by_plane);
    for (ptrdiff_t i = 0, end; i < arrlen(candidates); i = end) {
        for (end = i + 1; end < arrlen(candidates); end++)
            if (!same_plane(&candidates[i], &candidates[end]))
                break;
        merge_plane(q, candidates + i, (int)(end - i));
    }
    arrfree(candidates);
    drop_empty(q);
}

/* --- back sides --- */

/* Surfaces that are drawn from both sides have one lightmap, with the direct light that
 * reaches either: their back sides are lit as receivers of their own, and added. Bounced light is
 * that of the front, as both sides have about the same. */

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

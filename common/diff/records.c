/* Compares properties of a face other than its shape, for faces that both maps have. */
#include "common/core/array.h"
#include "common/diff/diff_internal.h"

enum face_field {
    FIELD_TEXINFO,
    FIELD_LIGHTMAP,
    FIELD_SMOOTHING,
    FIELD_SHADOWS,
    FIELD_ON_NODE,
    FIELD_FOG,
    FIELD_DISPLACEMENT,
    FIELD_ID,
    FIELD_MACRO,
    FIELD_BRUSHES,
    FACE_FIELDS
};

static const char *const field_names[FACE_FIELDS] = {
    [FIELD_TEXINFO] = "texture_axes",      [FIELD_LIGHTMAP] = "lightmap_grid",
    [FIELD_SMOOTHING] = "smoothing",       [FIELD_SHADOWS] = "dynamic_shadows",
    [FIELD_ON_NODE] = "on_node",           [FIELD_FOG] = "fog_volume",
    [FIELD_DISPLACEMENT] = "displacement", [FIELD_ID] = "editor_id",
    [FIELD_MACRO] = "macro_texture",       [FIELD_BRUSHES] = "brushes",
};

/* Lists that only newer tools write are compared when both maps have them. */
static bool same_beside(const struct comparison *c, enum face_field field, int a, int b)
{
    const struct bsp *p = c->bsp[0], *q = c->bsp[1];
    switch (field) {
    case FIELD_ID:
        return !p->face_ids || !q->face_ids || p->face_ids[a] == q->face_ids[b];
    case FIELD_MACRO:
        return !p->face_macro_texture || !q->face_macro_texture ||
               p->face_macro_texture[a] == q->face_macro_texture[b];
    default:
        return a >= arrlen(p->face_brushes) || b >= arrlen(q->face_brushes) ||
               p->face_brushes[a].count == q->face_brushes[b].count;
    }
}

static bool same_field(const struct comparison *c, enum face_field field, int a, int b)
{
    const struct bsp_face *p = &c->bsp[0]->faces[a], *q = &c->bsp[1]->faces[b];
    switch (field) {
    case FIELD_TEXINFO:
        return diff_same_texinfo(c, p->texinfo, q->texinfo);
    case FIELD_LIGHTMAP:
        return memcmp(p->lightmap_mins, q->lightmap_mins, sizeof p->lightmap_mins) == 0 &&
               memcmp(p->lightmap_size, q->lightmap_size, sizeof p->lightmap_size) == 0;
    case FIELD_SMOOTHING:
        return p->smoothing_groups == q->smoothing_groups;
    case FIELD_SHADOWS:
        return p->no_dynamic_shadows == q->no_dynamic_shadows;
    case FIELD_ON_NODE:
        return p->on_node == q->on_node;
    case FIELD_FOG:
        return (p->fog_volume < 0) == (q->fog_volume < 0);
    case FIELD_DISPLACEMENT:
        return (p->dispinfo < 0) == (q->dispinfo < 0);
    default:
        return same_beside(c, field, a, b);
    }
}

void diff_face_records(struct comparison *c)
{
    size_t counts[FACE_FIELDS] = {0}, changed = 0;
    diff_need_faces(c);
    diff_count(c, arrlenu(c->faces.to[0]), arrlenu(c->faces.to[1]));
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        bool same = true;
        for (int field = 0; field < FACE_FIELDS && b >= 0; field++) {
            if (same_field(c, (enum face_field)field, i, b))
                continue;
            same = false;
            counts[field]++;
            DIFF_EXAMPLE(c, "%s, face %d of B: %s differs", diff_describe_face(c, 0, i), b,
                         field_names[field]);
        }
        changed += !same;
    }
    diff_differ(c, "changed", changed);
    for (int field = 0; field < FACE_FIELDS; field++)
        diff_figure(c, field_names[field], (double)counts[field]);
}

/* Vertices of primitives are relative to the face's own, so these must be in the same order. */
static bool same_primitives(const struct comparison *c, const struct bsp_face *p,
                            const struct bsp_face *q)
{
    const struct bsp *a = c->bsp[0], *b = c->bsp[1];
    if (p->primitive_count != q->primitive_count)
        return false;
    bool turned = diff_face_turn(c, p, q) != 0;
    for (int i = 0; i < p->primitive_count; i++) {
        const struct bsp_primitive *x = &a->primitives[p->first_primitive + i];
        const struct bsp_primitive *y = &b->primitives[q->first_primitive + i];
        if (x->type != y->type || x->index_count != y->index_count ||
            x->vertex_count != y->vertex_count)
            return false;
        if (!turned && x->index_count &&
            memcmp(a->primitive_indices + x->first_index, b->primitive_indices + y->first_index,
                   (size_t)x->index_count * sizeof *a->primitive_indices) != 0)
            return false;
        for (int k = 0; k < x->vertex_count; k++)
            if (!diff_near(vec3_from_floats(a->primitive_vertices[x->first_vertex + k].p),
                           vec3_from_floats(b->primitive_vertices[y->first_vertex + k].p),
                           c->options->distance))
                return false;
    }
    return true;
}

void diff_primitives(struct comparison *c)
{
    size_t changed = 0;
    diff_count(c, arrlenu(c->bsp[0]->primitives), arrlenu(c->bsp[1]->primitives));
    diff_need_faces(c);
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        if (b < 0 || same_primitives(c, &c->bsp[0]->faces[i], &c->bsp[1]->faces[b]))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s: primitives differ, %d in A, %d in B", diff_describe_face(c, 0, i),
                     c->bsp[0]->faces[i].primitive_count, c->bsp[1]->faces[b].primitive_count);
    }
    diff_differ(c, "faces_changed", changed);
}

/* The normals of the vertices of all faces are consecutive: returns the offset of each face's, or
 * NULL when the number does not match. */
static int64_t *normals_of_faces(struct comparison *c, int side)
{
    const struct bsp *bsp = c->bsp[side];
    int64_t *first = ARENA_ARRAY(&c->scratch, int64_t, arrlenu(bsp->faces) + 1), sum = 0;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        first[i] = sum;
        sum += bsp->faces[i].edge_count;
    }
    return sum == arrlen(bsp->vertex_normal_indices) ? first : NULL;
}

static bool same_normals(const struct comparison *c, int a, int b, const int64_t *const first[2])
{
    const struct bsp *p = c->bsp[0], *q = c->bsp[1];
    int count = p->faces[a].edge_count;
    int turn = diff_face_turn(c, &p->faces[a], &q->faces[b]);
    for (int i = 0; i < count && turn >= 0; i++) {
        int32_t x = p->vertex_normal_indices[first[0][a] + i];
        int32_t y = q->vertex_normal_indices[first[1][b] + (i + turn) % count];
        if (!diff_near(vec3_from_floats(p->vertex_normals[x].p),
                       vec3_from_floats(q->vertex_normals[y].p), 1e-3))
            return false;
    }
    return true;
}

void diff_normals(struct comparison *c)
{
    const int64_t *first[2] = {normals_of_faces(c, 0), normals_of_faces(c, 1)};
    size_t changed = 0;
    diff_count(c, arrlenu(c->bsp[0]->vertex_normal_indices),
               arrlenu(c->bsp[1]->vertex_normal_indices));
    diff_need_faces(c);
    if (!first[0] || !first[1]) {
        diff_differ(c, "only_in_one", !first[0] != !first[1]);
        return;
    }
    for (int i = 0; i < arrlen(c->faces.to[0]); i++) {
        int b = c->faces.to[0][i];
        if (b < 0 || same_normals(c, i, b, first))
            continue;
        changed++;
        DIFF_EXAMPLE(c, "%s: vertex normals differ", diff_describe_face(c, 0, i));
    }
    diff_differ(c, "faces_changed", changed);
}

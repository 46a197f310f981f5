#include "common/bsp/lightmap_extent.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/target/source/materials/overlay.h"

/* Takes the open edge of a face of the same contents from its chain; 0: there is none. */
static int take_open(struct emitter *emitter, int from, int to, int contents)
{
    if (from >= arrlen(emitter->first_open))
        return 0;
    int *link = &emitter->first_open[from];
    while (*link && (emitter->open[*link].to != to || emitter->open[*link].contents != contents))
        link = &emitter->open[*link].next;
    int edge = *link;
    if (edge)
        *link = emitter->open[edge].next;
    return edge;
}

static int add_open(struct emitter *emitter, struct bsp *bsp, int from, int to, int contents)
{
    struct bsp_edge edge = {{from, to}};
    int number = (int)arrlen(bsp->edges);
    arrput(bsp->edges, edge);
    while (arrlen(emitter->first_open) <= from)
        arrput(emitter->first_open, 0);
    struct open_edge open = {to, contents, emitter->first_open[from]};
    arrput(emitter->open, open);
    emitter->first_open[from] = number;
    return number;
}

static void emit_edge(struct compile *compile, int from, int to, int contents)
{
    struct emitter *emitter = source_state(compile)->emitter;
    int edge = 0;
    if (!compile->options->no_share)
        edge = -take_open(emitter, to, from, contents);
    if (!edge)
        edge = add_open(emitter, compile->bsp, from, to, contents);
    arrput(compile->bsp->surfedges, edge);
}

static void emit_outline(struct compile *compile, const int *vertices, int contents,
                         struct bsp_face *record)
{
    record->first_edge = (int32_t)arrlen(compile->bsp->surfedges);
    record->edge_count = (int32_t)arrlen(vertices);
    for (size_t i = 0; i < arrlenu(vertices); i++)
        emit_edge(compile, vertices[i], vertices[(i + 1) % arrlenu(vertices)], contents);
}

/* The original face: the whole brush side, once for all faces made from it. As in compiled maps,
 * fields other than the outline and the material are unused. */
static int original_of(struct compile *compile, const struct face *face)
{
    struct source_state *state = source_state(compile);
    struct emitter *emitter = state->emitter;
    struct bsp *bsp = compile->bsp;
    ptrdiff_t at = hmgeti(emitter->originals, face->side);
    if (at >= 0)
        return emitter->originals[at].value;
    struct bsp_face record = {
        .plane = face->plane,
        .side = face->plane & 1,
        .on_node = face->on_node || face->displacement,
        .texinfo = face->side->texinfo,
        .dispinfo = -1,
        .original_face = -1,
    };
    int *vertices = vertex_pool_outline(&state->pool, face->side->winding);
    emit_outline(compile, vertices, face->contents, &record);
    arrfree(vertices);
    int number = (int)arrlen(bsp->original_faces);
    arrput(bsp->original_faces, record);
    hmput(emitter->originals, face->side, number);
    return number;
}

/* Stretched texture axes can give any number. */
static int32_t whole_luxel(float luxel)
{
    const float max = 0x1p29f;
    return (int32_t)portable_fmaxf(-max, portable_fminf(max, luxel));
}

/* The lightmap in whole luxels; unlit faces have none. */
static void set_lightmap(const struct compile *compile, const struct face *face,
                         struct bsp_face *record)
{
    const struct bsp_texinfo *texinfo = &compile->texinfos.items[face->texinfo];
    int border = compile->options->lightmap_border && !face->displacement ? LIGHTMAP_BORDER : 0;
    if (texinfo->flags & SURFACE_NOLIGHT)
        return;
    for (int axis = 0; axis < 2; axis++) {
        float low = 0, high = 0;
        for (size_t i = 0; i < arrlenu(face->vertices); i++) {
            const float *point = compile->bsp->vertices[face->vertices[i]].p;
            float at = lightmap_coordinate(texinfo->lightmap[axis], point);
            low = i && low < at ? low : at;
            high = i && high > at ? high : at;
        }
        record->lightmap_mins[axis] = whole_luxel(floorf(low)) - border;
        record->lightmap_size[axis] =
            whole_luxel(ceilf(high)) + border - record->lightmap_mins[axis];
    }
}

static bool is_unshadowed(const struct emitter *emitter, const struct face *face)
{
    for (size_t i = 0; i < arrlenu(emitter->unshadowed) && face->side->map_side; i++)
        if (emitter->unshadowed[i] == face->side->map_side->id)
            return true;
    return false;
}

static void emit_one(struct compile *compile, struct face *face)
{
    struct bsp *bsp = compile->bsp;
    struct source_state *state = source_state(compile);
    struct bsp_face record = {
        .plane = face->plane,
        .side = face->plane & 1,
        .on_node = face->on_node,
        .texinfo = face->texinfo,
        .dispinfo = -1,
        .fog_volume = -1,
        .light_offset = -1,
        .area = (float)outline_area(&state->pool, face->vertices, 0, (int)arrlen(face->vertices)),
        .no_dynamic_shadows = is_unshadowed(state->emitter, face),
        .primitive_count = face->primitive_count,
        .first_primitive = face->first_primitive,
        .smoothing_groups = face->smoothing_groups,
    };
    memset(record.styles, BSP_STYLE_NONE, sizeof record.styles);
    record.original_face = original_of(compile, face);
    emit_outline(compile, face->vertices, face->contents, &record);
    set_lightmap(compile, face, &record);
    face->number = (int)arrlen(bsp->faces);
    if (face->displacement)
        displacement_take_face(compile, face, &record);
    arrput(bsp->faces, record);
    arrput(state->face_sides, face->side);
    arrput(bsp->face_ids, (uint16_t)(face->side->map_side ? face->side->map_side->id : 0));
    overlays_add_face(compile, face->side, face->number);
}

void emit_face(struct compile *compile, struct face *face)
{
    if (face->split[0]) {
        emit_face(compile, face->split[0]);
        emit_face(compile, face->split[1]);
        return;
    }
    if (arrlenu(face->vertices) >= 3 && (face->on_node || face->in_leaf || face->displacement))
        emit_one(compile, face);
}

/* Writes the records of faces, and the texinfo that records use. */
#include "vbsp/target/source/emit/emitter.h"

#include "common/bsp/face_records.h"
#include "common/bsp/lightmap_extent.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "vbsp/faces/outline.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/materials/material_patch.h"
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

/* --- texinfo --- */

/* Selects the texinfo to write. Faces keep theirs. A brush side without a face takes one with the
 * same flags and surface property if there is one, since only those two matter for collision. All
 * sky is one texinfo. */

enum { SKY_FLAGS = SURFACE_SKY | SURFACE_SKY2D };

struct texinfo_keeper {
    struct compile *compile;
    bool *kept;  /* stb_ds array, one per texinfo, like the next two */
    int *same;   /* its replacement */
    int *number; /* new number */
};

/* A material whose surface property is unknown (without a VMT) matches only itself and the copies
 * made of it for the map. */
static bool same_surface(struct compile *compile, const struct material *a,
                         const struct material *b)
{
    return a == b || material_patch_base(compile, a) == material_patch_base(compile, b) ||
           (*a->surface_prop && str_equal_nocase(a->surface_prop, b->surface_prop));
}

static bool behaves_alike(struct compile *compile, int a, int b)
{
    const struct texinfo_set *set = &compile->texinfos;
    return set->items[a].flags == set->items[b].flags &&
           same_surface(compile, set->materials[a], set->materials[b]);
}

/* The first texinfo of such a sky that a face shows, or the first at all; -1 without one. */
static int texinfo_of_sky(const struct compile *compile, int kind)
{
    const struct bsp_texinfo *items = compile->texinfos.items;
    const struct bsp *bsp = compile->bsp;
    int first = -1;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        int texinfo = bsp->faces[i].texinfo;
        if (texinfo >= 0 && (items[texinfo].flags & SKY_FLAGS) == kind &&
            (first < 0 || texinfo < first))
            first = texinfo;
    }
    for (int i = 0; i < (int)arrlen(items) && first < 0; i++)
        if ((items[i].flags & SKY_FLAGS) == kind)
            first = i;
    return first;
}

static void join_skies(struct texinfo_keeper *keeper)
{
    static const int kinds[2] = {SURFACE_SKY, SKY_FLAGS};
    const struct texinfo_set *set = &keeper->compile->texinfos;
    for (int i = 0; i < (int)arrlen(set->items); i++) {
        arrput(keeper->same, i);
        arrput(keeper->kept, false);
    }
    for (int k = 0; k < 2; k++) {
        int sky = texinfo_of_sky(keeper->compile, kinds[k]);
        for (int i = 0; i < (int)arrlen(set->items) && sky >= 0; i++)
            if ((set->items[i].flags & SKY_FLAGS) == kinds[k])
                keeper->same[i] = sky;
    }
}

static void keep_texinfo(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    if (*texinfo < 0)
        return;
    *texinfo = keeper->same[*texinfo];
    keeper->kept[*texinfo] = true;
}

/* Replaces it by one that is kept, if any. */
static void replace_texinfo(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    const struct texinfo_set *set = &keeper->compile->texinfos;
    if (*texinfo >= 0 && !keeper->kept[keeper->same[*texinfo]]) {
        for (int i = 0; i < (int)arrlen(set->items); i++) {
            if (keeper->kept[i] && behaves_alike(keeper->compile, i, *texinfo)) {
                *texinfo = i;
                return;
            }
        }
    }
    keep_texinfo(keeper, texinfo);
}

typedef void texinfo_visit(struct texinfo_keeper *keeper, int32_t *texinfo);

/* Visits all references of records: those of drawn faces, and others. */
static void visit_texinfo(struct texinfo_keeper *keeper, texinfo_visit *drawn, texinfo_visit *other)
{
    struct bsp *bsp = keeper->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        drawn(keeper, &bsp->faces[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++)
        drawn(keeper, &bsp->leaf_water[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->brush_sides); i++)
        other(keeper, &bsp->brush_sides[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->original_faces); i++)
        other(keeper, &bsp->original_faces[i].texinfo);
    /* Last, so that no brush side takes one of these, which have no mapping. */
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        drawn(keeper, &bsp->overlays[i].texinfo);
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        drawn(keeper, &bsp->water_overlays[i].texinfo);
}

static int32_t add_texdata(struct compile *compile, int *numbers, int texdata)
{
    struct bsp *bsp = compile->bsp;
    if (numbers[texdata] >= 0)
        return numbers[texdata];
    struct bsp_texdata record = compile->texinfos.texdata[texdata];
    const char *name = compile->texinfos.names[texdata];
    size_t size = strlen(name) + 1;
    char *copy = memory_alloc(size);
    memcpy(copy, name, size);
    record.name = (int32_t)arrlen(bsp->texture_names);
    arrput(bsp->texture_names, copy);
    arrput(bsp->texdata, record);
    return numbers[texdata] = (int)arrlen(bsp->texdata) - 1;
}

static void write_kept(struct texinfo_keeper *keeper)
{
    struct compile *compile = keeper->compile;
    int *texdata = NULL;
    for (size_t i = 0; i < arrlenu(compile->texinfos.texdata); i++)
        arrput(texdata, -1);
    for (size_t i = 0; i < arrlenu(compile->texinfos.items); i++) {
        arrput(keeper->number, (int)arrlen(compile->bsp->texinfo));
        if (!keeper->kept[i])
            continue;
        struct bsp_texinfo record = compile->texinfos.items[i];
        record.texdata = add_texdata(compile, texdata, record.texdata);
        arrput(compile->bsp->texinfo, record);
    }
    arrfree(texdata);
}

static void renumber(struct texinfo_keeper *keeper, int32_t *texinfo)
{
    if (*texinfo >= 0)
        *texinfo = keeper->number[*texinfo];
}

void emit_texinfo(struct compile *compile)
{
    struct texinfo_keeper keeper = {.compile = compile};
    join_skies(&keeper);
    visit_texinfo(&keeper, keep_texinfo, replace_texinfo);
    write_kept(&keeper);
    visit_texinfo(&keeper, renumber, renumber);
    arrfree(keeper.kept);
    arrfree(keeper.same);
    arrfree(keeper.number);
}

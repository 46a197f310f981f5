/* Writes finished trees as records, in the order of a model's lumps. */
#include "vbsp/target/source/emit/emit.h"

#include "common/bsp/face_records.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emitter.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/tree/tree_write.h"

/* Adds the keys that depend on the faces, and writes the entity lump. */

static bool has_class(const struct compile *compile, const char *name)
{
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (!compile->entities[i].dropped && entity_is(&compile->entities[i].keys, name))
            return true;
    return false;
}

/* Without one the engine would always draw water at full detail. */
static void add_water_lod_control(struct compile *compile)
{
    static const struct key_value pairs[] = {{"cheapwaterenddistance", "2000"},
                                             {"cheapwaterstartdistance", "1000"},
                                             {"classname", "water_lod_control"}};
    struct compile_entity control = {.model = -1};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        arrput(control.keys.pairs, pairs[i]);
    arrput(compile->entities, control);
}

static void keep_bounds(struct compile *compile)
{
    static const char *const keys[] = {"world_mins", "world_maxs"};
    for (int i = 0; i < 2; i++)
        if (entity_has(source_state(compile)->old_world, keys[i]))
            entity_lump_set(&compile->entities[0].keys, &compile->arena, keys[i],
                            entity_value(source_state(compile)->old_world, keys[i]));
}

static void add_face(const struct bsp *bsp, const struct bsp_face *face, struct bounds *bounds)
{
    for (int i = 0; i < face->edge_count; i++)
        bounds_add_point(bounds, bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i)));
}

/* Marks the faces listed by leaves of 3D sky areas, those with a sky_camera. */
static bool *faces_of_sky_areas(const struct compile *compile)
{
    const struct bsp *bsp = compile->bsp;
    bool *faces = NULL;
    arrsetlen(faces, arrlenu(bsp->faces));
    for (size_t i = 0; i < arrlenu(faces); i++)
        faces[i] = false;
    for (size_t i = 1; i < arrlenu(compile->entities) && arrlenu(bsp->leaves); i++) {
        struct vec3 origin;
        if (!entity_is(&compile->entities[i].keys, "sky_camera") ||
            !entity_vector(&compile->entities[i].keys, "origin", &origin))
            continue;
        int area = bsp->leaves[bsp_leaf_at(bsp, 0, origin)].area;
        for (size_t j = 0; area > 0 && j < arrlenu(bsp->leaves); j++) {
            const struct bsp_leaf *leaf = &bsp->leaves[j];
            for (int k = 0; leaf->area == area && k < leaf->face_count; k++)
                faces[bsp->leaf_faces[leaf->first_face + k]] = true;
        }
        if (area > 0)
            displacements_mark_area(compile, area, faces);
    }
    return faces;
}

/* The bounds of the world's drawn faces without 2D and 3D sky. Truncated to integers, they match
 * all of 33 compiled maps that were compared. */
static struct bounds world_bounds(const struct compile *compile)
{
    const struct bsp *bsp = compile->bsp;
    struct bounds bounds = bounds_empty();
    const struct bsp_model *world = &bsp->models[0];
    bool *sky_faces = faces_of_sky_areas(compile);
    for (int i = world->first_face; i < world->first_face + world->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[i];
        bool sky = face->texinfo >= 0 &&
                   (bsp->texinfo[face->texinfo].flags & (SURFACE_SKY | SURFACE_SKY2D));
        if (sky || sky_faces[i])
            continue;
        add_face(bsp, face, &bounds);
        if (face->dispinfo >= 0)
            displacement_add_bounds(compile, face->dispinfo, &bounds);
    }
    arrfree(sky_faces);
    if (bounds_is_empty(&bounds))
        bounds.mins = bounds.maxs = vec3(0, 0, 0);
    return bounds;
}

static void set_point(struct compile *compile, const char *key, struct vec3 point)
{
    const char *value =
        arena_printf(&compile->arena, "%d %d %d", (int)point.x, (int)point.y, (int)point.z);
    entity_lump_set(&compile->entities[0].keys, &compile->arena, key, value);
}

/* Drops the keys of later tools. */
static void drop_later_keys(struct compile *compile)
{
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        entity_remove(&compile->entities[i].keys, "hammerid");
    entity_remove(&compile->entities[0].keys, "mapversion");
}

void entities_finish(struct compile *compile)
{
    if (source_state(compile)->old_world) {
        keep_bounds(compile);
    } else if (arrlen(compile->bsp->models) > 0) {
        struct bounds bounds = world_bounds(compile);
        set_point(compile, "world_mins", bounds.mins);
        set_point(compile, "world_maxs", bounds.maxs);
    }
    if (arrlen(compile->bsp->leaf_water) > 0 && !has_class(compile, "water_lod_control"))
        add_water_lod_control(compile);
    if (compile->options->of_2007)
        drop_later_keys(compile);
    entities_write(compile);
}

/* Writes records that belong to no model. */

void emit_brushes(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        struct bsp_brush record = {.first_side = (int32_t)arrlen(bsp->brush_sides),
                                   .side_count = brush->side_count,
                                   .contents = brush->contents};
        arrput(bsp->brushes, record);
        for (int j = 0; j < brush->side_count; j++) {
            struct bsp_brush_side side = {.plane = brush->sides[j].record_plane,
                                          .texinfo = brush->sides[j].record_texinfo,
                                          .bevel = brush->sides[j].bevel};
            arrput(bsp->brush_sides, side);
        }
    }
}

enum { NO_MACRO_TEXTURE = 65535 };

struct normal_cell {
    struct bsp_vertex key;
    int value;
};

/* Adds flat normals: one per vertex of each face, without duplicate vectors. */
static void add_normals(struct bsp *bsp)
{
    struct normal_cell *known = NULL;
    for (size_t i = 0; i < arrlenu(bsp->faces); i++) {
        const float *normal = bsp->planes[bsp->faces[i].plane].normal;
        struct bsp_vertex key = {{normal[0] + 0.0f, normal[1] + 0.0f, normal[2] + 0.0f}};
        ptrdiff_t at = hmgeti(known, key);
        int number = at < 0 ? (int)arrlen(bsp->vertex_normals) : known[at].value;
        if (at < 0) {
            arrput(bsp->vertex_normals, key);
            hmput(known, key, number);
        }
        for (int j = 0; j < bsp->faces[i].edge_count; j++)
            arrput(bsp->vertex_normal_indices, number);
    }
    hmfree(known);
}

void emit_fillers(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    add_normals(bsp);
    /* 0 until vvis computes the distance, so that a map without visibility draws its water. */
    for (size_t i = 0; i < arrlenu(bsp->leaves); i++)
        arrput(bsp->leaf_min_dist_to_water, 0);
    for (size_t i = 0; i < arrlenu(bsp->faces); i++)
        arrput(bsp->face_macro_texture, NO_MACRO_TEXTURE);
}

/* --- emit --- */

struct emitter;

/* Units by which vertices may leave the bounds of their brushes by snapping. */
#define BOUNDS_ROUNDING 0.5f

/* Reads the sides named by info_no_dynamic_shadow entities. */
static void read_unshadowed(const struct compile *compile, struct emitter *emitter)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!map_entity || !entity_is(&map_entity->keys, "info_no_dynamic_shadow"))
            continue;
        int *sides = side_list_read(entity_value(&map_entity->keys, "sides"));
        for (size_t j = 0; j < arrlenu(sides); j++)
            arrput(emitter->unshadowed, sides[j]);
        arrfree(sides);
    }
}

void emit_begin(struct compile *compile)
{
    struct bsp *bsp = compile->bsp;
    struct emitter *emitter = memory_zalloc(1, sizeof *emitter);
    /* Surfedges are signed, so edge 0 is reserved; leaf 0 is the outside of the world. */
    struct bsp_edge edge = {{0, 0}};
    arrput(bsp->edges, edge);
    struct open_edge closed = {0};
    arrput(emitter->open, closed);
    struct bsp_leaf leaf = {.contents = CONTENTS_SOLID, .water_data = -1};
    arrput(bsp->leaves, leaf);
    read_unshadowed(compile, emitter);
    source_state(compile)->emitter = emitter;
}

void emit_free(struct compile *compile)
{
    struct emitter *emitter = source_state(compile)->emitter;
    if (!emitter)
        return;
    arrfree(emitter->first_open);
    arrfree(emitter->open);
    hmfree(emitter->originals);
    arrfree(emitter->unshadowed);
    memory_free(emitter);
    source_state(compile)->emitter = NULL;
}

/* A model has the bounds of its brushes, drawn or not. */
static void set_bounds(const struct compile *compile, int entity, struct bsp_model *model)
{
    struct bounds bounds = entity
                               ? compile_brushes_bounds(compile, compile->entities[entity].brushes)
                               : compile_world_bounds(compile);
    for (int i = 0; i < 3 && !bounds_is_empty(&bounds); i++) {
        model->mins[i] = (float)bounds.mins.e[i];
        model->maxs[i] = (float)bounds.maxs.e[i];
    }
}

/* Faces between almost coplanar sides of a brush may reach out of it, into the void. */
static void hold_faces(const struct bsp *bsp, struct bsp_model *model)
{
    for (int i = 0; i < model->face_count; i++) {
        const struct bsp_face *face = &bsp->faces[model->first_face + i];
        for (int j = 0; j < face->edge_count && face->dispinfo < 0; j++) {
            struct vec3 p = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, j));
            for (int k = 0; k < 3; k++) {
                float at = (float)p.e[k];
                if (at < model->mins[k] - BOUNDS_ROUNDING)
                    model->mins[k] = at;
                if (at > model->maxs[k] + BOUNDS_ROUNDING)
                    model->maxs[k] = at;
            }
        }
    }
}

static void emit_list(struct compile *compile, struct face *list, bool displacements)
{
    for (struct face *face = list; face; face = face->next)
        if (!face->merged && face->displacement == displacements)
            emit_face(compile, face);
}

static void free_node_outlines(struct node *node)
{
    if (node->plane == PLANE_LEAF)
        return;
    face_list_free_outlines(node->faces);
    free_node_outlines(node->children[0]);
    free_node_outlines(node->children[1]);
}

static void set_leaf(void *context, const struct node *leaf, struct bsp_leaf *record)
{
    struct compile *compile = context;
    bool solid = leaf->contents & CONTENTS_SOLID;
    *record = (struct bsp_leaf){
        .contents = solid ? CONTENTS_SOLID : leaf->contents,
        .cluster = solid ? -1 : leaf->cluster,
        .area = solid ? 0 : leaf->area,
        .flags = LEAF_SKY, /* until lighting, any leaf may see the sky */
        .water_data = leaf->water_data,
    };
    /* Areaportals do not collide: their brushes are in no leaf. */
    for (const struct brush *fragment = leaf->brushes; fragment; fragment = fragment->next)
        if (!(fragment->original->contents & CONTENTS_AREAPORTAL))
            arrput(compile->bsp->leaf_brushes, fragment->original->number);
}

static void emit_node_faces(void *context, const struct node *node)
{
    for (struct face *face = node->faces; face; face = face->next)
        if (!face->merged)
            emit_face(context, face);
}

static void list_face(void *context, struct face *face)
{
    struct bsp *bsp = context;
    if (face->number >= 0)
        arrput(bsp->leaf_faces, face->number);
}

/* Fills the face lists of the leaves; every face has its number. */
static void list_faces(struct bsp *bsp, const struct node *node)
{
    if (node->plane != PLANE_LEAF) {
        list_faces(bsp, node->children[0]);
        list_faces(bsp, node->children[1]);
        return;
    }
    size_t first = arrlenu(bsp->leaf_faces);
    for (struct leaf_item *item = node->leaf_faces; item; item = item->next)
        face_final(item->face, list_face, bsp);
    list_sort_unique(bsp->leaf_faces, first);
    bsp->leaves[node->index].first_face = (int32_t)first;
    bsp->leaves[node->index].face_count = (int32_t)(arrlenu(bsp->leaf_faces) - first);
}

void emit_model(struct compile *compile, int entity, struct tree *tree, struct face *loose)
{
    struct bsp *bsp = compile->bsp;
    const struct tree_writer writer = {
        .bsp = bsp, .context = compile, .leaf = set_leaf, .faces = emit_node_faces};
    struct bsp_model model = {.first_face = (int32_t)arrlen(bsp->faces)};
    set_bounds(compile, entity, &model);
    water_find(compile, tree, (int)arrlen(bsp->models));
    emit_list(compile, loose, false);
    model.head_node = tree_write(&writer, tree);
    emit_list(compile, loose, true);
    list_faces(bsp, tree->root);
    model.face_count = (int32_t)arrlen(bsp->faces) - model.first_face;
    hold_faces(bsp, &model);
    arrput(bsp->models, model);
    face_list_free_outlines(loose);
    free_node_outlines(tree->root);
}

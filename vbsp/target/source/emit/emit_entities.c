/* Adds the keys that depend on the faces, and writes the entity lump. */
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "vbsp/level/entity_lump.h"
#include "vbsp/target/source/displacements/displacement.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/state.h"

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

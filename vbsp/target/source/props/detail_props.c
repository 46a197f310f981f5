#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/bsp/bsp.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/random.h"
#include "common/core/strings.h"
#include "common/diag/codes/props.def"
#include "common/geom/angle.h"
#include "common/geom/epsilon.h"
#include "common/geom/vec.h"
#include "vbsp/csg/brush.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/target/source/props/detail_types.h"
#include "vbsp/target/source/props/prop_internal.h"
#include "vbsp/target/source/props/props.h"

/* Points on the mesh of a displacement. */

struct detail_ground {
    const struct bsp_disp_vertex *vertices; /* of the displacement */
    int side;                               /* vertices per side */
    struct vec3 corners[4]; /* of the face, starting with the displacement's first */
};

/* False when the face does not have four corners, or its records are missing. */
static bool detail_ground_of(const struct bsp *bsp, const struct bsp_face *face,
                             struct detail_ground *out)
{
    if (face->edge_count != 4 || face->dispinfo < 0 || face->dispinfo >= arrlen(bsp->displacements))
        return false;
    const struct bsp_displacement *record = &bsp->displacements[face->dispinfo];
    if (record->power < 2 || record->power > 4)
        return false;
    int side = (1 << record->power) + 1, first = 0;
    if (record->first_vertex < 0 ||
        record->first_vertex > arrlen(bsp->disp_vertices) - (ptrdiff_t)side * side)
        return false;
    struct vec3 start =
        vec3((double)record->start[0], (double)record->start[1], (double)record->start[2]);
    struct vec3 corners[4];
    for (int i = 0; i < 4; i++) {
        corners[i] = bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, i));
        if (vec3_distance(corners[i], start) < vec3_distance(corners[first], start))
            first = i;
    }
    *out =
        (struct detail_ground){.vertices = &bsp->disp_vertices[record->first_vertex], .side = side};
    for (int i = 0; i < 4; i++)
        out->corners[i] = corners[(first + i) % 4];
    return true;
}

static double triangle_area(struct vec3 a, struct vec3 b, struct vec3 c)
{
    return vec3_length(vec3_cross(vec3_sub(b, a), vec3_sub(c, a))) / 2;
}

static double detail_ground_area(const struct detail_ground *ground)
{
    const struct vec3 *p = ground->corners;
    return triangle_area(p[0], p[1], p[2]) + triangle_area(p[0], p[2], p[3]);
}

static struct vec3 vertex_at(const struct detail_ground *ground, int row, int column)
{
    const struct bsp_disp_vertex *vertex = &ground->vertices[row * ground->side + column];
    const struct vec3 *p = ground->corners;
    double last = ground->side - 1, along = row / last;
    struct vec3 flat =
        vec3_lerp(vec3_lerp(p[0], p[1], along), vec3_lerp(p[3], p[2], along), column / last);
    const float *v = vertex->vector;
    return vec3_mad(flat, vec3((double)v[0], (double)v[1], (double)v[2]), (double)vertex->distance);
}

/* The triangle of a cell that contains the point: its corners as numbers 0 to 3 (bit 0: next
 * column, bit 1: next row), in the order in which the normal points up, and their weights. */
static void find_triangle(bool even, double x, double y, int corners[3], double weights[3])
{
    static const int triangles[4][3] = {{0, 2, 3}, {0, 3, 1}, {0, 2, 1}, {1, 2, 3}};
    const double all[4][3] = {
        {1 - y, y - x, x}, {1 - x, y, x - y}, {1 - x - y, y, x}, {1 - y, 1 - x, x + y - 1}};
    int number = even ? y < x : 2 + (x + y > 1);
    for (int i = 0; i < 3; i++) {
        corners[i] = triangles[number][i];
        weights[i] = all[number][i];
    }
}

/* The point at fraction u along a row and v along a column, and the normal of its triangle. Returns
 * the alpha, 0 to 1. */
static double detail_ground_at(const struct detail_ground *ground, double u, double v,
                               struct vec3 *at, struct vec3 *normal)
{
    int cells = ground->side - 1, corners[3];
    int column = (int)portable_fmin(u * cells, cells - 1),
        row = (int)portable_fmin(v * cells, cells - 1);
    double x = u * cells - column, y = v * cells - row, weights[3], alpha = 0;
    struct vec3 points[3];
    find_triangle((row * ground->side + column) % 2 == 0, x, y, corners, weights);
    *at = vec3(0, 0, 0);
    for (int i = 0; i < 3; i++) {
        points[i] = vertex_at(ground, row + (corners[i] >> 1), column + (corners[i] & 1));
        *at = vec3_mad(*at, points[i], weights[i]);
    }
    *normal =
        vec3_normalize(vec3_cross(vec3_sub(points[2], points[0]), vec3_sub(points[1], points[0])));
    for (int i = 0; i < 4; i++) {
        int number = (row + (i >> 1)) * ground->side + column + (i & 1);
        alpha += (double)ground->vertices[number].alpha / 255 * (i & 1 ? x : 1 - x) *
                 (i & 2 ? y : 1 - y);
    }
    return alpha;
}

/* --- detail props --- */

enum {
    OBJECTS_MAX = 65535,
    SAMPLES_MAX = 1 << 22, /* per triangle: above any reasonable density */
    GREY = 128,            /* colour until the map is lit */
};

/* Distance from its surface, in units, of the point in whose leaf an object is. */
#define OFF_SURFACE 0.1

struct named_number {
    char *key;
    int value; /* -1: the model is missing */
};

struct grower {
    struct compile *compile;
    const struct map_brush **blockers; /* stb_ds array */
    const struct detail_growth *types;
    struct named_number *models;  /* stb_ds map */
    struct named_number *unknown; /* stb_ds map: reported types */
    struct detail_props props;
    struct arena arena;
    uint32_t random;
    int bare; /* number of displacements without records that have a detail type */
    bool full;
};

/* Fifteen bits of a linear congruential generator, seeded with the editor's number of the side:
 * positions then match Valve's. */
static double draw_random(struct grower *grower)
{
    grower->random = grower->random * 214013u + 2531011u;
    return (double)(grower->random >> 16 & 0x7fff) / 32767;
}

static bool same_sprites(const struct detail_sprite *a, const struct detail_sprite *b)
{
    for (int i = 0; i < 2; i++)
        if (a->upper_left[i] != b->upper_left[i] || a->lower_right[i] != b->lower_right[i] ||
            a->texture_upper_left[i] != b->texture_upper_left[i] ||
            a->texture_lower_right[i] != b->texture_lower_right[i])
            return false;
    return true;
}

static int sprite_number(struct grower *grower, const struct detail_sprite *sprite)
{
    for (size_t i = 0; i < arrlenu(grower->props.sprites); i++)
        if (same_sprites(&grower->props.sprites[i], sprite))
            return (int)i;
    arrput(grower->props.sprites, *sprite);
    return (int)arrlen(grower->props.sprites) - 1;
}

/* -1 when the game does not have it, which is reported once. */
static int model_number(struct grower *grower, const char *text, const struct diag_where *where)
{
    const char *name = asset_name(&grower->arena, text);
    if (!grower->models)
        sh_new_strdup(grower->models);
    if (!name)
        return -1;
    ptrdiff_t at = shgeti(grower->models, name);
    if (at >= 0)
        return grower->models[at].value;
    struct bytes file = {0};
    int number = -1;
    if (assets_read(grower->compile->assets, name, &file)) {
        number = (int)arrlen(grower->props.models);
        arrput(grower->props.models, str_copy(name));
    } else {
        (void)diag_report(grower->compile->env->diag, DIAG_DETAIL_MODEL_MISSING, where, "\"%s\"",
                          name);
    }
    bytes_free(&file);
    shput(grower->models, name, number);
    return number;
}

/* An open leaf at the object, or -1. A surface lies on the planes of leaves, so that only a point
 * off it is surely outside of its solid. `normal` is that of the surface; 0 without one. */
static int leaf_of(const struct bsp *bsp, struct vec3 at, struct vec3 normal)
{
    const struct vec3 places[] = {vec3_mad(at, vec3(0, 0, 1), OFF_SURFACE), at,
                                  vec3_mad(at, normal, OFF_SURFACE)};
    for (int i = 0; i < 3; i++) {
        int leaf = bsp_leaf_at(bsp, 0, places[i]);
        if (!(bsp->leaves[leaf].contents & CONTENTS_SOLID))
            return leaf;
    }
    return -1;
}

/* Drops objects inside solids, and those beyond the limit of the file. */
static void add_object(struct grower *grower, struct detail_object *object, struct vec3 at,
                       struct vec3 normal, struct vec3 angles)
{
    int leaf = leaf_of(grower->compile->bsp, at, normal);
    if (leaf < 0)
        return;
    if (arrlen(grower->props.objects) >= OBJECTS_MAX) {
        grower->full = true;
        return;
    }
    for (int i = 0; i < 3; i++) {
        object->origin[i] = detail_number(at.e[i]);
        object->angles[i] = detail_number(angles.e[i]);
    }
    object->leaf = leaf;
    object->light = (struct bsp_colour){GREY, GREY, GREY, 0};
    arrput(grower->props.objects, *object);
}

/* Angles with the normal as up axis, rotated about it. */
static struct vec3 angles_on(struct vec3 normal, double yaw)
{
    struct vec3 side = fabs(normal.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
    struct vec3 y = vec3_normalize(vec3_cross(normal, side)), x = vec3_cross(y, normal);
    struct vec3 forward = vec3_add(vec3_scale(x, portable_cos(yaw * DEGREE)),
                                   vec3_scale(y, portable_sin(yaw * DEGREE)));
    struct vec3 left = vec3_cross(normal, forward);
    double level = portable_hypot(forward.x, forward.y);
    if (level < 1e-3)
        return vec3(portable_atan2(-forward.z, level) / DEGREE,
                    portable_atan2(-left.x, left.y) / DEGREE, 0);
    return vec3(portable_atan2(-forward.z, level) / DEGREE,
                portable_atan2(forward.y, forward.x) / DEGREE,
                portable_atan2(left.z, normal.z) / DEGREE);
}

/* Around 1 with the given deviation, and never negative. */
static double random_scale(const struct grower *grower, double deviation)
{
    uint64_t item = (uint64_t)arrlen(grower->props.objects);
    double radius = sqrt(-2 * portable_log(1 - random_unit(item, 0)));
    double scale = 1 + deviation * radius * portable_cos(2 * PI * random_unit(item, 1));
    return portable_fmax(scale, 0.05);
}

/* Lists the brushes of func_detail_blockers. */
static const struct map_brush **find_blockers(const struct compile *compile)
{
    const struct map_brush **found = NULL;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        for (size_t k = 0; k < arrlenu(entity->brushes) && entity->use == USE_DETAIL_BLOCKER; k++)
            arrput(found, compile->brushes[entity->brushes[k]]);
    }
    return found;
}

static bool is_blocked(const struct grower *grower, struct vec3 at)
{
    for (size_t i = 0; i < arrlenu(grower->blockers); i++)
        if (map_brush_contains(grower->blockers[i], grower->compile->planes.planes, at,
                               EPSILON_BRUSH_CLIP))
            return true;
    return false;
}

static void grow_kind(struct grower *grower, const struct detail_kind *kind, struct vec3 at,
                      struct vec3 normal)
{
    if (kind->min_slope > -2 && kind->max_slope > -2 && normal.z < kind->min_slope) {
        double chance = (normal.z - kind->max_slope) / (kind->min_slope - kind->max_slope);
        if (normal.z < kind->max_slope || draw_random(grower) > chance)
            return;
    }
    double yaw = 360 * draw_random(grower);
    struct vec3 angles = kind->upright ? vec3(0, yaw, 0) : angles_on(normal, yaw);
    struct detail_object object = {.type = (uint8_t)kind->type,
                                   .orientation = (uint8_t)kind->orientation,
                                   .sway = kind->sway,
                                   .shape_angle = kind->shape_angle,
                                   .shape_size = kind->shape_size,
                                   .scale = 1};
    struct diag_where where = {.file = grower->compile->level->file};
    object.model = kind->model ? model_number(grower, kind->model, &where)
                               : sprite_number(grower, &kind->sprite);
    if (kind->random_scale > 0)
        object.scale = detail_number(random_scale(grower, kind->random_scale));
    if (object.model >= 0 && !is_blocked(grower, at))
        add_object(grower, &object, at, normal, angles);
}

/* Between two groups the closer one is more likely. */
static const struct detail_group *group_at(struct grower *grower,
                                           const struct detail_growth *growth, double alpha)
{
    const struct detail_group *groups = growth->groups;
    size_t low = 0;
    if (growth->group_count == 1)
        return groups;
    double pick = draw_random(grower);
    while (low + 2 < growth->group_count && alpha >= groups[low + 1].alpha)
        low++;
    double gap = groups[low + 1].alpha - groups[low].alpha;
    double part = gap > 0 ? (alpha - groups[low].alpha) / gap : 1;
    return &groups[pick <= part ? low + 1 : low];
}

static void grow_at(struct grower *grower, const struct detail_growth *growth, double alpha,
                    struct vec3 at, struct vec3 normal)
{
    const struct detail_group *group = group_at(grower, growth, alpha);
    double pick = draw_random(grower);
    for (size_t i = 0; i < group->kind_count; i++) {
        if (pick > group->kinds[i].amount)
            continue;
        grow_kind(grower, &group->kinds[i], at, normal);
        return;
    }
}

static int sample_count(const struct detail_growth *growth, double area)
{
    return (int)portable_fmin(area * growth->density * 1e-6, SAMPLES_MAX);
}

static void grow_on_triangle(struct grower *grower, const struct detail_growth *growth,
                             const struct vec3 p[3], struct vec3 normal)
{
    struct vec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]);
    double area = vec3_length(vec3_cross(a, b)) / 2;
    int samples = sample_count(growth, area);
    for (int i = 0; i < samples && !grower->full; i++) {
        double u = draw_random(grower), v = draw_random(grower);
        if (u + v > 1) {
            u = 1 - u;
            v = 1 - v;
        }
        grow_at(grower, growth, 1, vec3_mad(vec3_mad(p[0], a, u), b, v), normal);
    }
}

static void grow_on_displacement(struct grower *grower, const struct detail_growth *growth,
                                 const struct bsp_face *face)
{
    struct detail_ground ground;
    if (!detail_ground_of(grower->compile->bsp, face, &ground)) {
        grower->bare++;
        return;
    }
    int samples = sample_count(growth, detail_ground_area(&ground));
    for (int i = 0; i < samples && !grower->full; i++) {
        struct vec3 at, normal;
        double u = draw_random(grower), v = draw_random(grower);
        double alpha = detail_ground_at(&ground, u, v, &at, &normal);
        grow_at(grower, growth, alpha, at, normal);
    }
}

/* The detail type of a face's material; NULL: none, or an unknown one. */
static const struct detail_growth *growth_of(struct grower *grower, const struct bsp_face *face)
{
    if (face->texinfo < 0)
        return NULL;
    const struct material *material = grower->compile->texinfos.materials[face->texinfo];
    const char *name = material->detail_type;
    if (!name || !*name)
        return NULL;
    const struct detail_growth *growth = detail_types_find(grower->types, name);
    if (!grower->unknown)
        sh_new_strdup(grower->unknown);
    if (!growth && shgeti(grower->unknown, name) < 0) {
        shput(grower->unknown, name, 1);
        struct diag_where where = {.file = grower->compile->level->file};
        (void)diag_report(grower->compile->env->diag, DIAG_DETAIL_TYPE, &where,
                          "\"%s\", used by material \"%s\"", name, material->name);
    }
    return growth && growth->group_count ? growth : NULL;
}

static void grow_on_face(struct grower *grower, int number, struct vec3 origin)
{
    const struct bsp *bsp = grower->compile->bsp;
    const struct bsp_face *face = &bsp->faces[number];
    const struct detail_growth *growth = growth_of(grower, face);
    if (!growth)
        return;
    grower->random = number < arrlen(bsp->face_ids) ? bsp->face_ids[number] : 0;
    if (face->dispinfo >= 0) {
        grow_on_displacement(grower, growth, face);
        return;
    }
    const float *n = bsp->planes[face->plane].normal;
    struct vec3 normal = vec3((double)n[0], (double)n[1], (double)n[2]), p[3];
    for (int i = 2; i < face->edge_count; i++) {
        const int corners[3] = {0, i - 1, i};
        for (int j = 0; j < 3; j++)
            p[j] = vec3_add(bsp_vertex_at(bsp, bsp_face_vertex(bsp, face, corners[j])), origin);
        grow_on_triangle(grower, growth, p, normal);
    }
}

static void grow_on_faces(struct grower *grower)
{
    const struct compile *compile = grower->compile;
    for (size_t i = 0; i < arrlenu(compile->bsp->models); i++) {
        const struct bsp_model *model = &compile->bsp->models[i];
        struct vec3 origin = vec3(0, 0, 0);
        for (size_t j = 1; j < arrlenu(compile->entities) && i > 0; j++)
            if (compile->entities[j].model == (int)i)
                origin = compile->entities[j].origin;
        for (int j = 0; j < model->face_count; j++)
            grow_on_face(grower, model->first_face + j, origin);
    }
}

static void pair_of(const struct entity *keys, const char *key, double out[2])
{
    (void)str_to_doubles(entity_value(keys, key), out, 2);
}

static void place_entity(struct grower *grower, const struct map_entity *entity, bool is_sprite)
{
    const struct entity *keys = &entity->keys;
    struct diag_where where = map_where(grower->compile->level, entity, NULL, NULL);
    struct vec3 at = vec3(0, 0, 0), angles = vec3(0, 0, 0);
    double orientation =
        portable_fmin(portable_fmax(entity_number(keys, "detailOrientation", 0), 0), 2);
    struct detail_object object = {.orientation = (uint8_t)orientation, .scale = 1};
    (void)entity_vector(keys, "origin", &at);
    (void)entity_vector(keys, "angles", &angles);
    if (is_sprite) {
        double ul[2] = {-10, 20}, lr[2] = {10, 0}, texture[4] = {0, 0, 64, 64};
        double total = entity_number(keys, "tex_total_size", 512);
        pair_of(keys, "position_ul", ul);
        pair_of(keys, "position_lr", lr);
        pair_of(keys, "tex_ul", texture);
        pair_of(keys, "tex_size", texture + 2);
        struct detail_sprite sprite = detail_sprite_of(ul, lr, texture, total > 0 ? total : 512);
        object.type = DETAIL_SPRITE;
        object.model = sprite_number(grower, &sprite);
    } else {
        object.model = model_number(grower, entity_value(keys, "model"), &where);
    }
    if (object.model >= 0)
        add_object(grower, &object, at, vec3(0, 0, 0), angles);
}

static void place_entities(struct grower *grower)
{
    const struct compile *compile = grower->compile;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct map_entity *map_entity = compile->entities[i].map_entity;
        if (!map_entity)
            continue;
        bool is_sprite = entity_is(&map_entity->keys, "prop_detail_sprite");
        if (is_sprite || entity_is(&map_entity->keys, "prop_detail") ||
            entity_is(&map_entity->keys, "detail_prop"))
            place_entity(grower, map_entity, is_sprite);
    }
}

/* Does nothing when the map's materials name no type: most games have the file, few maps need it.
 * */
static void load_types(struct grower *grower)
{
    const struct compile *compile = grower->compile;
    const char *name = entity_value(&compile->entities[0].keys, "detailvbsp");
    struct bytes text = {0};
    struct kv *root;
    if (!*name)
        name = "detail.vbsp";
    if (assets_read(compile->assets, name, &text) &&
        kv_parse((const char *)text.data, text.size, name, KV_LENIENT, &grower->arena,
                 compile->env->diag, &root) == STATUS_OK)
        grower->types = detail_types_read(root, &grower->arena);
    bytes_free(&text);
}

struct sorted {
    struct detail_object object;
    size_t number;
};

static int by_leaf(const void *a, const void *b)
{
    const struct sorted *first = a, *second = b;
    int order =
        (first->object.leaf > second->object.leaf) - (first->object.leaf < second->object.leaf);
    return order ? order : (first->number > second->number) - (first->number < second->number);
}

static void sort_by_leaf(struct detail_object *objects)
{
    size_t count = arrlenu(objects);
    struct sorted *sorted = memory_alloc(count * sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted){objects[i], i};
    qsort(sorted, count, sizeof *sorted, by_leaf);
    for (size_t i = 0; i < count; i++)
        objects[i] = sorted[i].object;
    memory_free(sorted);
}

static enum status write_lumps(const struct grower *grower)
{
    struct compile *compile = grower->compile;
    struct diag_where where = {.file = compile->level->file};
    struct record_range_error range_error;
    int version = compile->options->static_prop_version;
    struct bsp_game_lump empty = {.id = STATIC_PROPS_ID,
                                  .version = (uint16_t)(version ? version : 10)};
    struct bsp_game_lump lump = {.id = DETAIL_PROPS_ID, .version = DETAIL_PROPS_VERSION};
    if (!detail_props_encode(&grower->props, ORDER_LITTLE, &lump.data, &range_error)) {
        bytes_free(&lump.data);
        return diag_report(compile->env->diag, DIAG_PROP_LIMIT, &where,
                           "%s %zu: %s is %lld, must be %lld to %lld", range_error.what,
                           range_error.record, range_error.field, (long long)range_error.value,
                           (long long)range_error.min, (long long)range_error.max);
    }
    if (!arrlen(compile->bsp->game_lumps)) {
        bytes_fill(&empty.data, 0, 3 * sizeof(int32_t)); /* three empty lists */
        arrput(compile->bsp->game_lumps, empty);
    }
    arrput(compile->bsp->game_lumps, lump);
    return STATUS_OK;
}

static void report(const struct grower *grower)
{
    struct diag *diag = grower->compile->env->diag;
    struct diag_where where = {.file = grower->compile->level->file};
    if (grower->full)
        (void)diag_report(diag, DIAG_DETAIL_LIMIT, &where, "only the first %d are kept",
                          OBJECTS_MAX);
    if (grower->bare)
        (void)diag_report(diag, DIAG_DETAIL_BARE, &where, "%d displacement%s", grower->bare,
                          grower->bare == 1 ? "" : "s");
    progress_count(grower->compile->env->progress, "detail props",
                   (int64_t)arrlen(grower->props.objects));
}

enum status detail_props_emit(struct compile *compile)
{
    struct grower grower = {.compile = compile, .blockers = find_blockers(compile)};
    progress_begin(compile->env->progress, "detail props", 0);
    load_types(&grower);
    grow_on_faces(&grower);
    place_entities(&grower);
    if (grower.props.objects)
        sort_by_leaf(grower.props.objects);
    progress_end(compile->env->progress);
    report(&grower);
    bool any = arrlen(grower.props.objects) || arrlen(compile->bsp->game_lumps);
    enum status status = any ? write_lumps(&grower) : STATUS_OK;
    arrfree(grower.blockers);
    shfree(grower.models);
    shfree(grower.unknown);
    detail_props_free(&grower.props);
    arena_free(&grower.arena);
    return status;
}

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/lint_solids.def"
#include "common/diag/codes/missing_materials.def"
#include "common/diag/codes/shaders.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/entity_class.h"
#include "vbsp/report/report.h"

/* --- lint brushes --- */

/* Editors snap to sixteenths at the finest; files have enough decimals to check that. */
#define GRID       (1.0 / 16)
#define GRID_SLACK 1e-4
/* Cosine of the angle (0.8 degrees) below which a side is meant to be axial. */
#define NEARLY_ACROSS 0.9999

/* --- duplicate solids --- */

struct shape {
    uint64_t hash; /* of the following fields */
    int owner;     /* 0: the world, including func_detail and the like */
    const struct map_brush *brush;
};

static int compare_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* The planes of the drawn sides, sorted. */
static int *drawn_planes(const struct map_brush *brush)
{
    int *planes = NULL;
    for (int i = 0; i < brush->side_count; i++)
        if (brush->sides[i].map_side)
            arrput(planes, brush->sides[i].plane);
    if (planes)
        qsort(planes, arrlenu(planes), sizeof *planes, compare_ints);
    return planes;
}

/* A sum, independent of the order of sides, so that only equal hashes need sorting. */
static uint64_t shape_hash(const struct map_brush *brush, int owner)
{
    uint64_t sum = (uint64_t)(uint32_t)owner << 32 | (uint32_t)brush->contents;
    for (int i = 0; i < brush->side_count; i++) {
        uint64_t plane = (uint64_t)(uint32_t)brush->sides[i].plane + 1;
        plane *= 0x9e3779b97f4a7c15u;
        if (brush->sides[i].map_side)
            sum += plane ^ plane >> 29;
    }
    return sum;
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
    if (a->hash != b->hash || a->owner != b->owner || a->brush->contents != b->brush->contents)
        return false;
    int *p = drawn_planes(a->brush), *q = drawn_planes(b->brush);
    bool same = arrlenu(p) == arrlenu(q) && (!p || memcmp(p, q, arrlenu(p) * sizeof *p) == 0);
    arrfree(p);
    arrfree(q);
    return same;
}

static int compare_shapes(const void *a, const void *b)
{
    const struct shape *p = a, *q = b;
    if (p->hash != q->hash)
        return p->hash < q->hash ? -1 : 1;
    return (p->brush->number > q->brush->number) - (p->brush->number < q->brush->number);
}

static int compare_numbers(const void *a, const void *b)
{
    const struct map_brush *p = ((const struct shape *)a)[1].brush;
    const struct map_brush *q = ((const struct shape *)b)[1].brush;
    return (p->number > q->number) - (p->number < q->number);
}

/* False for brushes that the compiler made, as those of models, which nobody has drawn. */
static bool is_drawn(const struct map_brush *brush)
{
    for (int i = 0; i < brush->side_count; i++)
        if (brush->sides[i].map_side)
            return true;
    return false;
}

/* Pairs of equal shapes in sequence, sorted by the second of each. */
static struct shape *find_twins(const struct compile *compile)
{
    struct shape *shapes = NULL, *twins = NULL;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++) {
        const struct map_brush *brush = compile->brushes[i];
        bool moves = brush->entity > 0 && class_is_model(compile->entities[brush->entity].use);
        struct shape shape = {.owner = moves ? brush->entity : 0, .brush = brush};
        if (!is_drawn(brush))
            continue;
        shape.hash = shape_hash(brush, shape.owner);
        arrput(shapes, shape);
    }
    if (shapes)
        qsort(shapes, arrlenu(shapes), sizeof *shapes, compare_shapes);
    for (size_t i = 1; i < arrlenu(shapes); i++)
        if (same_shape(&shapes[i - 1], &shapes[i])) {
            arrput(twins, shapes[i - 1]);
            arrput(twins, shapes[i]);
        }
    if (twins)
        qsort(twins, arrlenu(twins) / 2, 2 * sizeof *twins, compare_numbers);
    arrfree(shapes);
    return twins;
}

static void report_twins(const struct compile *compile)
{
    struct shape *twins = find_twins(compile);
    for (size_t i = 0; i < arrlenu(twins); i += 2) {
        struct diag_where where = brush_where(compile, twins[i + 1].brush, NULL);
        struct diag_where other = brush_where(compile, twins[i].brush, NULL);
        (void)diag_report(compile->env->diag, DIAG_BRUSH_TWICE, &where,
                          "occupies the same space as solid %s%s%s", diag_solid_number(&other).text,
                          other.placed_by ? " of " : "", other.placed_by ? other.file : "");
    }
    arrfree(twins);
}

/* --- solids almost on the grid --- */

static double off_grid(double value)
{
    return fabs(value - GRID * floor(value / GRID + 0.5));
}

/* Distance of an axial or nearly axial side from the grid; 0 if it is on the grid or clearly
 * sloped. */
static double side_off_grid(const struct map_side *side)
{
    double worst = 0;
    struct plane plane;
    if (!plane_from_points(side->points[0], side->points[1], side->points[2], &plane))
        return 0;
    for (int axis = 0; axis < 3; axis++) {
        double low = DBL_MAX, high = -DBL_MAX;
        for (int i = 0; i < 3; i++) {
            low = portable_fmin(low, side->points[i].e[axis]);
            high = portable_fmax(high, side->points[i].e[axis]);
        }
        if (fabs(plane.normal.e[axis]) < NEARLY_ACROSS)
            continue;
        worst = portable_fmax(worst, portable_fmax(off_grid(low), off_grid(high)));
        worst = portable_fmax(worst, high - low);
    }
    return worst > GRID_SLACK ? worst : 0;
}

static void report_off_grid(const struct compile *compile, const struct map_brush *brush)
{
    const struct brush_side *first = NULL;
    double worst = 0;
    int count = 0;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        double off = side->map_side ? side_off_grid(side->map_side) : 0;
        if (off == 0)
            continue;
        first = first ? first : side;
        worst = portable_fmax(worst, off);
        count++;
    }
    if (!count)
        return;
    struct diag_where where = brush_where(compile, brush, first);
    (void)diag_report(compile->env->diag, DIAG_BRUSH_OFF_GRID, &where,
                      "%d side%s off by up to %.3g units%s", count, count == 1 ? "" : "s", worst,
                      count == 1 ? "" : ", this is the first");
}

void lint_brushes(const struct compile *compile)
{
    report_twins(compile);
    if (!compile->options->lint)
        return;
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        report_off_grid(compile, compile->brushes[i]);
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        report_off_grid(compile, compile->displacement_brushes[i]);
}

/* --- lint --- */

/* So many missing materials are named in one message of all. */
enum { NAMED_MISSING = 4 };

struct missing {
    const struct material *material;
    int64_t sides;
    const struct map_brush *brush; /* the first with it, and its side; or NULL */
    const struct brush_side *side;
};

/* All missing materials of a map, in the order in which they were looked up. */
struct missing_list {
    struct missing *items; /* stb_ds array */
    struct {
        const struct material *key;
        size_t value;
    } *places;          /* stb_ds map to the items */
    int64_t map_sides;  /* of all materials */
    int64_t with_sides; /* sides with a missing one */
};

static void count_sides(struct missing_list *list, struct map_brush *const *brushes)
{
    for (size_t i = 0; i < arrlenu(brushes); i++)
        for (int j = 0; j < brushes[i]->side_count; j++) {
            const struct brush_side *side = &brushes[i]->sides[j];
            if (!side->map_side || !side->material)
                continue;
            list->map_sides++;
            ptrdiff_t at = side->material->origin == MATERIAL_MISSING
                               ? hmgeti(list->places, side->material)
                               : -1;
            if (at < 0)
                continue;
            struct missing *missing = &list->items[list->places[at].value];
            list->with_sides++;
            if (missing->sides++)
                continue;
            missing->brush = brushes[i];
            missing->side = side;
        }
}

static void list_missing(const struct compile *compile, struct missing_list *list)
{
    const struct material **materials = assets_release_missing(compile->assets);
    for (size_t i = 0; i < arrlenu(materials); i++) {
        arrput(list->items, ((struct missing){.material = materials[i]}));
        hmput(list->places, materials[i], i);
    }
    arrfree(materials);
    if (!arrlen(list->items))
        return;
    count_sides(list, compile->brushes);
    count_sides(list, compile->displacement_brushes);
}

static int missing_code(const struct material *material)
{
    return material->quake3 ? DIAG_SHADER_MISSING : DIAG_MATERIAL_MISSING;
}

static struct diag_where entity_where(const struct compile *compile,
                                      const struct map_entity *entity)
{
    struct diag_where where = map_where(compile->level, entity, NULL, NULL);
    struct vec3 origin;
    if (entity_vector(&entity->keys, "origin", &origin)) {
        where.has_point = true;
        memcpy(where.point, origin.e, sizeof where.point);
    }
    return where;
}

/* Its first side, else an entity that names it. */
static struct diag_where missing_where(const struct compile *compile, const struct missing *missing)
{
    if (missing->sides)
        return brush_where(compile, missing->brush, missing->side);
    const struct map_entity *entities = compile->level->entities;
    struct diag_where where = {.file = compile->level->file};
    for (size_t i = arrlenu(entities); i-- > 0;)
        if (str_equal_nocase(entity_value(&entities[i].keys, "material"), missing->material->name))
            where = entity_where(compile, &entities[i]);
    return where;
}

static void report_missing(const struct compile *compile, const struct missing *missing)
{
    struct diag_where where = missing_where(compile, missing);
    struct diag *diag = compile->env->diag;
    int code = missing_code(missing->material);
    const char *name = missing->material->name;
    if (missing->sides)
        (void)diag_report(diag, code, &where, "\"%s\", used by %lld side%s", name,
                          (long long)missing->sides, missing->sides == 1 ? "" : "s");
    else
        (void)diag_report(diag, code, &where, "\"%s\"", name);
}

/* Those with the most sides, the earliest first among equals. */
static size_t find_worst(const struct missing_list *list, const struct missing *worst[static 1])
{
    size_t count = 0;
    for (size_t i = 0; i < arrlenu(list->items); i++) {
        const struct missing *missing = &list->items[i];
        size_t at = count;
        while (at > 0 && worst[at - 1]->sides < missing->sides)
            at--;
        if (at == NAMED_MISSING)
            continue;
        count += count < NAMED_MISSING;
        memmove(&worst[at + 1], &worst[at], (count - at - 1) * sizeof *worst);
        worst[at] = missing;
    }
    return count;
}

/* One message for both engines: how many there are, on how many sides, and the worst of them. */
static void report_together(const struct compile *compile, const struct missing_list *list)
{
    const struct missing *worst[NAMED_MISSING] = {NULL};
    size_t named = find_worst(list, worst), count = arrlenu(list->items);
    struct arena arena = {0};
    const char *names = "";
    for (size_t i = 0; i < named; i++)
        names = arena_printf(&arena, "%s%s\"%s\" (%lld)", names, i ? ", " : "",
                             worst[i]->material->name, (long long)worst[i]->sides);
    if (count > named)
        names = arena_printf(&arena, "%s, %zu more", names, count - named);
    struct diag_where where = missing_where(compile, worst[0]);
    bool quake3 = worst[0]->material->quake3;
    (void)diag_report(compile->env->diag, quake3 ? DIAG_QUAKE3_NO_GAME : DIAG_MATERIAL_MISSING,
                      &where, "%zu %s%s unknown, on %lld of %lld sides: %s", count,
                      quake3 ? "shader" : "material", count == 1 ? " is" : "s are",
                      (long long)list->with_sides, (long long)list->map_sides, names);
    arena_free(&arena);
}

void lint_missing_materials(const struct compile *compile)
{
    struct missing_list list = {0};
    list_missing(compile, &list);
    size_t count = arrlenu(list.items);
    if (count && !assets_has_content(compile->assets))
        report_together(compile, &list);
    else
        for (size_t i = 0; i < count; i++)
            report_missing(compile, &list.items[i]);
    hmfree(list.places);
    arrfree(list.items);
}

/* Missing models of static and detail props are reported when they are placed. */
static bool is_placed(const struct entity *keys)
{
    return entity_is(keys, "prop_static") || entity_is(keys, "static_prop") ||
           entity_is(keys, "prop_detail") || entity_is(keys, "detail_prop");
}

void lint_missing_models(const struct compile *compile)
{
    struct {
        char *key;
        bool value;
    } *seen = NULL;
    if (!assets_game_folder(compile->assets))
        return;
    sh_new_strdup(seen);
    for (size_t i = 0; i < arrlenu(compile->level->entities); i++) {
        const struct map_entity *entity = &compile->level->entities[i];
        const char *name = entity_value(&entity->keys, "model");
        if (!str_ends_nocase(name, ".mdl") || is_placed(&entity->keys) || shgeti(seen, name) >= 0)
            continue;
        shput(seen, name, true);
        struct bytes bytes = {0};
        struct diag_where where = entity_where(compile, entity);
        if (!assets_read(compile->assets, name, &bytes))
            (void)diag_report(compile->env->diag, DIAG_MODEL_MISSING, &where, "\"%s\" of %s", name,
                              entity_value(&entity->keys, "classname"));
        bytes_free(&bytes);
    }
    shfree(seen);
}

#include "vbsp/target/source/update/update.h"

#include <math.h>
#include <string.h>

#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/updates.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/target/source/entities/entities.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/overlay.h"

enum { FACE_IDS = 65536 };

/* Tolerance of equal planes: compilers weld planes. */
#define SAME_NORMAL 1e-3
#define SAME_DIST   0.1

struct checker {
    const struct compile *compile;
    const struct bsp *bsp;
    int first_face[FACE_IDS]; /* by the id of its side, or -1 */
    int *next_face;           /* stb_ds array, one per face: next face of the same id, or -1 */
    int changed;              /* number of changed solids */
    struct diag_where where;  /* of the first of them */
    enum status status;
};

static int count_keys(const struct entity_list *list, const char *key)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(list->entities); i++)
        count += entity_has(&list->entities[i], key);
    return count;
}

static int count_own_keys(const struct compile *compile, const char *key)
{
    int count = 0;
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        count += !compile->entities[i].dropped && entity_has(&compile->entities[i].keys, key);
    return count;
}

static void check_count(struct checker *checker, const char *what, int now, int then)
{
    if (now == then)
        return;
    struct diag_where where = {.file = checker->compile->level->file};
    checker->status = diag_report(checker->compile->env->diag, DIAG_UPDATE_MISMATCH, &where,
                                  "the map has %d %s, the BSP has %d", now, what, then);
}

static void check_counts(struct checker *checker, const struct entity_list *old)
{
    const struct compile *compile = checker->compile;
    int models = 0, occluders = 0;
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        models += compile->entities[i].model > 0;
        occluders += compile->entities[i].use == USE_OCCLUDER;
    }
    check_count(checker, "brush entities", models, (int)arrlen(checker->bsp->models) - 1);
    check_count(checker, "areaportals", count_own_keys(compile, "portalnumber"),
                count_keys(old, "portalnumber"));
    check_count(checker, "occluders", occluders, (int)arrlen(checker->bsp->occluders));
}

static void list_faces(struct checker *checker)
{
    const struct bsp *bsp = checker->bsp;
    for (int i = 0; i < FACE_IDS; i++)
        checker->first_face[i] = -1;
    for (int i = 0; i < (int)arrlen(bsp->faces); i++)
        arrput(checker->next_face, -1);
    for (int i = (int)arrlen(bsp->face_ids) - 1; i >= 0; i--) {
        if (i >= (int)arrlen(bsp->faces))
            continue;
        checker->next_face[i] = checker->first_face[bsp->face_ids[i]];
        checker->first_face[bsp->face_ids[i]] = i;
    }
}

static bool is_named(const struct bsp *bsp, const char *name)
{
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        if (str_equal_nocase(bsp->texture_names[i], name))
            return true;
    return false;
}

/* True if the name is that of the material, or of a copy for one map: maps/MAP/MATERIAL_... */
static bool is_name_of(const char *name, const char *material)
{
    if (str_equal_nocase(name, material))
        return true;
    const char *inner =
        str_starts_nocase(name, "maps/") ? strchr(name + strlen("maps/"), '/') : NULL;
    return inner && str_starts_nocase(inner + 1, material);
}

/* True if the faces of the side have its material, or it has no faces. */
static bool has_same_material(const struct checker *checker, const struct brush_side *side)
{
    const struct material *material = side->material;
    if (!side->map_side || !material)
        return true;
    int face = checker->first_face[(uint16_t)side->map_side->id];
    bool any = face >= 0;
    for (; face >= 0; face = checker->next_face[face]) {
        const char *name = bsp_texinfo_name(checker->bsp, checker->bsp->faces[face].texinfo);
        if (is_name_of(name, material->name) || is_name_of(name, side->map_side->material) ||
            (material->bottom_material && is_name_of(name, material->bottom_material)))
            return true;
    }
    return !any;
}

static bool has_plane(const struct bsp *bsp, const struct bsp_brush *brush,
                      const struct plane *plane)
{
    for (int i = 0; i < brush->side_count; i++) {
        const struct bsp_plane *other = &bsp->planes[bsp->brush_sides[brush->first_side + i].plane];
        bool same = fabs((double)other->dist - plane->dist) < SAME_DIST;
        for (int j = 0; j < 3; j++)
            same &= fabs((double)other->normal[j] - plane->normal.e[j]) < SAME_NORMAL;
        if (same)
            return true;
    }
    return false;
}

static void note_change(struct checker *checker, const struct map_brush *brush)
{
    if (!checker->changed++)
        checker->where = brush_where(checker->compile, brush, NULL);
}

static void check_texture(struct checker *checker, const struct map_brush *brush,
                          const struct brush_side *side)
{
    const struct compile *compile = checker->compile;
    if (compile->entities[brush->entity].model <= 0 || is_named(checker->bsp, side->material->name))
        return;
    struct diag_where where = brush_where(compile, brush, side);
    checker->status = diag_report(compile->env->diag, DIAG_UPDATE_TEXTURE, &where, "\"%s\"",
                                  side->material->name);
}

static void check_brush(struct checker *checker, const struct map_brush *brush)
{
    const struct bsp_brush *record = &checker->bsp->brushes[brush->number];
    bool same = record->contents == brush->contents;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (!side->map_side)
            continue;
        if (!has_same_material(checker, side)) {
            check_texture(checker, brush, side);
            same = false;
        }
        const struct plane *plane = &checker->compile->planes.planes[side->plane];
        same = has_plane(checker->bsp, record, plane) && same;
    }
    if (!same)
        note_change(checker, brush);
}

static void check_brushes(struct checker *checker)
{
    const struct compile *compile = checker->compile;
    struct diag *diag = compile->env->diag;
    struct diag_where where = {.file = compile->level->file};
    if (arrlen(compile->brushes) != arrlen(checker->bsp->brushes)) {
        (void)diag_report(diag, DIAG_UPDATE_SOLIDS, &where,
                          "%td solid%s in the map, %td in the BSP", arrlen(compile->brushes),
                          arrlen(compile->brushes) == 1 ? "" : "s", arrlen(checker->bsp->brushes));
        return;
    }
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        check_brush(checker, compile->brushes[i]);
    if (checker->changed)
        (void)diag_report(diag, DIAG_UPDATE_SOLIDS, &checker->where,
                          "%d solid%s changed shape, contents or material%s", checker->changed,
                          checker->changed == 1 ? "" : "s",
                          checker->changed == 1 ? "" : ", this is the first");
}

/* Overlays and cubemaps are records, not entities of the lump. */
static void check_records(const struct checker *checker)
{
    const struct compile *compile = checker->compile;
    const struct bsp *bsp = checker->bsp;
    struct diag_where where = {.file = compile->level->file};
    const struct overlay_set *set = source_state(compile)->overlays;
    ptrdiff_t overlays = set ? arrlen(set->overlays) : 0;
    ptrdiff_t cubemaps = arrlen(compile->bsp->cubemaps);
    if (overlays != arrlen(bsp->overlays) + arrlen(bsp->water_overlays))
        (void)diag_report(compile->env->diag, DIAG_UPDATE_SOLIDS, &where,
                          "%td overlay%s in the map, %td in the BSP", overlays,
                          overlays == 1 ? "" : "s",
                          arrlen(bsp->overlays) + arrlen(bsp->water_overlays));
    if (cubemaps != arrlen(bsp->cubemaps))
        (void)diag_report(compile->env->diag, DIAG_UPDATE_SOLIDS, &where,
                          "%td cubemap%s in the map, %td in the BSP", cubemaps,
                          cubemaps == 1 ? "" : "s", arrlen(bsp->cubemaps));
}

static bool is_switched(const struct entity *keys)
{
    return str_starts_nocase(entity_value(keys, "classname"), "light") &&
           *entity_value(keys, "targetname") &&
           entity_number(keys, "style", 0) >= (double)FIRST_SWITCHED_STYLE;
}

/* Lightmaps refer to styles by number, which depends on the names of all lights. */
static void check_styles(const struct checker *checker, const struct entity_list *old)
{
    const struct compile *compile = checker->compile;
    for (size_t i = 0; i < arrlenu(old->entities); i++) {
        const struct entity *then = &old->entities[i];
        if (!is_switched(then))
            continue;
        for (size_t j = 0; j < arrlenu(compile->entities); j++) {
            const struct entity *now = &compile->entities[j].keys;
            const char *style = entity_value(now, "style");
            if (!is_switched(now) || strcmp(style, entity_value(then, "style")) == 0 ||
                !str_equal_nocase(entity_value(now, "targetname"),
                                  entity_value(then, "targetname")))
                continue;
            struct diag_where where =
                map_where(compile->level, compile->entities[j].map_entity, NULL, NULL);
            (void)diag_report(compile->env->diag, DIAG_UPDATE_SOLIDS, &where,
                              "light \"%s\" has style %s instead of %s; run vrad again",
                              entity_value(now, "targetname"), style, entity_value(then, "style"));
            return;
        }
    }
}

enum status update_check(const struct compile *compile, const struct bsp *bsp,
                         const struct entity_list *old)
{
    struct checker *checker = memory_zalloc(1, sizeof *checker);
    checker->compile = compile;
    checker->bsp = bsp;
    list_faces(checker);
    check_counts(checker, old);
    if (checker->status == STATUS_OK) {
        check_brushes(checker);
        check_records(checker);
        check_styles(checker, old);
    }
    enum status status = checker->status;
    arrfree(checker->next_face);
    memory_free(checker);
    return status;
}

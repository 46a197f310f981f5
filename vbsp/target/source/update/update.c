#include "vbsp/target/source/update/update.h"

#include <math.h>
#include <string.h>

#include "common/bsp/codec/map_flags.h"
#include "common/bsp/face_records.h"
#include "common/bsp/lumps/detail_props.h"
#include "common/bsp/lumps/prop_lighting.h"
#include "common/bsp/lumps/static_props.h"
#include "common/bsp/query.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/updates.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/level/pack_files.h"
#include "vbsp/target/source/combine/combine.h"
#include "vbsp/target/source/emit/emit.h"
#include "vbsp/target/source/entities/entities.h"
#include "vbsp/target/source/entities/state.h"
#include "vbsp/target/source/materials/material_patch.h"
#include "vbsp/target/source/materials/overlay.h"
#include "vbsp/target/source/props/props.h"

/* --- whether the BSP matches the level --- */

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

/* Checks that a BSP matches a level as far as its entities need it. `compile` holds
 * the level after load_map, `bsp` is the existing one, with the entities `old`. Reports as
 * vbsp_update_entities does. */
static enum status update_check(const struct compile *compile, const struct bsp *bsp,
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

/* Removes the light of static props that an update changed from the pakfile, where the lighting
 * stage stores it in files with the number of the prop, and the combined models of before. */

static bool decode(const struct bsp_game_lump *lump, const struct diag_where *where,
                   struct diag *diag, struct static_props *out)
{
    enum static_prop_form form;
    *out = (struct static_props){0};
    return !lump || static_props_decode(&lump->data, lump->version, ORDER_LITTLE, where, diag, out,
                                        &form) == STATUS_OK;
}

/* A combined model may have other members under the same name. */
static bool is_of_map(const char *model)
{
    return str_starts_nocase(model, "models/maps/");
}

/* Compares what the light of a prop depends on. */
static bool same_light(const struct static_props *a, const struct static_props *b, size_t i)
{
    const struct static_prop *p = &a->props[i], *q = &b->props[i];
    if (p->model < 0 || q->model < 0 || (size_t)p->model >= arrlenu(a->models) ||
        (size_t)q->model >= arrlenu(b->models))
        return false;
    return str_equal_nocase(a->models[p->model], b->models[q->model]) &&
           !is_of_map(a->models[p->model]) && p->flags == q->flags && p->skin == q->skin &&
           prop_floats_equal(p->origin, q->origin, 3) &&
           prop_floats_equal(p->angles, q->angles, 3) && prop_floats_equal(p->scale, q->scale, 3) &&
           prop_floats_equal(p->lighting_origin, q->lighting_origin, 3) &&
           memcmp(p->lightmap_resolution, q->lightmap_resolution, sizeof p->lightmap_resolution) ==
               0;
}

struct change {
    const struct static_props *before, *after;
};

static bool is_old(const void *context, enum prop_lighting kind, size_t prop)
{
    const struct change *change = context;
    (void)kind;
    return prop >= arrlenu(change->before->props) || prop >= arrlenu(change->after->props) ||
           !same_light(change->before, change->after, prop);
}

static bool replace_files(const struct compile *compile, const struct change *change,
                          struct pakfile *pakfile, struct bsp *bsp)
{
    uint32_t flags = map_flags_of_files(pakfile);
    bool changed = prop_lighting_remove(pakfile, is_old, change);
    map_flags_follow(bsp, flags, map_flags_of_files(pakfile));
    return combined_models_replace(compile, pakfile) || changed;
}

/* prop_files.c: removes the light of props that differ between the two game lumps (either may be
 * NULL: no props) from the pakfile, and replaces the combined models in it by those of the compile.
 * Otherwise it keeps its bytes. */
static enum status update_prop_files(const struct compile *compile, const struct bsp_game_lump *old,
                                     const struct bsp_game_lump *fresh, struct bsp *bsp)
{
    struct diag *diag = compile->env->diag;
    struct diag_where where = {.file = compile->level->file};
    struct static_props before, after;
    struct pakfile pakfile = {0};
    struct bytes lump = {0};
    bool changed = false, known = decode(old, &where, diag, &before);
    known &= decode(fresh, &where, diag, &after);
    enum status status =
        known ? pakfile_decode(&bsp->pakfile, &where, diag, &pakfile) : STATUS_FAILED;
    if (status == STATUS_OK)
        changed = replace_files(compile, &(struct change){&before, &after}, &pakfile, bsp);
    if (changed)
        status = pakfile_encode(&pakfile, ZIP_STORED, &where, diag, &lump);
    pakfile_free(&pakfile);
    static_props_free(&before);
    static_props_free(&after);
    if (changed && status == STATUS_OK) {
        bytes_free(&bsp->pakfile);
        bsp->pakfile = lump;
    }
    return status;
}

/* --- update --- */

static struct bsp_game_lump *find_lump(struct bsp_game_lump *lumps, uint32_t id)
{
    for (size_t i = 0; i < arrlenu(lumps); i++)
        if (lumps[i].id == id)
            return &lumps[i];
    return NULL;
}

/* A lump without props is kept as three empty lists: names, leaves or sprites, and props. */
static void replace_lump(struct bsp_game_lump **lumps, uint32_t id, struct bsp_game_lump *fresh)
{
    struct bsp_game_lump *old = find_lump(*lumps, id);
    if (!old && fresh) {
        arrput(*lumps, *fresh);
        fresh->data = (struct bytes){0};
    } else if (old && fresh) {
        struct bytes data = old->data;
        old->data = fresh->data;
        old->version = fresh->version;
        fresh->data = data;
    } else if (old) {
        bytes_free(&old->data);
        old->data = (struct bytes){0};
        bytes_fill(&old->data, 0, 3 * sizeof(int32_t));
    }
}

static void free_lumps(struct bsp_game_lump *lumps)
{
    for (size_t i = 0; i < arrlenu(lumps); i++)
        bytes_free(&lumps[i].data);
    arrfree(lumps);
}

/* Rebuilds the props of the bsp; its other game lumps keep their bytes and order. */
static enum status replace_props(struct compile *compile, struct bsp *bsp, bool detail)
{
    struct bsp *loaded = compile->bsp;
    struct bsp_game_lump *lumps = bsp->game_lumps;
    bsp->game_lumps = NULL;
    compile->bsp = bsp;
    enum status status = static_props_emit(compile);
    if (status == STATUS_OK && detail)
        status = detail_props_emit(compile);
    compile->bsp = loaded;
    struct bsp_game_lump *fresh = bsp->game_lumps;
    bsp->game_lumps = lumps;
    if (status == STATUS_OK)
        status = update_prop_files(compile, find_lump(lumps, STATIC_PROPS_ID),
                                   find_lump(fresh, STATIC_PROPS_ID), bsp);
    if (status == STATUS_OK) {
        replace_lump(&bsp->game_lumps, STATIC_PROPS_ID, find_lump(fresh, STATIC_PROPS_ID));
        if (detail)
            replace_lump(&bsp->game_lumps, DETAIL_PROPS_ID, find_lump(fresh, DETAIL_PROPS_ID));
    }
    free_lumps(fresh);
    return status;
}

static enum status mark_stale(const struct env *env, const char *file, struct bsp *bsp)
{
    struct diag_where where = {.file = file};
    struct pakfile pakfile;
    struct bytes lump = {0};
    TRY(pakfile_decode(&bsp->pakfile, &where, env->diag, &pakfile));
    pack_stale_mark(&pakfile);
    enum status status = pakfile_encode(&pakfile, ZIP_STORED, &where, env->diag, &lump);
    pakfile_free(&pakfile);
    if (status != STATUS_OK)
        return status;
    bytes_free(&bsp->pakfile);
    bsp->pakfile = lump;
    return STATUS_OK;
}

enum status source_update_entities(struct compile *compile, struct bsp *bsp)
{
    struct bsp *loaded = compile->bsp;
    struct entity_list old = {0};
    TRY(entities_parse(bsp->entities, arrlenu(bsp->entities), "the BSP", compile->env->diag, &old));
    enum status status = update_check(compile, bsp, &old);
    if (status == STATUS_OK)
        status = replace_props(compile, bsp, false);
    if (status == STATUS_OK)
        status = mark_stale(compile->env, compile->level->file, bsp);
    if (status == STATUS_OK) {
        static const struct entity none = {0};
        compile->bsp = bsp;
        source_state(compile)->old_world = arrlen(old.entities) ? &old.entities[0] : &none;
        entities_finish(compile);
        compile->bsp = loaded;
    }
    entities_free(&old);
    return status;
}

/* Detail props of a face depend on its material, which is known by name. */
static void take_materials(struct compile *compile, const struct bsp *bsp)
{
    arrsetlen(compile->texinfos.materials, 0);
    for (size_t i = 0; i < arrlenu(bsp->texinfo); i++) {
        const char *name = bsp_texinfo_name(bsp, (int)i);
        arrput(compile->texinfos.materials, material_patch_find(compile, name));
    }
}

enum status source_update_props(struct compile *compile, struct bsp *bsp)
{
    take_materials(compile, bsp);
    return replace_props(compile, bsp, true);
}

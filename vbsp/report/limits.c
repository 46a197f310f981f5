/* The limits of the target, and the largest contributors to each: solids, entities or, for repeated
 * objects, materials and classes. */
#include <stdlib.h>
#include <string.h>

#include "common/bsp/face_records.h"
#include "common/bsp/overlay_records.h"
#include "common/bsp/query.h"
#include "common/bsp/water_overlay_records.h"
#include "common/core/array.h"
#include "common/diag/codes/bsp_fit.def"
#include "common/diag/codes/bsp_limits.def"
#include "vbsp/csg/brush_make.h"
#include "vbsp/report/report.h"
#include "vbsp/target/target.h"

enum user_kind { USER_BRUSH, USER_ENTITY, USER_CLASS, USER_MATERIAL, USER_FOLDER };

struct user {
    enum user_kind kind;
    int index;        /* of the brush in `brushes`, or of the entity (of a class, the first) */
    const char *text; /* class, material or folder */
    int64_t amount;
};

struct tally {
    const struct compile *compile;
    struct arena *arena; /* for the report */
    struct arena scratch;
    struct map_brush **brushes; /* stb_ds array: those of the lump, then those with displacements */
    struct {
        const struct brush_side *key;
        int value;
    } *brush_of; /* hash map: index in brushes by side; filled on first use */
    struct {
        char *key;
        int value;
    } *texts; /* string map: numbers for texts */
    struct {
        uint64_t key;
        int value;
    } *known;           /* hash map: index in users by kind and number */
    struct user *users; /* stb_ds array */
};

static void add(struct tally *tally, enum user_kind kind, int number, const struct user *user,
                int64_t amount)
{
    uint64_t key = (uint64_t)kind << 32 | (uint32_t)number;
    ptrdiff_t at = hmgeti(tally->known, key);
    if (at < 0) {
        hmput(tally->known, key, (int)arrlen(tally->users));
        arrput(tally->users, *user);
        at = hmgeti(tally->known, key);
    }
    tally->users[tally->known[at].value].amount += amount;
}

static void add_brush(struct tally *tally, int brush, int64_t amount)
{
    if (brush >= 0)
        add(tally, USER_BRUSH, brush, &(struct user){.kind = USER_BRUSH, .index = brush}, amount);
}

static void add_entity(struct tally *tally, int entity, int64_t amount)
{
    add(tally, USER_ENTITY, entity, &(struct user){.kind = USER_ENTITY, .index = entity}, amount);
}

static void add_text(struct tally *tally, enum user_kind kind, const char *text, int index,
                     int64_t amount)
{
    if (!tally->texts)
        sh_new_strdup(tally->texts);
    ptrdiff_t at = shgeti(tally->texts, text);
    if (at < 0) {
        int number = (int)shlen(tally->texts);
        shput(tally->texts, text, number);
        at = shgeti(tally->texts, text);
    }
    struct user user = {.kind = kind, .index = index};
    user.text = arena_strdup(&tally->scratch, text);
    add(tally, kind, tally->texts[at].value, &user, amount);
}

static void list_sides(struct tally *tally)
{
    for (size_t i = 0; i < arrlenu(tally->brushes); i++)
        for (int j = 0; j < tally->brushes[i]->side_count; j++)
            hmput(tally->brush_of, &tally->brushes[i]->sides[j], (int)i);
}

/* The brush of a side; -1: none. */
static int brush_of_side(struct tally *tally, const struct brush_side *side)
{
    if (!tally->brush_of)
        list_sides(tally);
    ptrdiff_t at = side ? hmgeti(tally->brush_of, side) : -1;
    return at < 0 ? -1 : tally->brush_of[at].value;
}

static int brush_of_face(struct tally *tally, int face)
{
    const struct compile *compile = tally->compile;
    return brush_of_side(tally, compile->target->side_of_face(compile, face));
}

/* --- brushes --- */

static void brushes(struct tally *tally)
{
    for (int i = 0; i < (int)arrlen(tally->compile->brushes); i++)
        add_entity(tally, tally->compile->brushes[i]->entity, 1);
}

static void brush_sides(struct tally *tally)
{
    for (int i = 0; i < (int)arrlen(tally->compile->brushes); i++)
        add_brush(tally, i, tally->compile->brushes[i]->side_count);
}

static void drawn_sides(struct tally *tally)
{
    for (int i = 0; i < (int)arrlen(tally->compile->brushes); i++)
        add_brush(tally, i, map_brush_drawn_sides(tally->compile->brushes[i]));
}

static void leaf_brushes(struct tally *tally)
{
    const int32_t *list = tally->compile->bsp->leaf_brushes;
    for (size_t i = 0; i < arrlenu(list); i++)
        add_brush(tally, list[i], 1);
}

/* The first brush with a plane of each pair. */
static int *plane_users(struct tally *tally)
{
    size_t pairs = (arrlenu(tally->compile->planes.planes) + 1) / 2;
    int *users = ARENA_ARRAY(&tally->scratch, int, pairs);
    for (size_t i = 0; i < pairs; i++)
        users[i] = -1;
    for (int i = (int)arrlen(tally->brushes) - 1; i >= 0; i--)
        for (int j = 0; j < tally->brushes[i]->side_count; j++)
            users[tally->brushes[i]->sides[j].plane >> 1] = i;
    return users;
}

static void planes(struct tally *tally)
{
    int *users = plane_users(tally);
    for (size_t i = 0; i < arrlenu(tally->compile->bsp->planes) / 2; i++)
        add_brush(tally, users[i], 2);
}

/* --- trees --- */

static void add_nodes(struct tally *tally, int head, int entity, const int *users)
{
    const struct bsp *bsp = tally->compile->bsp;
    int *stack = NULL;
    arrput(stack, head);
    while (arrlenu(stack)) {
        int number = arrpop(stack);
        if (number < 0)
            continue;
        const struct bsp_node *node = &bsp->nodes[number];
        arrput(stack, node->children[0]);
        arrput(stack, node->children[1]);
        if (entity > 0)
            add_entity(tally, entity, 1);
        else
            add_brush(tally, users[node->plane >> 1], 1);
    }
    arrfree(stack);
}

/* In the world, the brush whose plane splits the node; each node adds one leaf. */
static void nodes(struct tally *tally)
{
    const struct compile *compile = tally->compile;
    const int *users = plane_users(tally);
    for (size_t i = 0; i < arrlenu(compile->entities); i++) {
        int model = compile->entities[i].model;
        if (model >= 0 && model < (int)arrlen(compile->bsp->models))
            add_nodes(tally, compile->bsp->models[model].head_node, (int)i, users);
    }
}

static void clusters(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    if (arrlenu(bsp->models))
        add_nodes(tally, bsp->models[0].head_node, 0, plane_users(tally));
}

/* --- faces --- */

static void faces(struct tally *tally)
{
    for (int i = 0; i < (int)arrlen(tally->compile->bsp->faces); i++)
        add_brush(tally, brush_of_face(tally, i), 1);
}

static void edges(struct tally *tally)
{
    const struct bsp_face *list = tally->compile->bsp->faces;
    for (int i = 0; i < (int)arrlen(list); i++)
        add_brush(tally, brush_of_face(tally, i), list[i].edge_count);
}

static void original_faces(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    bool *seen = ARENA_ARRAY(&tally->scratch, bool, arrlenu(bsp->original_faces));
    for (int i = 0; i < (int)arrlen(bsp->faces); i++) {
        int original = bsp->faces[i].original_face;
        if (original < 0 || seen[original])
            continue;
        seen[original] = true;
        add_brush(tally, brush_of_face(tally, i), 1);
    }
}

static void leaf_faces(struct tally *tally)
{
    const int32_t *list = tally->compile->bsp->leaf_faces;
    for (size_t i = 0; i < arrlenu(list); i++)
        add_brush(tally, brush_of_face(tally, list[i]), 1);
}

static void add_primitives(struct tally *tally, bool indices, bool vertices)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (int i = 0; i < (int)arrlen(bsp->faces); i++)
        for (int j = 0; j < bsp->faces[i].primitive_count; j++) {
            const struct bsp_primitive *primitive =
                &bsp->primitives[bsp->faces[i].first_primitive + j];
            int64_t amount = indices    ? primitive->index_count
                             : vertices ? primitive->vertex_count
                                        : 1;
            add_brush(tally, brush_of_face(tally, i), amount);
        }
}

static void primitives(struct tally *tally)
{
    add_primitives(tally, false, false);
}

static void primitive_indices(struct tally *tally)
{
    add_primitives(tally, true, false);
}

static void primitive_vertices(struct tally *tally)
{
    add_primitives(tally, false, true);
}

/* --- materials --- */

static void texinfo(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (int i = 0; i < (int)arrlen(bsp->texinfo); i++)
        add_text(tally, USER_MATERIAL, bsp_texinfo_name(bsp, i), 0, 1);
}

/* Each material counts once, so their folders are more informative. */
static void textures(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++) {
        const char *name = bsp->texture_names[i], *slash = strrchr(name, '/');
        const char *folder =
            slash ? arena_strndup(&tally->scratch, name, (size_t)(slash - name)) : "(no folder)";
        add_text(tally, USER_FOLDER, folder, 0, 1);
    }
}

static void texture_bytes(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->texture_names); i++)
        add_text(tally, USER_MATERIAL, bsp->texture_names[i], 0,
                 (int64_t)strlen(bsp->texture_names[i]));
}

static void overlays(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->overlays); i++)
        add_text(tally, USER_MATERIAL, bsp_texinfo_name(bsp, bsp->overlays[i].texinfo), 0, 1);
}

static void water_overlays(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->water_overlays); i++)
        add_text(tally, USER_MATERIAL, bsp_texinfo_name(bsp, bsp->water_overlays[i].texinfo), 0, 1);
}

static void leaf_water(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 0; i < arrlenu(bsp->leaf_water); i++)
        add_text(tally, USER_MATERIAL, bsp_texinfo_name(bsp, bsp->leaf_water[i].texinfo), 0, 1);
}

/* --- entities --- */

static void entities(struct tally *tally)
{
    const struct compile *compile = tally->compile;
    for (int i = 0; i < (int)arrlen(compile->entities); i++)
        if (!compile->entities[i].dropped)
            add_text(tally, USER_CLASS, entity_value(&compile->entities[i].keys, "classname"), i,
                     1);
}

static void game_entities(struct tally *tally)
{
    const struct compile *compile = tally->compile;
    for (int i = 1; i < (int)arrlen(compile->entities); i++)
        if (!compile->entities[i].dropped && ibsp_game_keeps(&compile->entities[i].keys))
            add_text(tally, USER_CLASS, entity_value(&compile->entities[i].keys, "classname"), i,
                     1);
}

static void models(struct tally *tally)
{
    const struct compile *compile = tally->compile;
    for (int i = 0; i < (int)arrlen(compile->entities); i++)
        if (compile->entities[i].model >= 0)
            add_text(tally, USER_CLASS, entity_value(&compile->entities[i].keys, "classname"), i,
                     1);
}

static void cubemaps(struct tally *tally)
{
    const struct compile *compile = tally->compile;
    for (int i = 0; i < (int)arrlen(compile->level->entities); i++)
        if (entity_is(&compile->level->entities[i].keys, "env_cubemap"))
            add_entity(tally, i, 1);
}

static int entity_of_portal(const struct compile *compile, int number)
{
    for (int i = 0; i < (int)arrlen(compile->entities); i++)
        if (number && compile->entities[i].portal_number == number)
            return i;
    return 0;
}

static void area_portals(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 1; i < arrlenu(bsp->area_portals); i++)
        add_entity(tally, entity_of_portal(tally->compile, bsp->area_portals[i].key), 1);
}

static void area_portal_vertices(struct tally *tally)
{
    const struct bsp *bsp = tally->compile->bsp;
    for (size_t i = 1; i < arrlenu(bsp->area_portals); i++)
        add_entity(tally, entity_of_portal(tally->compile, bsp->area_portals[i].key),
                   bsp->area_portals[i].clip_vertex_count);
}

/* --- displacements --- */

static void add_displacements(struct tally *tally, bool vertices, bool triangles)
{
    const struct bsp_displacement *list = tally->compile->bsp->displacements;
    for (size_t i = 0; i < arrlenu(list); i++) {
        int64_t across = (int64_t)1 << list[i].power;
        int64_t amount = vertices    ? (across + 1) * (across + 1)
                         : triangles ? 2 * across * across
                                     : 1;
        add_brush(tally, brush_of_face(tally, list[i].face), amount);
    }
}

static void displacements(struct tally *tally)
{
    add_displacements(tally, false, false);
}

static void displacement_vertices(struct tally *tally)
{
    add_displacements(tally, true, false);
}

static void displacement_triangles(struct tally *tally)
{
    add_displacements(tally, false, true);
}

/* Lumps that vbsp does not write are omitted. */
static const struct {
    const char *limit;
    void (*count)(struct tally *tally);
} counters[] = {
    {"models", models},
    {"brushes", brushes},
    {"brush sides", brush_sides},
    {"sides of a brush", drawn_sides},
    {"entities", entities},
    {"entities in the game", game_entities},
    {"planes", planes},
    {"nodes", nodes},
    {"leaves", nodes},
    {"leaf faces", leaf_faces},
    {"leaf brushes", leaf_brushes},
    {"clusters", clusters},
    {"areas", area_portals},
    {"area portals", area_portals},
    {"area portal vertices", area_portal_vertices},
    {"vertices", edges},
    {"edges", edges},
    {"surfedges", edges},
    {"faces", faces},
    {"original faces", original_faces},
    {"texinfo", texinfo},
    {"texdata", textures},
    {"texture names", textures},
    {"bytes of texture names", texture_bytes},
    {"characters of a texture name", texture_bytes},
    {"displacements", displacements},
    {"displacement vertices", displacement_vertices},
    {"displacement triangles", displacement_triangles},
    {"overlays", overlays},
    {"water overlays", water_overlays},
    {"leaf water data", leaf_water},
    {"primitives", primitives},
    {"primitive vertices", primitive_vertices},
    {"primitive indices", primitive_indices},
    {"cubemaps", cubemaps},
};

static int compare_amounts(const void *a, const void *b)
{
    const struct user *p = a, *q = b;
    if (p->amount != q->amount)
        return p->amount < q->amount ? 1 : -1;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    if (!p->text)
        return p->index < q->index ? -1 : p->index > q->index;
    return strcmp(p->text, q->text);
}

/* As shown by the editor: class, and name if it has one. */
static const char *entity_title(const struct compile *compile, int entity, struct arena *arena)
{
    const struct entity *keys = &compile->entities[entity].keys;
    const char *name = entity_value(keys, "targetname"), *class = entity_value(keys, "classname");
    return *name ? arena_printf(arena, "%s \"%s\"", class, name) : arena_strdup(arena, class);
}

static struct diag_where entity_where(const struct compile *compile, int entity)
{
    const struct compile_entity *owner = &compile->entities[entity];
    if (!owner->map_entity) /* added by vbsp */
        return (struct diag_where){.file = compile->level->file};
    struct diag_where where = map_where(compile->level, owner->map_entity, NULL, NULL);
    where.has_point = entity_has(&owner->map_entity->keys, "origin");
    memcpy(where.point, owner->origin.e, sizeof where.point);
    return where;
}

/* With the first drawn material, or the first. */
static const char *brush_title(struct tally *tally, const struct map_brush *brush)
{
    const char *title = entity_title(tally->compile, brush->entity, &tally->scratch);
    const struct brush_side *best = NULL;
    for (int i = 0; i < brush->side_count; i++) {
        const struct brush_side *side = &brush->sides[i];
        if (side->map_side &&
            (!best || ((best->flags & SURFACE_NODRAW) && !(side->flags & SURFACE_NODRAW))))
            best = side;
    }
    return arena_printf(tally->arena, "%s with %s", title,
                        best ? best->map_side->material : "no material");
}

static struct limit_contributor make_part(struct tally *tally, const struct user *user)
{
    const struct compile *compile = tally->compile;
    struct limit_contributor part = {.amount = user->amount};
    switch (user->kind) {
    case USER_BRUSH:
        part.name = brush_title(tally, tally->brushes[user->index]);
        part.where = brush_where(compile, tally->brushes[user->index], NULL);
        break;
    case USER_ENTITY:
        part.name = entity_title(compile, user->index, tally->arena);
        part.where = entity_where(compile, user->index);
        break;
    case USER_CLASS:
        part.name = arena_printf(tally->arena, "%s entities", user->text);
        part.where = entity_where(compile, user->index);
        break;
    case USER_MATERIAL:
        part.name = arena_printf(tally->arena, "material %s", user->text);
        break;
    case USER_FOLDER:
        part.name = arena_printf(tally->arena, "materials in %s", user->text);
        break;
    }
    part.where.placed_by = NULL; /* borrowed from the level, which the report outlives */
    if (part.where.file)
        part.where.file = arena_strdup(tally->arena, part.where.file);
    return part;
}

static void free_tally(struct tally *tally)
{
    arrfree(tally->brushes);
    arrfree(tally->users);
    hmfree(tally->brush_of);
    hmfree(tally->known);
    shfree(tally->texts);
    arena_free(&tally->scratch);
}

static void find_contributors(const struct compile *compile, struct arena *arena,
                              struct limit_use *use)
{
    struct tally tally = {.compile = compile, .arena = arena};
    for (size_t i = 0; i < arrlenu(compile->brushes); i++)
        arrput(tally.brushes, compile->brushes[i]);
    for (size_t i = 0; i < arrlenu(compile->displacement_brushes); i++)
        arrput(tally.brushes, compile->displacement_brushes[i]);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        if (use->used && strcmp(counters[i].limit, use->limit->name) == 0)
            counters[i].count(&tally);
    if (tally.users)
        qsort(tally.users, arrlenu(tally.users), sizeof *tally.users, compare_amounts);
    for (size_t i = 0; i < arrlenu(tally.users) && i < LIMIT_CONTRIBUTORS; i++)
        use->contributors[use->contributor_count++] = make_part(&tally, &tally.users[i]);
    free_tally(&tally);
}

/* Of a limit that is passed, or nearly. */
static void report_use(const struct compile *compile, const struct limit_use *use)
{
    struct arena scratch = {0};
    struct diag_where where = {.file = compile->level->file};
    if (use->contributor_count && use->contributors[0].where.file)
        where = use->contributors[0].where;
    const char *users = use->contributor_count ? "; largest contributors: " : "";
    const char *listed = limit_contributors_text(use, &scratch);
    bool refused = use->used > use->limit->accepted;
    const char *more = refused ? "" : use->limit->beyond;
    if (use->used <= use->limit->maximum)
        (void)diag_report(compile->env->diag, DIAG_BSP_LIMIT_NEAR, &where, "%s: %s%s%s",
                          use->limit->name, limit_use_text(use, &scratch), users, listed);
    else
        (void)diag_report_as(
            compile->env->diag, refused ? DIAG_ERROR : DIAG_WARNING, DIAG_BSP_LIMIT, &where,
            "%s: %s of %s, %lld too many%s%s%s%s", use->limit->name, limit_use_text(use, &scratch),
            compile->options->format->target, (long long)(use->used - use->limit->maximum),
            *more ? "; " : "", more, users, listed);
    arena_free(&scratch);
}

enum status limits_check_uses(const struct compile *compile, struct limit_report *out)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < arrlenu(out->uses); i++) {
        struct limit_use *use = &out->uses[i];
        bool told = *limit_state(use->limit, use->used);
        if (told || compile->options->limit_contributors)
            find_contributors(compile, &out->arena, use);
        if (told)
            report_use(compile, use);
        if (use->used > use->limit->accepted)
            status = STATUS_FAILED;
    }
    return status;
}

enum status limits_check(const struct compile *compile, struct limit_report *out)
{
    if (!compile->options->format)
        return STATUS_OK;
    limit_report_make(compile->bsp, compile->options->format, out);
    return limits_check_uses(compile, out);
}

#include "ballance/level/bmx_level.h"

#include <inttypes.h>
#include <stdarg.h>

#include "ballance/bmx/check.h"
#include "ballance/bmx/names.h"
#include "ballance/level/level_maker.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/ballance_to_map.def"
#include "common/io/zip.h"
#include "vbsp/level/map_texture.h"

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

const char *bmx_plain_name(struct arena *arena, const char *text, size_t max)
{
    char *name = arena_strlower(arena, text);
    size_t length = strlen(name);
    if (length > max)
        name[length = max] = 0;
    for (size_t i = 0; i < length; i++)
        if (!is_plain(name[i]))
            name[i] = '_';
    return length ? name : "_";
}

const char *bmx_unique_name(struct arena *arena, const char *name, size_t max,
                            struct name_count **names)
{
    enum { DIGITS = 8 };
    const int stem = (int)(max - DIGITS);
    const char *counted = arena_printf(arena, "/%.*s", stem, name), *unique = name;
    if (!*names)
        sh_new_strdup(*names);
    size_t number = shgeti(*names, counted) < 0 ? 1 : shget(*names, counted);
    while (shgeti(*names, unique) >= 0)
        unique = arena_printf(arena, "%.*s_%zu", stem, name, ++number);
    shput(*names, counted, number);
    shput(*names, unique, 1);
    return unique;
}

#define BMX_CLIP "textures/common/clip"

enum { LEVEL_NAME_MAX = 18 };

/* Triangles to look at for cutting, smoothing and joining. Without any left, surfaces stay as they
 * are: models, or a brush for each triangle. */
#define WORK 1e9

/* --- losses --- */

static const struct {
    int code;
    const char *one, *several;
} losses[LOSS_KINDS] = {
    [LOSS_OPEN] = {DIAG_BMX_TO_OPEN, "object", "objects"},
    [LOSS_PIECES] = {DIAG_BMX_TO_PIECES, "object", "objects"},
    [LOSS_BUDGET] = {DIAG_BMX_TO_BUDGET, "closed part", "closed parts"},
    [LOSS_UNLIKE] = {DIAG_BMX_TO_UNLIKE, "closed part", "closed parts"},
    [LOSS_MAPPING] = {DIAG_BMX_TO_MAPPING, "side", "sides"},
    [LOSS_FACES] = {DIAG_BMX_TO_FACES, "face", "faces"},
    [LOSS_INSIDE_OUT] = {DIAG_BMX_TO_INSIDE_OUT, "object", "objects"},
    [LOSS_STUDIO] = {DIAG_BMX_TO_STUDIO, "model", "models"},
    [LOSS_NORMALS] = {DIAG_BMX_TO_NORMALS, "object", "objects"},
    [LOSS_UNUSED] = {DIAG_BMX_TO_UNUSED, "block", "blocks"},
    [LOSS_REACH] = {DIAG_BMX_TO_REACH, "object", "objects"},
    [LOSS_TEXTURE] = {DIAG_BMX_TO_TEXTURE, "texture", "textures"},
    [LOSS_MATERIAL] = {DIAG_BMX_TO_MATERIAL, "material", "materials"},
    [LOSS_HIDDEN] = {DIAG_BMX_TO_HIDDEN, "object", "objects"},
    [LOSS_NAME] = {DIAG_BMX_TO_NAME, "name", "names"},
    [LOSS_PACK] = {DIAG_BMX_TO_PACK, "texture", "textures"},
};

void maker_lose(struct level_maker *maker, enum bmx_loss loss, const char *format, ...)
{
    va_list args;
    if (maker->losses[loss].count++)
        return;
    va_start(args, format);
    maker->losses[loss].first = arena_vprintf(&maker->scratch, format, args);
    va_end(args);
}

static void report_loss(const struct level_maker *maker, enum bmx_loss loss)
{
    const struct diag_where where = {.file = maker->file};
    size_t count = maker->losses[loss].count;
    const char *noun = count == 1 ? losses[loss].one : losses[loss].several;
    const char *first = count == 1 ? ":" : ", the first:";
    struct arena scratch = {0};
    const char *by = loss == LOSS_MAPPING
                         ? arena_printf(&scratch, "; by up to %.3g images", maker->worst_mapping)
                         : "";
    (void)diag_report(maker->diag, losses[loss].code, &where, "%zu %s%s '%.120s'%s", count, noun,
                      first, maker->losses[loss].first, by);
    arena_free(&scratch);
}

static void report_losses(const struct level_maker *maker)
{
    for (int i = 0; i < LOSS_KINDS; i++)
        if (maker->losses[i].count)
            report_loss(maker, (enum bmx_loss)i);
}

/* --- brushes of the closed parts of meshes --- */

static struct map_side make_side(struct level_maker *maker, const struct piece_side *from,
                                 const struct texture_mapping *mappings)
{
    struct map_side side = {0};
    memcpy(side.points, from->drawn.points, sizeof side.points);
    map_axes_default(from->drawn.plane.normal, &side);
    side.material = BMX_CAULK;
    if (from->mapping < 0)
        return side;
    const struct texture_mapping *mapping = &mappings[from->mapping];
    struct map_texture_axis *axes[2] = {&side.u, &side.v};
    bool is_flat = false;
    for (int k = 0; k < 2; k++)
        is_flat |= !(vec3_length(mapping->rows[k]) > 1e-9);
    side.material = maker_material(maker, mapping->material);
    for (int k = 0; k < 2 && !is_flat; k++)
        *axes[k] = (struct map_texture_axis){
            .axis = mapping->rows[k], .shift = mapping->shifts[k], .scale = 1};
    side.mapped_in_images = !is_flat;
    return side;
}

void maker_add_solid(struct level_maker *maker, const struct piece_side *sides,
                     const struct texture_mapping *mappings, struct map_entity *entity)
{
    struct map_solid solid = {.id = (int)arrlen(entity->solids),
                              .entity = (int)arrlen(maker->level->entities)};
    for (size_t i = 0; i < arrlenu(sides); i++) {
        struct map_side side = make_side(maker, &sides[i], mappings);
        side.id = (int)i;
        arrput(solid.sides, side);
    }
    arrput(entity->solids, solid);
}

/* Counts the sides whose texture is not as the mesh has it. */
static void judge_sides(struct level_maker *maker, const char *object,
                        const struct solid_piece *piece, const struct texture_mapping *mappings)
{
    for (size_t i = 0; i < arrlenu(piece->sides); i++) {
        const struct piece_side *side = &piece->sides[i];
        if (side->mapping < 0)
            continue;
        double error = side->is_mixed ? 1 : mappings[side->mapping].error;
        if (error <= MAPPING_TOLERANCE)
            continue;
        maker->worst_mapping = portable_fmax(maker->worst_mapping, error);
        maker_lose(maker, LOSS_MAPPING, "%s", object);
    }
}

/* Returns the number of brushes, 0 when the solid cannot be cut. */
static size_t add_shell(struct level_maker *maker, const char *object,
                        const struct placed_mesh *mesh, const struct mesh_shell *shell,
                        struct map_entity *entity)
{
    struct solid_surface surface;
    struct solid_piece *pieces = NULL;
    enum pieces_status status = PIECES_MANY;
    const struct pieces_limits limits = {maker->max_pieces, &maker->work};
    if (solid_surface_make(mesh, shell->triangles, &surface)) {
        size_t slivers;
        status = solid_pieces(&surface, shell, &limits, &pieces, &slivers);
        for (size_t i = 0; i < slivers && status == PIECES_OK; i++)
            maker_lose(maker, LOSS_FACES, "%s", object);
        for (size_t i = 0; i < arrlenu(pieces) && status == PIECES_OK; i++) {
            judge_sides(maker, object, &pieces[i], surface.mappings);
            maker_add_solid(maker, pieces[i].sides, surface.mappings, entity);
        }
        solid_surface_free(&surface);
    }
    if (status != PIECES_OK)
        maker_lose(maker, status == PIECES_MANY ? LOSS_BUDGET : LOSS_UNLIKE, "%s", object);
    size_t count = status == PIECES_OK ? arrlenu(pieces) : 0;
    solid_pieces_free(pieces);
    return count;
}

static void append(int **to, const int *from)
{
    for (size_t i = 0; i < arrlenu(from); i++)
        arrput(*to, from[i]);
}

/* Appends the brushes of the closed parts of a mesh, and sets *open to the triangles of the others:
 * an stb_ds array that the caller frees. */
static void maker_add_solids(struct level_maker *maker, const char *object,
                             const struct placed_mesh *mesh, struct map_entity *entity, int **open)
{
    struct mesh_shells shells;
    bool was_cut = false;
    mesh_shells_find(mesh, &maker->work, &shells);
    *open = NULL;
    for (size_t i = 0; i < arrlenu(shells.solids); i++) {
        size_t count = add_shell(maker, object, mesh, &shells.solids[i], entity);
        was_cut |= count > 1;
        if (!count)
            append(open, shells.solids[i].triangles);
    }
    append(open, shells.open);
    if (was_cut)
        maker_lose(maker, LOSS_PIECES, "%s", object);
    if (shells.inside_out)
        maker_lose(maker, LOSS_INSIDE_OUT, "%s", object);
    for (size_t i = 0; i < shells.dropped + mesh->collapsed; i++)
        maker_lose(maker, LOSS_FACES, "%s", object);
    mesh_shells_free(&shells);
}

/* --- objects --- */

static void keep(struct level_maker *maker, struct map_entity *entity)
{
    arrput(maker->level->entities, *entity);
    *entity = (struct map_entity){0};
}

static void move_to_world(struct level_maker *maker, struct map_entity *entity)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++) {
        entity->solids[i].entity = 0;
        entity->solids[i].id = (int)arrlen(maker->level->entities[0].solids);
        arrput(maker->level->entities[0].solids, entity->solids[i]);
    }
    arrsetlen(entity->solids, 0);
}

/* The faces of the mesh that the triangles come from. */
static uint32_t *faces_of(const struct placed_mesh *mesh, const int *triangles)
{
    uint32_t *faces = NULL;
    for (size_t i = 0; i < arrlenu(triangles); i++)
        arrput(faces, mesh->triangles[triangles[i]].face);
    return faces;
}

/* An object out of reach is a model as a whole, which an editor shows and no game. */
static uint32_t *faces_out_of_reach(const struct level_maker *maker, const struct bmx_mesh *mesh)
{
    uint32_t *faces = NULL;
    for (size_t i = 0; i < arrlenu(mesh->faces) && !maker->options->playable; i++)
        arrput(faces, (uint32_t)i);
    return faces;
}

static void set_materials(struct map_entity *entity, const char *material, int contents)
{
    for (size_t i = 0; i < arrlenu(entity->solids); i++)
        for (size_t k = 0; k < arrlenu(entity->solids[i].sides); k++) {
            struct map_side *side = &entity->solids[i].sides[k];
            side->material = material ? material : side->material;
            side->contents |= contents;
        }
}

/* In a game, what can be seen or touched is the world's; death boxes hurt. */
static void keep_for_game(struct level_maker *maker, const struct bmx_object *object,
                          struct map_entity *entity)
{
    enum { DETAIL = 0x8000000 };
    if (bmx_in_group(object, "DepthTestCubes")) {
        set_materials(entity, BMX_TRIGGER, 0);
        maker_set(maker, entity, "classname", "trigger_hurt");
        maker_set(maker, entity, "dmg", "100000");
        maker_set(maker, entity, "damage", "100000");
        keep(maker, entity);
        return;
    }
    set_materials(entity, object->is_hidden ? BMX_CLIP : NULL, DETAIL);
    move_to_world(maker, entity);
    map_entity_free(entity);
}

static bool has_physics(const struct bmx_object *object)
{
    return bmx_in_group(object, "Phys_Floors") || bmx_in_group(object, "Phys_FloorRails") ||
           bmx_in_group(object, "Phys_FloorStopper") || bmx_in_group(object, "DepthTestCubes");
}

/* Normals of brushes are those of their planes, or smoothed by an angle. */
static void set_smoothing(struct level_maker *maker, const char *name,
                          const struct placed_mesh *placed, struct map_entity *entity)
{
    if (!arrlen(entity->solids))
        return;
    int angle = placed_mesh_smoothing(placed, &maker->work);
    if (angle > 0)
        maker_set(maker, entity, "_smooth", "%d", angle);
    else if (angle < 0)
        maker_lose(maker, LOSS_NORMALS, "%s", name);
}

/* Adds the brushes; what is left is a model. */
static void add_geometry(struct level_maker *maker, const struct bmx_object *object,
                         struct map_entity *entity, uint32_t **model)
{
    const char *name = bmx_text_utf8(&object->name, &maker->scratch);
    const struct bmx_mesh *mesh = &maker->bmx->meshes[object->mesh];
    struct placed_mesh placed;
    int *open = NULL;
    *model = NULL;
    placed_mesh_make(mesh, object->matrix, &placed);
    if (placed.in_reach)
        maker_add_solids(maker, name, &placed, entity, &open);
    else
        maker_lose(maker, LOSS_REACH, "%s", name);
    if (arrlen(open))
        maker_lose(maker, LOSS_OPEN, "%s", name);
    if (maker->options->prisms)
        maker_add_prisms(maker, &placed, open, entity);
    else
        *model = placed.in_reach ? faces_of(&placed, open) : faces_out_of_reach(maker, mesh);
    set_smoothing(maker, name, &placed, entity);
    arrfree(open);
    placed_mesh_free(&placed);
}

static void add_object(struct level_maker *maker, const struct bmx_object *object)
{
    struct map_entity entity = maker_entity(maker, object);
    uint32_t *model = NULL;
    if (maker->options->playable && object->is_hidden && !has_physics(object)) {
        maker_lose(maker, LOSS_HIDDEN, "%s", bmx_text_utf8(&object->name, &maker->scratch));
        map_entity_free(&entity);
        return;
    }
    add_geometry(maker, object, &entity, &model);
    if (arrlen(model) && !(maker->options->playable && object->is_hidden))
        maker_add_model(maker, object, model);
    if (maker->options->playable) {
        keep_for_game(maker, object, &entity);
    } else if (arrlen(entity.solids)) {
        keep(maker, &entity);
    } else if (!arrlen(model)) {
        (void)maker_place(maker, &entity, object->matrix, "_scale");
        keep(maker, &entity);
    } else {
        map_entity_free(&entity);
    }
    arrfree(model);
}

static void add_component(struct level_maker *maker, const struct bmx_object *object)
{
    struct map_entity entity = maker_entity(maker, object);
    if (!maker_place(maker, &entity, object->matrix, "_scale")) {
        entity_remove(&entity.keys, "angles");
        entity_remove(&entity.keys, "_scale");
    }
    keep(maker, &entity);
}

/* --- */

static void count_unused(struct level_maker *maker)
{
    const struct bmx *bmx = maker->bmx;
    bool *used = ARENA_ARRAY(&maker->scratch, bool, arrlenu(bmx->meshes));
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        if (!bmx->objects[i].is_component)
            used[bmx->objects[i].mesh] = true;
    for (size_t i = 0; i < arrlenu(bmx->meshes); i++)
        if (!used[i])
            maker_lose(maker, LOSS_UNUSED, "%s",
                       bmx_text_utf8(&bmx->meshes[i].name, &maker->scratch));
}

void maker_begin(struct level_maker *maker)
{
    size_t pieces = maker->options->max_pieces;
    maker->max_pieces = pieces ? pieces : BMX_MAX_PIECES;
    maker->work = WORK;
    maker->engine = maker->options->engine ? maker->options->engine : &engine_quake3;
    maker->name = bmx_plain_name(&maker->scratch, maker->options->name, LEVEL_NAME_MAX);
}

void maker_end(struct level_maker *maker)
{
    report_losses(maker);
    arrfree(maker->materials);
    arrfree(maker->images);
    shfree(maker->names);
    shfree(maker->model_names);
    hmfree(maker->models);
    arena_free(&maker->scratch);
}

static void add_objects(struct level_maker *maker)
{
    for (size_t i = 0; i < arrlenu(maker->bmx->objects); i++)
        if (maker->bmx->objects[i].is_component)
            add_component(maker, &maker->bmx->objects[i]);
        else
            add_object(maker, &maker->bmx->objects[i]);
}

void bmx_level_make(const struct bmx *bmx, const struct bmx_level_options *options,
                    const char *file, struct diag *diag, struct level *out,
                    struct bmx_level_files *files)
{
    struct level_maker maker = {
        .bmx = bmx, .options = options, .file = file, .diag = diag, .level = out, .files = files};
    struct map_entity world = {0};
    *out = (struct level){.counted_ids = true};
    *files = (struct bmx_level_files){0};
    out->file = arena_strdup(&out->arena, file);
    maker_begin(&maker);
    maker_set(&maker, &world, "classname", "worldspawn");
    keep(&maker, &world);
    maker_add_materials(&maker);
    count_unused(&maker);
    add_objects(&maker);
    if (options->playable)
        maker_make_playable(&maker);
    if (options->playable && maker.engine->has_shaders)
        maker_add_shaders(&maker);
    maker_end(&maker);
}

/* Objects share meshes: a small file may place many faces. */
static enum status check_size(const struct bmx *bmx, const char *file, struct diag *diag)
{
    uint64_t faces = 0;
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        if (!bmx->objects[i].is_component)
            faces += arrlenu(bmx->meshes[bmx->objects[i].mesh].faces);
    if (faces <= BMX_MAX_FACES)
        return STATUS_OK;
    return diag_report(diag, DIAG_BMX_TO_LARGE, &(struct diag_where){.file = file},
                       "%" PRIu64 " faces of all objects; at most %d can be placed", faces,
                       BMX_MAX_FACES);
}

enum status bmx_level_decode(const void *data, size_t size, const char *file, struct diag *diag,
                             struct bmx **out)
{
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    *out = bmx_check(data, size, NULL, &findings, &stats);
    enum status status = bmx_report_errors(&findings, file, diag);
    if (status == STATUS_OK)
        status = *out ? check_size(*out, file, diag) : STATUS_FAILED;
    if (status != STATUS_OK) {
        bmx_free(*out);
        *out = NULL;
    }
    bmx_findings_free(&findings);
    return status;
}

enum status bmx_level_read(const void *data, size_t size, const struct bmx_level_options *options,
                           const char *file, struct diag *diag, struct level *out,
                           struct bmx_level_files *files)
{
    struct bmx *bmx;
    *out = (struct level){0};
    *files = (struct bmx_level_files){0};
    TRY(bmx_level_decode(data, size, file, diag, &bmx));
    bmx_level_make(bmx, options, file, diag, out, files);
    bmx_free(bmx);
    return STATUS_OK;
}

bool bmx_is_bmx(const void *data, size_t size)
{
    static const char start[] = {'P', 'K', 3, 4};
    struct zip zip = {0};
    if (size < sizeof start || memcmp(data, start, sizeof start) != 0)
        return false;
    struct diag *quiet = diag_new(NULL, NULL);
    bool is = zip_read(data, size, NULL, quiet, &zip) == STATUS_OK && zip_find(&zip, "index.bm");
    zip_free(&zip);
    diag_free(quiet);
    return is;
}

#include "vbsp/target/source/materials/material_patch.h"

#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/overlays.def"
#include "common/diag/codes/replacements.def"
#include "vbsp/target/source/entities/state.h"

/* --- parallax box --- */

#define SAME_DIRECTION 1e-6

static const struct compile_entity *find_entity(const struct compile *compile, const char *name)
{
    for (size_t i = 1; i < arrlenu(compile->entities); i++) {
        const struct compile_entity *entity = &compile->entities[i];
        if (entity->use == USE_PARALLAX_BOX &&
            str_equal_nocase(entity_value(&entity->keys, "targetname"), name))
            return entity;
    }
    return NULL;
}

static const struct plane *plane_of(const struct compile *compile, const struct brush_side *side)
{
    return &compile->planes.planes[side->plane];
}

/* The side that is opposite to another one, or NULL. */
static const struct brush_side *opposite(const struct compile *compile,
                                         const struct map_brush *brush, const struct plane *plane)
{
    for (int i = 0; i < brush->side_count; i++)
        if (!brush->sides[i].bevel && vec3_dot(plane_of(compile, &brush->sides[i])->normal,
                                               plane->normal) < SAME_DIRECTION - 1)
            return &brush->sides[i];
    return NULL;
}

static bool add_row(const struct compile *compile, const struct map_brush *brush,
                    const struct plane *high, double row[4])
{
    const struct brush_side *low = opposite(compile, brush, high);
    double width = low ? high->dist + plane_of(compile, low)->dist : 0;
    if (!(width > 0))
        return false;
    for (int k = 0; k < 3; k++)
        row[k] = high->normal.e[k] / width + 0.0; /* no -0 */
    row[3] = plane_of(compile, low)->dist / width + 0.0;
    return true;
}

/* Three pairs of parallel sides make a box; its axes are in the order of those that they are
 * nearest to, and point along them. */
static struct parallax_box box_of(const struct compile *compile, const struct map_brush *brush)
{
    struct parallax_box box = {0};
    int rows = 0, sides = 0;
    for (int i = 0; i < brush->side_count; i++)
        sides += !brush->sides[i].bevel;
    for (int i = 0; i < 3 * brush->side_count && sides == 6; i++) {
        const struct brush_side *side = &brush->sides[i % brush->side_count];
        const struct plane *plane = plane_of(compile, side);
        int axis = vec3_major_axis(plane->normal);
        if (side->bevel || axis != i / brush->side_count || plane->normal.e[axis] < 0)
            continue;
        if (rows == 3 || !add_row(compile, brush, plane, box.rows[rows++]))
            return (struct parallax_box){0};
    }
    box.present = rows == 3;
    return box;
}

static struct parallax_box find_box(struct compile *compile, const struct compile_entity *cubemap)
{
    const char *name = entity_value(&cubemap->keys, "cubemapbounds"), *wrong = NULL;
    struct parallax_box box = {0};
    if (!*name)
        return box;
    const struct compile_entity *entity = find_entity(compile, name);
    if (!entity)
        wrong = "no parallax_obb has this name";
    else if (arrlen(entity->brushes) == 1)
        box = box_of(compile, compile->brushes[entity->brushes[0]]);
    if (entity && !box.present)
        wrong = "its parallax_obb is not one brush of six sides, each parallel to another";
    struct diag_where where = map_where(compile->level, cubemap->map_entity, NULL, NULL);
    if (wrong)
        diag_report(compile->env->diag, DIAG_CUBEMAP_BOX, &where, "cubemapbounds \"%s\": %s", name,
                    wrong);
    return box;
}

struct parallax_box *parallax_boxes_find(struct compile *compile)
{
    struct parallax_box *boxes = NULL;
    for (size_t i = 0; i < arrlenu(compile->entities); i++)
        if (compile->entities[i].use == USE_CUBEMAP)
            arrput(boxes, find_box(compile, &compile->entities[i]));
    return boxes;
}

/* --- material patch --- */

enum { DEPENDENTS = MATERIAL_DEPENDENTS, NAME_MAX = 127 };

static const char *const dependent_keys[DEPENDENTS] = {"$bottommaterial", "$crackmaterial",
                                                       "$fallbackmaterial"};

/* Cubemap reflections of a material and its dependents. */
struct reflection {
    bool reflects;
    const struct material *dependents[DEPENDENTS]; /* those that reflect, else NULL */
};

struct reflection_cell {
    const struct material *key;
    struct reflection value;
};

struct patch_cell {
    char *key; /* name in lower case */
    const struct material *value;
};

struct base_cell {
    const struct material *key, *value;
};

/* Identifies a copy of a material; the fourth number is its kind. */
struct copy_key {
    const struct material *base;
    int32_t kind[4];
};

struct copy_cell {
    struct copy_key key;
    const struct material *value;
};

struct material_patches {
    const char *folder;
    struct patch_cell *made;             /* stb_ds map */
    struct copy_cell *copies;            /* stb_ds map: without the name */
    struct base_cell *bases;             /* stb_ds map: original of each copy */
    struct reflection_cell *reflections; /* stb_ds map */
};

static struct material_patches *patches_of(struct compile *compile)
{
    if (source_state(compile)->patches)
        return source_state(compile)->patches;
    struct material_patches *patches = memory_zalloc(1, sizeof *patches);
    patches->folder = level_name(&compile->arena, compile->level->file);
    sh_new_strdup(patches->made);
    return source_state(compile)->patches = patches;
}

void material_patches_free(struct compile *compile)
{
    if (!source_state(compile)->patches)
        return;
    shfree(source_state(compile)->patches->made);
    hmfree(source_state(compile)->patches->copies);
    hmfree(source_state(compile)->patches->bases);
    hmfree(source_state(compile)->patches->reflections);
    memory_free(source_state(compile)->patches);
    source_state(compile)->patches = NULL;
}

const struct material *material_patch_find(struct compile *compile, const char *name)
{
    struct arena scratch = {0};
    const char *clean = asset_material_name(&scratch, name);
    ptrdiff_t at = clean ? shgeti(patches_of(compile)->made, clean) : -1;
    arena_free(&scratch);
    return at >= 0 ? source_state(compile)->patches->made[at].value
                   : assets_material(compile->assets, name);
}

const struct material *material_patch_base(struct compile *compile, const struct material *material)
{
    struct material_patches *patches = patches_of(compile);
    for (ptrdiff_t at; (at = hmgeti(patches->bases, material)) >= 0;)
        material = patches->bases[at].value;
    return material;
}

/* The name of a copy of `base`, or NULL. A copy of a copy stays in the same folder. */
static const char *copy_name(struct compile *compile, const struct material *base,
                             const char *ending)
{
    struct arena *arena = &compile->arena;
    const char *clean = asset_material_name(arena, base->name);
    const char *folder =
        asset_material_name(arena, arena_printf(arena, "maps/%s", patches_of(compile)->folder));
    if (!clean || !folder)
        return NULL;
    size_t length = strlen(folder);
    if (strncmp(clean, folder, length) == 0 && clean[length] == '/')
        clean += length + 1;
    return arena_printf(arena, "%s/%s%s", folder, clean, ending);
}

/* The existing copy of that name, or `base` if none can be made; NULL: it must be made. */
static const struct material *known_copy(struct compile *compile, const struct material *base,
                                         const char *name)
{
    if (!name)
        return base;
    struct material_patches *patches = source_state(compile)->patches;
    ptrdiff_t at = shgeti(patches->made, name);
    if (at >= 0)
        return patches->made[at].value;
    if (strlen(name) <= NAME_MAX)
        return NULL;
    struct diag_where where = {.file = compile->level->file};
    diag_report(compile->env->diag, DIAG_MATERIAL_NAME_LONG, &where,
                "\"%s\": the name of its copy, \"%s\", has more than %d characters", base->name,
                name, NAME_MAX);
    shput(patches->made, name, base);
    return base;
}

static struct material *add_copy(struct compile *compile, const struct material *base,
                                 const char *name, const struct bytes *text)
{
    struct material *copy = ARENA_NEW(&compile->arena, struct material);
    *copy = *base;
    copy->name = name;
    shput(source_state(compile)->patches->made, name, copy);
    hmput(source_state(compile)->patches->bases, copy, base);
    const char *file = arena_printf(&compile->arena, "materials/%s.vmt", name);
    pakfile_put(&compile->pakfile, file, text->data, text->size);
    return copy;
}

/* Parses the VMT again without diagnostics, which were reported the first time. */
static bool read_vmt(struct compile *compile, const struct material *material, struct arena *arena,
                     struct vmt *out)
{
    if (material->origin != MATERIAL_GAME)
        return false;
    struct diag *silent = diag_new(NULL, NULL);
    bool read = assets_vmt(compile->assets, material->name, arena, silent, out);
    diag_free(silent);
    return read;
}

/* A copy has no VMT in the game. */
static void name_dependents(struct compile *compile, const struct material *material,
                            const char *names[DEPENDENTS])
{
    bool is_copy = hmgeti(patches_of(compile)->bases, material) >= 0;
    if (material->origin == MATERIAL_GAME && !is_copy)
        memcpy(names, material->dependents, sizeof material->dependents);
    else
        names[0] = material->bottom_material;
}

/* A cycle of materials ends at the one being visited. */
static const struct reflection *reflection_of(struct compile *compile,
                                              const struct material *material)
{
    struct material_patches *patches = patches_of(compile);
    ptrdiff_t at = hmgeti(patches->reflections, material);
    if (at >= 0)
        return &patches->reflections[at].value;
    struct reflection reflection = {.reflects = material->envmap_cubemap};
    hmput(patches->reflections, material, reflection);
    const char *names[DEPENDENTS] = {NULL};
    name_dependents(compile, material, names);
    for (int i = 0; i < DEPENDENTS; i++) {
        if (!names[i])
            continue;
        const struct material *dependent = assets_material(compile->assets, names[i]);
        if (dependent == material || !reflection_of(compile, dependent)->reflects)
            continue;
        reflection.dependents[i] = dependent;
        reflection.reflects = true;
    }
    hmput(patches->reflections, material, reflection);
    return &hmgetp(patches->reflections, material)->value;
}

bool material_patch_reflects(struct compile *compile, const struct material *material)
{
    return reflection_of(compile, material)->reflects;
}

/* With forward slashes. */
static const char *material_file(struct arena *arena, const struct material *material)
{
    char *file = arena_printf(arena, "materials/%s.vmt", material->name);
    for (char *at = file; *at; at++)
        if (*at == '\\')
            *at = '/';
    return file;
}

static void begin_patch(struct compile *compile, const struct material *base, struct bytes *text)
{
    bytes_append_text(text,
                      "\"patch\"\r\n{\r\n\t\"include\"\t\t\"%s\"\r\n"
                      "\t\"replace\"\r\n\t{\r\n",
                      material_file(&compile->arena, base));
}

/* A game without such a shader ignores the keys. */
static void write_box(const struct cubemap_place *place, struct bytes *text)
{
    const int32_t *at = place->origin;
    bytes_append_text(text, "\t}\r\n\t\"insert\"\r\n\t{\r\n\t\t\"$envmapparallax\"\t\t\"1\"\r\n");
    for (int i = 0; i < 3; i++) {
        const double *row = place->box.rows[i];
        bytes_append_text(text, "\t\t\"$envmapparallaxobb%d\"\t\t\"[%.9g %.9g %.9g %.9g]\"\r\n",
                          i + 1, row[0], row[1], row[2], row[3]);
    }
    bytes_append_text(text, "\t\t\"$envmaporigin\"\t\t\"[%d %d %d]\"\r\n", (int)at[0], (int)at[1],
                      (int)at[2]);
}

static void write_dependents(struct compile *compile, const struct reflection *reflection,
                             const struct cubemap_place *place, struct material *copy,
                             struct bytes *text)
{
    for (int i = 0; i < DEPENDENTS; i++) {
        if (!reflection->dependents[i])
            continue;
        const char *other = material_patch_cubemap(compile, reflection->dependents[i], place)->name;
        bytes_append_text(text, "\t\t\"%s\"\t\t\"%s\"\r\n", dependent_keys[i], other);
        if (i == 0)
            copy->bottom_material = other;
    }
}

static const struct material *make_cubemap_copy(struct compile *compile,
                                                const struct material *material,
                                                const struct cubemap_place *place)
{
    const int32_t *origin = place->origin;
    const char *ending =
        arena_printf(&compile->arena, "_%d_%d_%d", (int)origin[0], (int)origin[1], (int)origin[2]);
    const char *name = copy_name(compile, material, ending);
    const struct material *known = known_copy(compile, material, name);
    if (known)
        return known;
    struct bytes text = {0};
    begin_patch(compile, material, &text);
    if (material->envmap_cubemap)
        bytes_append_text(&text, "\t\t\"$envmap\"\t\t\"maps/%s/c%s\"\r\n",
                          source_state(compile)->patches->folder, ending + 1);
    /* Registered before its dependents, which may refer to it. */
    struct material *copy = add_copy(compile, material, name, &text);
    struct reflection reflection = *reflection_of(compile, material);
    write_dependents(compile, &reflection, place, copy, &text);
    if (material->envmap_cubemap && place->box.present)
        write_box(place, &text);
    bytes_append_text(&text, "\t}\r\n}\r\n");
    pakfile_put(&compile->pakfile, arena_printf(&compile->arena, "materials/%s.vmt", name),
                text.data, text.size);
    bytes_free(&text);
    return copy;
}

const struct material *material_patch_cubemap(struct compile *compile,
                                              const struct material *material,
                                              const struct cubemap_place *place)
{
    struct material_patches *patches = patches_of(compile);
    const int32_t *origin = place->origin;
    struct copy_key key = {material, {origin[0], origin[1], origin[2], 0}};
    ptrdiff_t at = hmgeti(patches->copies, key);
    if (at >= 0)
        return patches->copies[at].value;
    const struct material *copy = make_cubemap_copy(compile, material, place);
    hmput(patches->copies, key, copy);
    return copy;
}

/* Keys used only by the blend of two textures. Valve's copies keep $basetexturetransform2, which
 * has no effect there. */
static bool is_blend_key(const struct kv *node)
{
    static const char *const keys[] = {
        "$basetexture2",         "$basetexture2noenvmap", "$frame2",       "$bumpmap2",
        "$bumpframe2",           "$bumptransform2",       "$surfaceprop2", "$maskedblending",
        "$blendmodulatetexture", "$blendmasktransform",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (str_equal_nocase(node->key, keys[i]))
            return true;
    return !node->value && str_starts_nocase(node->key, "worldvertextransition");
}

static void write_keys(const struct kv *block, int depth, struct bytes *text)
{
    for (const struct kv *node = block->children; node; node = node->next) {
        if (depth == 1 && is_blend_key(node))
            continue;
        for (int i = 0; i < depth; i++)
            bytes_append_text(text, "\t");
        bytes_append_text(text, "\"%s\"", node->key);
        if (node->value) {
            bytes_append_text(text, "\t\t\"%s\"\r\n", node->value);
            continue;
        }
        bytes_append_text(text, "\r\n%.*s{\r\n", depth, "\t\t\t\t\t\t\t\t");
        if (depth < 8)
            write_keys(node, depth + 1, text);
        bytes_append_text(text, "%.*s}\r\n", depth, "\t\t\t\t\t\t\t\t");
    }
}

/* The keys of the copy; false if the material is unknown. */
static bool flat_keys(struct compile *compile, const struct material *material, struct bytes *text)
{
    struct arena scratch = {0};
    struct vmt vmt;
    bool read = read_vmt(compile, material, &scratch, &vmt);
    if (read)
        write_keys(vmt.keys, 1, text);
    else if (material->flat_texture)
        bytes_append_text(text, "\t\"$basetexture\"\t\t\"%s\"\r\n", material->flat_texture);
    arena_free(&scratch);
    return read || material->flat_texture;
}

static const struct material *make_flat_copy(struct compile *compile,
                                             const struct material *material)
{
    const char *name = copy_name(compile, material, "_wvt_patch");
    const struct material *known = known_copy(compile, material, name);
    if (known)
        return known;
    struct bytes text = {0};
    const struct material *made = material;
    bytes_append_text(&text, "\"LightmappedGeneric\"\r\n{\r\n");
    if (flat_keys(compile, material, &text)) {
        bytes_append_text(&text, "}\r\n");
        struct material *copy = add_copy(compile, material, name, &text);
        copy->shader = "lightmappedgeneric";
        copy->origin = MATERIAL_BUILT_IN; /* its keys are not in a file of the game */
        made = copy;
    }
    bytes_free(&text);
    return made;
}

/* By naming convention, because the shader is unknown. */
static bool may_be_blend(const struct material *material)
{
    const char *name = material->name;
    for (const char *at = name; *at; at++)
        if (*at == '/' || *at == '\\')
            name = at + 1;
    return material->origin == MATERIAL_CATALOGUE && !*material->shader &&
           str_starts_nocase(name, "blend");
}

static void report_blend(struct compile *compile, const struct material *material)
{
    struct copy_key key = {material, {0, 0, 0, 2}};
    struct material_patches *patches = patches_of(compile);
    if (hmgeti(patches->copies, key) >= 0)
        return;
    hmput(patches->copies, key, material);
    diag_report(
        compile->env->diag, DIAG_BLEND_UNKNOWN, NULL,
        "\"%s\": its textures are unknown, so it is not replaced by a LightmappedGeneric copy",
        material->name);
}

const struct material *material_patch_flat(struct compile *compile, const struct material *material)
{
    if (may_be_blend(material))
        report_blend(compile, material);
    if (!str_starts_nocase(material->shader, "worldvertextransition"))
        return material;
    struct material_patches *patches = patches_of(compile);
    struct copy_key key = {material, {0, 0, 0, 1}};
    ptrdiff_t at = hmgeti(patches->copies, key);
    if (at >= 0)
        return patches->copies[at].value;
    const struct material *copy = make_flat_copy(compile, material);
    hmput(patches->copies, key, copy);
    return copy;
}

#include "common/assets/materials/material_set.h"

#include <math.h>
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader.h"
#include "common/assets/textures/vtf.h"
#include "common/bsp/flags.h"
#include "common/core/array.h"
#include "common/core/portable_math.h"
#include "common/core/strings.h"
#include "common/diag/codes/materials.def"
#include "common/diag/codes/missing_materials.def"

/* --- materials of shaders --- */

/* Neither solid nor opaque, and yet a brush of its own: drawn on both sides and transparent to
 * visibility. No material of Source has AUX. */
#define NON_SOLID_TRANSLUCENT (CONTENTS_AUX | CONTENTS_TRANSLUCENT)

/* Converts the contents of a Quake 3 shader to those of Source. */
static int core_contents(const struct shader *shader)
{
    static const struct {
        int quake3, core;
    } map[] = {
        {Q3_CONTENTS_LAVA, CONTENTS_SLIME},
        {Q3_CONTENTS_SLIME, CONTENTS_SLIME},
        {Q3_CONTENTS_WATER, CONTENTS_WATER},
        {Q3_CONTENTS_PLAYERCLIP, CONTENTS_PLAYERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_MONSTERCLIP, CONTENTS_MONSTERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_BOTCLIP, CONTENTS_MONSTERCLIP | CONTENTS_DETAIL},
        {Q3_CONTENTS_ORIGIN, CONTENTS_ORIGIN | CONTENTS_DETAIL},
        {Q3_CONTENTS_FOG, NON_SOLID_TRANSLUCENT | CONTENTS_TESTFOGVOLUME},
        {Q3_CONTENTS_AREAPORTAL, NON_SOLID_TRANSLUCENT | CONTENTS_AREAPORTAL},
        {Q3_CONTENTS_CLUSTERPORTAL, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
        {Q3_CONTENTS_DONOTENTER, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
        {Q3_CONTENTS_NODROP, NON_SOLID_TRANSLUCENT | CONTENTS_DETAIL},
    };
    int contents = 0, detail = shader->contents & Q3_CONTENTS_DETAIL ? CONTENTS_DETAIL : 0;
    if (shader->surface_flags & (Q3_SURFACE_HINT | Q3_SURFACE_SKIP))
        return 0;
    if (shader->contents & Q3_CONTENTS_SOLID)
        contents = shader->contents & Q3_CONTENTS_TRANSLUCENT
                       ? CONTENTS_WINDOW | CONTENTS_TRANSLUCENT
                       : CONTENTS_SOLID;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (shader->contents & map[i].quake3)
            contents |= map[i].core;
    return (contents ? contents : NON_SOLID_TRANSLUCENT) | detail;
}

static int core_surface_flags(const struct shader *shader)
{
    static const struct {
        int quake3, core;
    } map[] = {
        {Q3_SURFACE_SKY, SURFACE_SKY | SURFACE_NOLIGHT},
        {Q3_SURFACE_NODRAW, SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_HINT, SURFACE_HINT | SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_SKIP, SURFACE_SKIP | SURFACE_NODRAW | SURFACE_NOLIGHT},
        {Q3_SURFACE_NOLIGHTMAP, SURFACE_NOLIGHT},
    };
    int flags = 0;
    for (size_t i = 0; i < sizeof map / sizeof *map; i++)
        if (shader->surface_flags & map[i].quake3)
            flags |= map[i].core;
    return flags;
}

/* Fills everything but the name of the material from a shader. */
static void shader_material(const struct shader *shader, struct material *material)
{
    *material = (struct material){
        .width = shader->width,
        .height = shader->height,
        .view_width = shader->width,
        .view_height = shader->height,
        .reflectivity = {shader->average.x, shader->average.y, shader->average.z},
        .surface_flags = core_surface_flags(shader),
        .contents = core_contents(shader),
        .translucent = (shader->contents & Q3_CONTENTS_TRANSLUCENT) != 0,
        .water =
            (shader->contents & (Q3_CONTENTS_WATER | Q3_CONTENTS_SLIME | Q3_CONTENTS_LAVA)) != 0,
        .is_clip = (shader->contents &
                    (Q3_CONTENTS_PLAYERCLIP | Q3_CONTENTS_MONSTERCLIP | Q3_CONTENTS_BOTCLIP)) != 0,
        .shader = "",
        .surface_prop = "",
        .quake3 = shader,
        .origin = shader->missing    ? MATERIAL_MISSING
                  : shader->built_in ? MATERIAL_BUILT_IN
                                     : MATERIAL_GAME,
    };
}

/* --- the set --- */

/* A material without a texture of its own, such as water; measured on compiled maps. */
#define BARE_SIZE         128
#define BARE_REFLECTIVITY 0.2
/* A missing material. */
#define MISSING_SIZE         512
#define MISSING_REFLECTIVITY 0.5

struct material_cell {
    char *key;
    struct material *value;
};

struct material_set {
    struct material_source source;
    struct arena arena;
    struct material_cell *cells;  /* stb_ds map by clean name */
    const struct material *last;  /* most recently requested */
    bool holds;                   /* missing materials are collected in `held` */
    const struct material **held; /* stb_ds array */
    struct shader_set *shaders;
};

static struct mount *const *set_mounts(const struct material_set *set)
{
    return set->source.paths->mounts;
}

/* A shader_missing callback: a missing shader is held as its material. */
static bool hold_shader(void *context, const struct shader *shader)
{
    struct material_set *set = context;
    if (!set->holds)
        return false;
    struct material *material = ARENA_NEW(&set->arena, struct material);
    shader_material(shader, material);
    material->name = shader->name;
    arrput(set->held, material);
    return true;
}

struct material_set *material_set_new(const struct material_source *source)
{
    struct material_set *set = memory_zalloc(1, sizeof *set);
    set->source = *source;
    set->shaders = shader_set_new(&(struct shader_source){.env = source->env,
                                                          .paths = source->paths,
                                                          .sizes_only = source->sizes_only,
                                                          .parms = source->parms,
                                                          .missing = hold_shader,
                                                          .context = set});
    return set;
}

void material_set_free(struct material_set *set)
{
    if (!set)
        return;
    shfree(set->cells);
    arrfree(set->held);
    shader_set_free(set->shaders);
    arena_free(&set->arena);
    memory_free(set);
}

struct shader_set *material_set_shaders(const struct material_set *set)
{
    return set->shaders;
}

void material_set_hold(struct material_set *set)
{
    set->holds = true;
}

const struct material **material_set_release(struct material_set *set)
{
    const struct material **held = set->held;
    set->held = NULL;
    set->holds = false;
    return held;
}

bool material_set_has(const struct material_set *set, const char *name)
{
    struct arena scratch = {0};
    struct bytes text = {0};
    const char *clean = asset_material_name(&scratch, name);
    bool found = clean && (texdata_find(set->source.catalogue, clean) || builtin_material(clean) ||
                           material_fact(clean) ||
                           mounts_read(set_mounts(set),
                                       arena_printf(&scratch, "materials/%s.vmt", clean), &text));
    bytes_free(&text);
    arena_free(&scratch);
    return found;
}

static bool read_texture(struct material_set *set, const char *name, struct vtf_header *out)
{
    const char *file = asset_texture_file(&set->arena, name);
    struct bytes bytes = {0};
    bool read = file && mounts_read(set_mounts(set), file, &bytes) &&
                vtf_read_header(bytes.data, bytes.size, out);
    bytes_free(&bytes);
    return read;
}

static void set_looks(struct material *material, int width, int height, double reflectivity)
{
    material->width = material->view_width = width;
    material->height = material->view_height = height;
    for (int i = 0; i < 3; i++)
        material->reflectivity[i] = reflectivity;
}

/* Fills `material` with what the catalogue, the built-in set or other maps have for the name. */
static bool apply_known(const struct material_set *set, const char *clean,
                        struct material *material)
{
    const struct material *built_in = builtin_material(clean);
    const struct texdata_row *fact = built_in ? NULL : material_fact(clean);
    const struct texdata_row *row = texdata_find(set->source.catalogue, clean);
    if (built_in)
        *material = *built_in;
    else if (row || fact)
        guess_material(clean, material);
    if (fact) {
        texdata_apply(fact, false, material);
        material->origin = MATERIAL_BUILT_IN;
    }
    if (row) {
        texdata_apply(row, built_in != NULL, material);
        material->origin = MATERIAL_CATALOGUE;
    }
    return row || built_in || fact;
}

/* Returns a key's texture if it is a file; _rt_ names are generated while the game runs. */
static const char *texture_of(const struct vmt *vmt, const char *key)
{
    const char *name = vmt_value(vmt, key);
    return name && *name && !str_starts_nocase(name, "_rt_") ? name : NULL;
}

/* Sets size and reflectivity of a material whose texture is $basetexture. */
static void use_texture(struct material_set *set, const char *clean, const char *texture,
                        struct material *material)
{
    struct vtf_header header;
    if (read_texture(set, texture, &header)) {
        set_looks(material, header.width, header.height, 0);
        for (int i = 0; i < 3; i++)
            material->reflectivity[i] = portable_fmax(0, (double)header.reflectivity[i]);
        return;
    }
    set_looks(material, MISSING_SIZE, MISSING_SIZE, MISSING_REFLECTIVITY);
    struct material known = *material;
    if (apply_known(set, clean, &known)) {
        set_looks(material, known.width, known.height, 0);
        memcpy(material->reflectivity, known.reflectivity, sizeof known.reflectivity);
        return;
    }
    struct diag_where where = {.file = arena_printf(&set->arena, "materials/%s.vmt", clean)};
    diag_report(set->source.env->diag, DIAG_TEXTURE_MISSING, &where, "\"%s\"", texture);
}

/* Sets the size of water and refracting glass: that of their normal map. */
static void use_bare(struct material_set *set, const struct vmt *vmt, struct material *material)
{
    static const char *const keys[] = {"$normalmap", "$bumpmap", "%tooltexture"};
    struct vtf_header header = {.width = BARE_SIZE, .height = BARE_SIZE};
    bool found = false;
    for (int i = 0; i < 3 && !found; i++) {
        const char *texture = texture_of(vmt, keys[i]);
        found = texture && read_texture(set, texture, &header);
    }
    set_looks(material, header.width, header.height, BARE_REFLECTIVITY);
}

/* "[.2 .3 .3]", or "{51 77 77}" of 255. */
static void override_reflectivity(const struct vmt *vmt, struct material *material)
{
    const char *text = vmt_value(vmt, "$reflectivity");
    double numbers[3];
    if (!text || str_to_doubles(text, numbers, 3) != 3)
        return;
    double scale = strchr(text, '{') ? 1.0 / 255 : 1;
    for (int i = 0; i < 3; i++)
        material->reflectivity[i] = portable_fmax(0, numbers[i] * scale);
}

static bool load_game_material(struct material_set *set, const char *clean,
                               struct material *material)
{
    struct vmt vmt;
    if (!vmt_load(set_mounts(set), clean, &set->arena, set->source.env->diag, &vmt))
        return false;
    vmt_compile_meaning(&vmt, material);
    const char *texture = texture_of(&vmt, "$basetexture");
    if (texture)
        use_texture(set, clean, texture, material);
    else
        use_bare(set, &vmt, material);
    override_reflectivity(&vmt, material);
    material->origin = MATERIAL_GAME;
    return true;
}

static struct material *load_shader_material(struct material_set *set, const char *name,
                                             const char *clean)
{
    bool whole = strncmp(clean, "textures/", strlen("textures/")) == 0;
    struct arena scratch = {0};
    const char *shader = whole ? name : arena_printf(&scratch, "textures/%s", name);
    struct material *material = ARENA_NEW(&set->arena, struct material);
    shader_material(shader_set_find(set->shaders, shader), material);
    arena_free(&scratch);
    material->name = arena_strdup(&set->arena, name);
    /* A missing shader is held as the material that sides have. */
    for (size_t i = 0; i < arrlenu(set->held); i++)
        if (set->held[i]->quake3 == material->quake3)
            set->held[i] = material;
    return material;
}

/* Without a game: returns true for a tool texture of Quake 3 that Source's built-in set does not
 * have. */
static bool is_quake3_tool(struct material_set *set, const char *clean)
{
    struct arena scratch = {0};
    bool known = !set->source.paths->gameinfo && !builtin_material(clean) &&
                 !texdata_find(set->source.catalogue, clean) &&
                 strncmp(clean, "common/", strlen("common/")) == 0 &&
                 shader_set_defines(set->shaders, arena_printf(&scratch, "textures/%s", clean));
    arena_free(&scratch);
    return known;
}

static struct material *load_material(struct material_set *set, const char *name, const char *clean)
{
    if (set->source.has_shaders || is_quake3_tool(set, clean))
        return load_shader_material(set, name, clean);
    struct material *material = ARENA_NEW(&set->arena, struct material);
    set_looks(material, MISSING_SIZE, MISSING_SIZE, MISSING_REFLECTIVITY);
    material->contents = CONTENTS_SOLID;
    material->shader = material->surface_prop = "";
    material->origin = MATERIAL_MISSING;
    bool found = load_game_material(set, clean, material) || apply_known(set, clean, material);
    if (!found)
        guess_material(clean, material);
    material->name = arena_strdup(&set->arena, name);
    if (!found && set->holds)
        arrput(set->held, material);
    else if (!found)
        diag_report(set->source.env->diag, DIAG_MATERIAL_MISSING, NULL, "\"%s\"", name);
    return material;
}

const struct material *material_set_find(struct material_set *set, const char *name)
{
    /* Consecutive sides of a brush usually have the same material. */
    if (set->last && strcmp(set->last->name, name) == 0)
        return set->last;
    struct arena scratch = {0};
    const char *clean = asset_material_name(&scratch, name);
    if (!clean)
        clean = ""; /* a name outside of all mounts: never found */
    if (!set->cells)
        sh_new_strdup(set->cells);
    struct material *material = shget(set->cells, clean);
    if (!material) {
        material = load_material(set, name, clean);
        shput(set->cells, clean, material);
    }
    arena_free(&scratch);
    set->last = material;
    return material;
}

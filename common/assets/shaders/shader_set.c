#include "common/assets/shaders/shader_set.h"

#include <stdlib.h>
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/assets/shaders/shader_meaning.h"
#include "common/assets/textures/image.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/shaders.def"

/* --- the built-in script --- */

/* Tool shaders that every map relies on, for games whose scripts are not available, and the shaders
 * that correspond to tool textures of Source. */

#define NAME(name) "textures/common/" name "\n{\n"
#define OWN(name)  "textures/tools/" name "\n{\n"
#define PARM(parm) "surfaceparm " parm "\n"
#define HIDDEN     PARM("nodraw") PARM("nomarks") PARM("nolightmap")
#define AIR        PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("nomarks")
#define STRUCTURAL PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("structural")
#define END        "}\n"

/* Flags and contents are those of compiled maps that use them. Tool textures of Source without a
 * counterpart in `common` have their Quake 3 definition here. */
/* clang-format off */
const char shader_builtin_script[] =
    NAME("caulk") HIDDEN END
    NAME("clip") HIDDEN PARM("nonsolid") PARM("playerclip") PARM("noimpact") END
    NAME("weapclip") PARM("nodraw") PARM("nomarks") PARM("trans") END
    NAME("botclip") AIR PARM("nolightmap") PARM("noimpact") PARM("botclip") END
    NAME("nodraw") AIR END
    NAME("nodrawnonsolid") PARM("nodraw") PARM("nonsolid") END
    NAME("hint") STRUCTURAL PARM("noimpact") PARM("hint") END
    NAME("hintskip") STRUCTURAL PARM("skip") END
    NAME("skip") STRUCTURAL PARM("skip") END
    NAME("areaportal") STRUCTURAL PARM("nomarks") PARM("nolightmap") PARM("areaportal") END
    NAME("clusterportal") AIR PARM("clusterportal") END
    NAME("donotenter") AIR PARM("donotenter") END
    NAME("trigger") PARM("nodraw") END
    NAME("origin") PARM("nodraw") PARM("nonsolid") PARM("origin") END
    NAME("lightgrid") AIR PARM("nolightmap") PARM("lightgrid") END
    NAME("slick") PARM("nodraw") PARM("nomarks") PARM("trans") PARM("slick") END
    NAME("nodrop") AIR PARM("nolightmap") PARM("nodrop") END
    NAME("antiportal") STRUCTURAL PARM("nomarks") PARM("nolightmap") PARM("antiportal") END
    NAME("terrain") HIDDEN "q3map_terrain\n" END
    OWN("toolsskybox") PARM("sky") PARM("nolightmap") PARM("noimpact") PARM("nomarks") END
    OWN("toolsinvisibleladder") AIR PARM("playerclip") PARM("ladder") END;
/* clang-format on */

#define FOLDER "textures/"

/* Returns the shader that does the same as a tool texture of Source, by its clean name with or
 * without "textures/" in front; NULL: none. */
static const char *shader_of_tool(const char *clean)
{
    /* Bullet clips are plain clips, because Quake 3 cannot block one of the two only. Black
     * textures become nodraw, which looks the same with nothing behind it; an undefined shader
     * would be drawn as the engine's grid. */
    static const struct {
        const char *source, *quake3;
    } tools[] = {
        {"tools/toolsareaportal", "textures/common/areaportal"},
        {"tools/toolsblack", "textures/common/caulk"},
        {"tools/toolsblack_noportal", "textures/common/caulk"},
        {"tools/toolsblock_los", "textures/common/nodraw"},
        {"tools/toolsblockbullets", "textures/common/weapclip"},
        {"tools/toolsblocklight", "textures/common/nodraw"},
        {"tools/toolsclip", "textures/common/clip"},
        {"tools/toolscontrolclip", "textures/common/clip"},
        {"tools/toolsfog", "textures/common/nodraw"},
        {"tools/toolshint", "textures/common/hint"},
        {"tools/toolsinvisible", "textures/common/weapclip"},
        {"tools/toolsnodraw", "textures/common/caulk"},
        {"tools/toolsnpcclip", "textures/common/botclip"},
        {"tools/toolsoccluder", "textures/common/nodraw"},
        {"tools/toolsorigin", "textures/common/origin"},
        {"tools/toolsplayerclip", "textures/common/clip"},
        {"tools/toolsskip", "textures/common/skip"},
        {"tools/toolsskybox2d", "textures/tools/toolsskybox"},
        {"tools/toolstrigger", "textures/common/trigger"},
    };
    /* "tools/toolsclip_wood" and the like: their surface property has no counterpart. */
    static const struct {
        const char *start, *quake3;
    } kinds[] = {
        {"tools/toolsclip_", "textures/common/clip"},
        {"tools/toolsnodraw_", "textures/common/caulk"},
    };
    if (strncmp(clean, FOLDER, strlen(FOLDER)) == 0)
        clean += strlen(FOLDER);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(tools[i].source, clean) == 0)
            return tools[i].quake3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(clean, kinds[i].start, strlen(kinds[i].start)) == 0)
            return kinds[i].quake3;
    return NULL;
}

#define BARE_SIZE    64 /* without an image */
#define BARE_AVERAGE 0.5
#define BEVEL_SHADER "noshader" /* shader of sides that compilers add to brushes */

struct shader_entry {
    char *key; /* clean name */
    struct shader *value;
};

struct shader_set {
    struct shader_source source;
    struct arena arena;
    struct shader_scripts scripts, built_in;
    bool is_read;                 /* the scripts were read */
    bool told_no_game;            /* reported that there is no game */
    struct shader_entry *shaders; /* stb_ds map */
    struct custom_parm *custom;   /* stb_ds array */
    struct {
        char *key;
        bool value;
    } *ignored; /* keywords that were reported; stb_ds map */
    /* Used shaders from scripts that are not listed, and used shaders with several definitions. */
    struct tally {
        size_t count;
        const char *first, *file, *other;
    } unlisted, repeated;
};

static struct diag *set_diag(const struct shader_set *set)
{
    return set->source.env->diag;
}

static struct mount *const *set_mounts(const struct shader_set *set)
{
    return set->source.paths->mounts;
}

struct shader_set *shader_set_new(const struct shader_source *source)
{
    struct shader_set *set = memory_zalloc(1, sizeof *set);
    set->source = *source;
    sh_new_strdup(set->shaders);
    sh_new_strdup(set->ignored);
    struct bytes text = {0};
    bytes_append(&text, shader_builtin_script, strlen(shader_builtin_script));
    shader_scripts_add(&set->built_in, &text, "built-in", true, set_diag(set));
    return set;
}

void shader_set_free(struct shader_set *set)
{
    if (!set)
        return;
    for (ptrdiff_t i = 0; i < shlen(set->shaders); i++)
        shader_free_lists(set->shaders[i].value);
    shfree(set->shaders);
    shfree(set->ignored);
    arrfree(set->custom);
    shader_scripts_free(&set->scripts);
    shader_scripts_free(&set->built_in);
    arena_free(&set->arena);
    memory_free(set);
}

struct name_cell {
    char *key;
    bool value;
};

/* Scripts in the order in which they are read: the listed ones, as earlier compilers read them,
 * then the others by name, from any pack. (The engine, ioquake3, was seen to take the first of all
 * by name.) */
struct script_order {
    struct name_cell *seen; /* stb_ds map by clean name */
    const char **names;     /* stb_ds array */
    size_t listed;
    struct arena arena;
};

static void add_script(struct script_order *order, const char *name)
{
    const char *clean = asset_name(&order->arena, name);
    if (!clean || shgeti(order->seen, clean) >= 0)
        return;
    shput(order->seen, clean, true);
    arrput(order->names, clean);
}

static void collect_script(void *context, const char *name)
{
    struct script_order *order = context;
    if (str_ends_nocase(name, ".shader"))
        add_script(order, arena_printf(&order->arena, "scripts/%s", name));
}

/* One name per line, with or without its extension. */
static void read_list(struct script_order *order, const struct bytes *text)
{
    const struct shader_block lines = {
        .text = (const char *)text->data, .size = text->size, .text_line = 1};
    struct shader_cursor cursor = shader_cursor(&lines);
    struct shader_directive line;
    while (text->size && shader_next_directive(&cursor, &order->arena, &line)) {
        const char *ending = str_ends_nocase(line.words[0], ".shader") ? "" : ".shader";
        add_script(order, arena_printf(&order->arena, "scripts/%s%s", line.words[0], ending));
    }
}

static void read_custom_parms(struct shader_set *set)
{
    static const char file[] = "scripts/custinfoparms.txt";
    struct bytes text = {0};
    if (set->source.parms.custom && !mounts_read(set_mounts(set), file, &text))
        (void)diag_report(set_diag(set), DIAG_CUSTOM_PARMS, &(struct diag_where){.file = file},
                          "the game has no such file");
    custom_parms_read((const char *)text.data, text.size, file, &set->arena, set_diag(set),
                      &set->custom);
    bytes_free(&text);
}

static void read_scripts(struct shader_set *set)
{
    struct script_order order = {0};
    set->is_read = true;
    read_custom_parms(set);
    sh_new_strdup(order.seen);
    struct bytes list = {0};
    struct mount *const *mounts = set_mounts(set);
    for (size_t i = 0; i < arrlenu(mounts); i++, list.size = 0)
        if (mounts[i]->ops->read(mounts[i], "scripts/shaderlist.txt", &list))
            read_list(&order, &list);
    bytes_free(&list);
    order.listed = arrlenu(order.names);
    mounts_list(mounts, "scripts", collect_script, &order);
    if (arrlenu(order.names) > order.listed)
        qsort(order.names + order.listed, arrlenu(order.names) - order.listed, sizeof *order.names,
              str_compare_items);
    for (size_t i = 0; i < arrlenu(order.names); i++) {
        struct bytes text = {0};
        bool listed = i < order.listed || order.listed == 0;
        if (mounts_read(mounts, order.names[i], &text))
            shader_scripts_add(&set->scripts, &text, order.names[i], listed, set_diag(set));
    }
    arrfree(order.names);
    shfree(order.seen);
    arena_free(&order.arena);
}

static const struct shader_block *find_block(struct shader_set *set, const char *clean,
                                             bool *built_in)
{
    if (!set->is_read)
        read_scripts(set);
    const struct shader_block *block = shader_scripts_find(&set->scripts, clean);
    *built_in = !block;
    return block ? block : shader_scripts_find(&set->built_in, clean);
}

bool shader_set_defines(struct shader_set *set, const char *name)
{
    struct arena scratch = {0};
    bool built_in;
    const char *clean = shader_clean_name(&scratch, name);
    bool defined = clean && find_block(set, clean, &built_in);
    arena_free(&scratch);
    return defined;
}

const struct shader_block *shader_set_block(struct shader_set *set, const char *name)
{
    struct arena scratch = {0};
    bool built_in;
    const char *clean = shader_clean_name(&scratch, name);
    const struct shader_block *block = clean ? find_block(set, clean, &built_in) : NULL;
    arena_free(&scratch);
    return block && !built_in ? block : NULL;
}

static const struct shader_block *look_up_base(void *context, const char *name)
{
    struct shader_set *set = context;
    bool built_in;
    const char *clean = shader_clean_name(&set->arena, name);
    return clean ? find_block(set, clean, &built_in) : NULL;
}

static void note_unheeded(void *context, const struct shader_directive *directive, bool known)
{
    struct shader_set *set = context;
    struct arena scratch = {0};
    const char *ignored_name = str_equal_nocase(directive->words[0], "surfaceparm")
                                   ? directive->rest
                                   : directive->words[0];
    const char *key = asset_name(&scratch, ignored_name);
    if (key && shgeti(set->ignored, key) < 0) {
        shput(set->ignored, key, true);
        (void)diag_report(set_diag(set), DIAG_SHADER_KEYWORD, NULL, "%s%s%s",
                          ignored_name == directive->rest ? "surfaceparm " : "", ignored_name,
                          known ? "" : " (unknown)");
    }
    arena_free(&scratch);
}

/* Reads as much of an image as its size needs, when nothing else is needed. */
static bool read_image(const struct shader_set *set, const char *file, struct bytes *bytes)
{
    int width, height;
    bytes->size = 0;
    if (set->source.sizes_only &&
        mounts_read_start(set_mounts(set), file, MOUNT_IMAGE_START, bytes) &&
        image_size(bytes->data, bytes->size, &width, &height))
        return true;
    bytes->size = 0;
    return mounts_read(set_mounts(set), file, bytes);
}

/* Returns the file of an image: its name with the first extension that exists in place of its own.
 * The bytes are the file's. */
static const char *find_image(struct shader_set *set, const char *name, struct bytes *bytes)
{
    static const char *const endings[] = {".tga", ".jpg", ".png", ".bmp"};
    const char *clean = name ? shader_clean_name(&set->arena, name) : NULL;
    for (size_t i = 0; clean && i < sizeof endings / sizeof *endings; i++) {
        const char *file = arena_printf(&set->arena, "%s%s", clean, endings[i]);
        if (read_image(set, file, bytes))
            return file;
    }
    return NULL;
}

/* Uses the first image that exists and has a size. */
static void use_image(struct shader_set *set, const char *const *names, size_t count,
                      struct shader *shader, struct bytes *bytes)
{
    for (size_t i = 0; i < count && !shader->image; i++) {
        const char *file = find_image(set, names[i], bytes);
        if (!file)
            continue;
        if (image_size(bytes->data, bytes->size, &shader->width, &shader->height))
            shader->image = file;
        else
            (void)diag_report(set_diag(set), DIAG_IMAGE_BROKEN, &(struct diag_where){.file = file},
                              "unknown format, used by shader \"%s\"", shader->name);
    }
}

static void average_of(const struct shader_set *set, const char *file, const struct bytes *bytes,
                       struct shader *shader)
{
    int width, height;
    uint8_t *pixels = image_decode(bytes->data, bytes->size, &width, &height);
    if (pixels)
        shader->average = image_average(pixels, width, height);
    else
        (void)diag_report(set_diag(set), DIAG_IMAGE_BROKEN, &(struct diag_where){.file = file},
                          "used by shader \"%s\"", shader->name);
    memory_free(pixels);
}

/* Size from the image that editors show; colour from the light image. */
static void use_images(struct shader_set *set, const char *clean,
                       const struct shader_images *images, struct shader *shader)
{
    const char *const names[] = {images->editor, clean, images->stage, images->light};
    struct bytes bytes = {0}, light = {0};
    use_image(set, names, 4, shader, &bytes);
    shader->light_image = images->light ? find_image(set, images->light, &light) : NULL;
    const struct bytes *colour = shader->light_image ? &light : &bytes;
    shader->own_colour = images->has_colour;
    if (!shader->light_image)
        shader->light_image = shader->image;
    if (shader->light_image && !images->has_colour && !set->source.sizes_only)
        average_of(set, shader->light_image, colour, shader);
    bytes_free(&bytes);
    bytes_free(&light);
}

static void report_missing(struct shader_set *set, const struct shader *shader, bool plain)
{
    const struct diag_where where = {.file = shader->file, .line = shader->line};
    bool drawn = !plain &&
                 !(shader->surface_flags &
                   (Q3_SURFACE_NODRAW | Q3_SURFACE_SKY | Q3_SURFACE_HINT | Q3_SURFACE_SKIP)) &&
                 !(shader->compile_flags & SHADER_FOG_PARMS);
    if (shader->missing && set->source.missing(set->source.context, shader))
        return;
    if (shader->missing && !arrlen(set_mounts(set))) {
        if (!set->told_no_game && !diag_count_code(set_diag(set), DIAG_QUAKE3_NO_GAME))
            (void)diag_report(set_diag(set), DIAG_QUAKE3_NO_GAME, NULL,
                              "shaders are unknown, first \"%s\"", shader->name);
        set->told_no_game = true;
    } else if (shader->missing)
        (void)diag_report(set_diag(set), DIAG_SHADER_MISSING, NULL, "\"%s\"", shader->name);
    else if (!shader->image && shader->has_script && drawn)
        (void)diag_report(set_diag(set), DIAG_IMAGE_MISSING, &where, "\"%s\"", shader->name);
}

static void count_one(struct tally *tally, const struct shader *shader, const char *other)
{
    if (tally->count++)
        return;
    tally->first = shader->name;
    tally->file = shader->file;
    tally->other = other;
}

static const struct dialect *set_dialect(const struct shader_set *set)
{
    const struct engine *engine = set->source.parms.engine;
    return engine ? engine->dialect : NULL;
}

static struct shader_reader reader_of(struct shader_set *set)
{
    return (struct shader_reader){.arena = &set->arena,
                                  .ignored = note_unheeded,
                                  .lookup = look_up_base,
                                  .context = set,
                                  .custom = set->custom,
                                  .dialect = set_dialect(set)};
}

static void read_meaning(struct shader_set *set, const struct shader_block *block, bool built_in,
                         struct shader *shader, struct shader_images *images)
{
    const struct shader_reader reader = reader_of(set);
    shader_read_block(&reader, block, shader, images);
    shader->has_script = !built_in;
    shader->built_in = built_in;
    if (built_in)
        return;
    shader->file = block->file;
    shader->line = block->line;
    if (!block->listed)
        count_one(&set->unlisted, shader, NULL);
    if (block->again_in)
        count_one(&set->repeated, shader, block->again_in);
}

static struct shader *load_shader(struct shader_set *set, const char *name, const char *clean,
                                  struct shader_images *images)
{
    struct shader *shader = ARENA_NEW(&set->arena, struct shader);
    bool built_in;
    clean = arena_strdup(&set->arena, clean);
    shader_defaults(shader);
    shader_apply_dialect(set_dialect(set), shader);
    shader->name = arena_strdup(&set->arena, name);
    shader->average = vec3(BARE_AVERAGE, BARE_AVERAGE, BARE_AVERAGE);
    const struct shader_block *block = *clean ? find_block(set, clean, &built_in) : NULL;
    if (block)
        read_meaning(set, block, built_in, shader, images);
    const struct shader_reader reader = reader_of(set);
    for (size_t i = 0; i < set->source.parms.all_count; i++)
        shader_apply_parm(&reader, set->source.parms.all[i], shader);
    if (strcmp(clean, BEVEL_SHADER) == 0)
        shader->built_in = true;
    use_images(set, clean, images, shader);
    shader->missing = !block && !shader->image && !shader->built_in;
    if (!shader->image)
        shader->width = shader->height = BARE_SIZE;
    if (images->size[0]) {
        shader->width = images->size[0];
        shader->height = images->size[1];
    }
    return shader;
}

/* Returns the name without its extension, as in a BSP. */
static const char *bare_name(struct arena *arena, const char *name)
{
    const char *clean = shader_clean_name(arena, name);
    const char *whole = clean ? asset_name(arena, name) : NULL;
    if (!clean)
        return name;
    if (strlen(whole) != strlen(name))
        return clean;
    return arena_strndup(arena, name, strlen(clean));
}

const struct shader *shader_set_find(struct shader_set *set, const char *name)
{
    struct arena scratch = {0};
    const char *clean = shader_clean_name(&scratch, name);
    if (!clean)
        clean = ""; /* a name outside of all mounts: never found */
    const char *tool = shader_of_tool(clean);
    bool built_in;
    if (tool && !find_block(set, clean, &built_in)) /* a game may have its own definition */
        clean = name = tool;
    struct shader *shader = shget(set->shaders, clean);
    if (!shader) {
        struct shader_images images = {0};
        shader = load_shader(set, bare_name(&scratch, name), clean, &images);
        shput(set->shaders, clean, shader);
        report_missing(set, shader, images.plain_stage && !images.stage);
    }
    arena_free(&scratch);
    return shader;
}

/* Returns false, with *pixels NULL, when the file is missing or cannot be decoded. */
static bool decode_file(const struct shader_set *set, const char *file, uint8_t **pixels,
                        int *width, int *height)
{
    struct bytes bytes = {0};
    *pixels = NULL;
    if (file && mounts_read(set_mounts(set), file, &bytes))
        *pixels = image_decode(bytes.data, bytes.size, width, height);
    bytes_free(&bytes);
    return *pixels != NULL;
}

bool shader_set_pixels(const struct shader_set *set, const struct shader *shader, uint8_t **pixels,
                       int *width, int *height)
{
    return decode_file(set, shader->light_image, pixels, width, height);
}

bool shader_set_image(struct shader_set *set, const char *name, uint8_t **pixels, int *width,
                      int *height)
{
    struct bytes bytes = {0};
    const char *file = find_image(set, name, &bytes);
    bytes_free(&bytes);
    return decode_file(set, file, pixels, width, height);
}

void shader_set_report(const struct shader_set *set, struct diag *diag)
{
    const struct tally *unlisted = &set->unlisted, *repeated = &set->repeated;
    if (unlisted->count)
        (void)diag_report(diag, DIAG_SHADER_UNLISTED, NULL, "%zu shader%s, first \"%s\" in %s",
                          unlisted->count, unlisted->count == 1 ? "" : "s", unlisted->first,
                          unlisted->file);
    if (repeated->count)
        (void)diag_report(diag, DIAG_SHADER_REPEATED, NULL,
                          "%zu shader%s, first \"%s\" in %s and %s", repeated->count,
                          repeated->count == 1 ? "" : "s", repeated->first, repeated->file,
                          repeated->other);
}

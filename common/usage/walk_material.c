/* Materials: the textures and materials that a VMT names, whatever its shader is. */
#include <string.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/usage/walk.h"

enum { BLOCKS_DEEP = 16 };

void use_material(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct arena *arena = &walk->out->arena;
    const char *clean = asset_material_name(arena, name);
    if (clean)
        walk_use(walk, USAGE_MATERIAL, arena_printf(arena, "materials/%s.vmt", clean), "", edge);
}

void use_texture(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    const char *file = asset_texture_file(&walk->out->arena, name);
    if (file)
        walk_use(walk, USAGE_TEXTURE, file, "", edge);
}

void use_sky(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    static const char *const sides[] = {"up", "dn", "lf", "rt", "ft", "bk"};
    for (size_t i = 0; *name && i < sizeof sides / sizeof *sides; i++) {
        struct arena *arena = &walk->out->arena;
        struct walk_edge hdr = walk_optional(*edge);
        use_material(walk, arena_printf(arena, "skybox/%s%s", name, sides[i]), edge);
        use_material(walk, arena_printf(arena, "skybox/%s_hdr%s", name, sides[i]), &hdr);
    }
}

struct material_walk {
    struct walk *walk;
    size_t file;
    int depth;
};

/* An included file is a node of its own, of which only the text counts: what the patch replaces in
 * it is not used. */
static bool include(void *context, const char *path, struct bytes *out)
{
    const struct material_walk *of = context;
    struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "include");
    int64_t base = walk_use(of->walk, USAGE_MATERIAL_BASE, path, "", &edge);
    if (base < 0)
        return false;
    if (of->walk->out->files[base].mount >= 0)
        return walk_read(of->walk, (size_t)base, out);
    return assets_read(of->walk->assets, of->walk->out->files[base].name, out);
}

static bool contains(const char *text, const char *part)
{
    for (; *text; text++)
        if (str_starts_nocase(text, part))
            return true;
    return false;
}

/* Words whose values are words and never files; $basetexturetransform2 is a matrix. */
static bool is_plain_key(const char *key)
{
    static const char *const plain[] = {"$surfaceprop",      "$surfaceprop2", "$surfaceprop3",
                                        "$surfaceprop4",     "$detailtype",   "$spriteorientation",
                                        "$spriterendermode", "$spriteorigin", "$fallbackshader"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (str_equal_nocase(key, plain[i]))
            return true;
    return *key == '%' || contains(key, "transform");
}

/* Shaders name their textures so; of other keys only a value that is a file counts. */
static bool is_texture_key(const char *key)
{
    static const char *const parts[] = {"texture", "normalmap", "bumpmap", "dudvmap", "envmap",
                                        "mask",    "warpmap",   "flowmap", "noisemap"};
    if (*key != '$')
        return false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (contains(key, parts[i]))
            return true;
    return str_equal_nocase(key, "$detail") || str_equal_nocase(key, "$detail2") ||
           str_equal_nocase(key, "$iris");
}

static bool is_material_key(const char *key)
{
    return str_ends_nocase(key, "material") || str_equal_nocase(key, "$underwateroverlay");
}

/* The engine's own: targets that it renders to, the nearest cubemap. */
static bool is_of_engine(const char *value)
{
    return str_starts_nocase(value, "_rt_") || str_equal_nocase(value, "env_cubemap") ||
           str_starts_nocase(value, "__");
}

/* Numbers, vectors, and names of other parameters. */
static bool is_no_name(const char *value)
{
    double number;
    return !*value || strchr("$[{(%", *value) || str_to_double(value, &number) ||
           str_to_doubles(value, &number, 1) == 1;
}

static bool has_texture(struct walk *walk, const char *value)
{
    const char *file = asset_texture_file(&walk->out->arena, value);
    return file && walk_has(walk, file);
}

static bool has_material(struct walk *walk, const char *value)
{
    struct arena *arena = &walk->out->arena;
    const char *name = asset_material_name(arena, value);
    return name && walk_has(walk, arena_printf(arena, "materials/%s.vmt", name));
}

/* In HDR the engine takes a cubemap's other file. */
static void use_hdr_cubemap(struct walk *walk, const char *value, const struct walk_edge *edge)
{
    struct arena *arena = &walk->out->arena;
    const char *file = asset_texture_file(arena, value);
    struct walk_edge hdr = walk_optional(*edge);
    if (file)
        walk_use(walk, USAGE_TEXTURE,
                 arena_printf(arena, "%.*s.hdr.vtf", (int)(strlen(file) - 4), file), "", &hdr);
}

static void use_value(const struct material_walk *of, const char *key, const char *value)
{
    struct walk *walk = of->walk;
    struct walk_edge edge = walk_from(walk, (int64_t)of->file, "%s", key);
    if (is_plain_key(key) || is_no_name(value) || is_of_engine(value))
        return;
    bool is_texture = !is_material_key(key) && (is_texture_key(key) || has_texture(walk, value));
    if (is_texture)
        use_texture(walk, value, &edge);
    else if (is_material_key(key) || (*key == '$' && has_material(walk, value)))
        use_material(walk, value, &edge);
    if (is_texture && contains(key, "envmap"))
        use_hdr_cubemap(walk, value, &edge);
}

/* Keys of other blocks than shaders', such as proxies, name a variable ("texturescrollvar") or are
 * a word as often as a file: only a path of a texture that there is counts. */
static void use_block(struct material_walk *of, const struct kv *block, bool is_shader)
{
    if (++of->depth <= BLOCKS_DEEP)
        for (const struct kv *node = block->children; node; node = node->next) {
            const char *mark = strchr(node->key, '?');
            const char *key = mark ? mark + 1 : node->key;
            bool is_proxies = str_equal_nocase(key, "proxies");
            if (!node->value)
                use_block(of, node, is_shader && !is_proxies);
            else if (is_shader || (strchr(node->value, '/') && has_texture(of->walk, node->value)))
                use_value(of, key, node->value);
        }
    of->depth--;
}

void walk_material(struct walk *walk, size_t file, const char *detail)
{
    struct material_walk of = {walk, file, 0};
    struct bytes text = {0};
    struct arena arena = {0};
    const char *name = walk->out->files[file].name;
    (void)detail;
    if (walk_read(walk, file, &text)) {
        const struct kv *root = vmt_parse_all((const char *)text.data, text.size, name, include,
                                              &of, &arena, walk->diag);
        if (root)
            use_block(&of, root, true);
    }
    bytes_free(&text);
    arena_free(&arena);
}

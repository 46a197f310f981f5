/* Models: the files beside an MDL, models that it includes, materials of its skins, gibs. */
#include <stdlib.h>
#include <string.h>

#include "common/assets/models/mdl.h"
#include "common/assets/models/phy.h"
#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"
#include "common/usage/walk.h"

static const char parts_detail[] = "parts";

void use_model(struct walk *walk, const char *name, int skin, const struct walk_edge *edge)
{
    struct arena scratch = {0};
    const char *clean = asset_name(&scratch, name);
    if (clean && str_ends_nocase(clean, ".mdl")) {
        bool is_below = str_starts_nocase(clean, "models/");
        const char *file = is_below ? clean : arena_printf(&scratch, "models/%s", clean);
        const char *detail = skin < 0 ? "skin *" : arena_printf(&scratch, "skin %d", skin);
        if (walk_use(walk, USAGE_MODEL, file, parts_detail, edge) >= 0)
            walk_use(walk, USAGE_MODEL, file, detail, edge);
    }
    arena_free(&scratch);
}

struct model_walk {
    struct walk *walk;
    size_t file;
    const char *name;
    struct mdl mdl;
    struct bytes data;
    struct arena arena;
};

static int64_t use_beside(struct model_walk *of, const char *ending, bool is_optional)
{
    struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "%s", ending);
    edge.is_optional = is_optional;
    const char *name =
        arena_printf(&of->arena, "%.*s%s", (int)(strlen(of->name) - 4), of->name, ending);
    return walk_use(of->walk, USAGE_MODEL_PART, name, "", &edge);
}

/* A model without meshes has animations alone, and no files of vertices. */
static void use_vertices(struct model_walk *of)
{
    static const char *const strips[] = {".dx90.vtx", ".dx80.vtx", ".sw.vtx", ".vtx"};
    bool is_drawn = of->mdl.mesh_count > 0, has_strips = false;
    use_beside(of, ".vvd", !is_drawn);
    for (size_t i = 0; i < sizeof strips / sizeof *strips; i++)
        has_strips |= use_beside(of, strips[i], true) >= 0;
    if (is_drawn && !has_strips)
        use_beside(of, strips[0], false);
}

/* The text at an offset, if it ends within the file; or NULL. */
static const char *text_at(const struct model_walk *of, int64_t at)
{
    const struct bytes *data = &of->data;
    if (at <= 0 || at >= (int64_t)data->size)
        return NULL;
    const char *text = (const char *)data->data + at;
    return memchr(text, 0, data->size - (size_t)at) ? text : NULL;
}

/* $includemodel: records of two offsets, relative to the record; the second is of the name. */
static void use_included(struct model_walk *of)
{
    enum { COUNT_AT = 336, RECORD = 8, MOST = 256 };
    int32_t count = (int32_t)load_u32(of->data.data + COUNT_AT);
    int64_t first = (int32_t)load_u32(of->data.data + COUNT_AT + 4);
    for (int32_t i = 0; i < count && i < MOST; i++) {
        int64_t at = first + (int64_t)i * RECORD;
        if (at < 0 || at + RECORD > (int64_t)of->data.size)
            return;
        const char *name = text_at(of, at + (int32_t)load_u32(of->data.data + at + 4));
        struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "$includemodel");
        if (name)
            use_model(of->walk, name, -1, &edge);
    }
}

static void use_animations(struct model_walk *of)
{
    enum { NAME_AT = 348, COUNT_AT = 352 };
    const char *name = text_at(of, (int32_t)load_u32(of->data.data + NAME_AT));
    struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "$animblock");
    if ((int32_t)load_u32(of->data.data + COUNT_AT) <= 0)
        return;
    if (name && str_ends_nocase(name, ".ani"))
        walk_use(of->walk, USAGE_MODEL_PART, name, "", &edge);
    else
        use_beside(of, ".ani", false);
}

/* The texture is in the first of the folders that has it. */
static void use_texture_of_model(struct model_walk *of, int32_t texture, const char *why)
{
    const struct mdl *mdl = &of->mdl;
    struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "%s", why);
    const char *first = NULL;
    for (int32_t i = 0; i <= mdl->texture_path_count; i++) {
        bool is_bare = i == mdl->texture_path_count;
        const char *name = arena_printf(&of->arena, "%s%s", is_bare ? "" : mdl->texture_paths[i],
                                        mdl->textures[texture]);
        const char *clean = asset_material_name(&of->arena, name);
        const char *file = clean ? arena_printf(&of->arena, "materials/%s.vmt", clean) : NULL;
        first = first ? first : name;
        if (file && walk_has(of->walk, file)) {
            use_material(of->walk, name, &edge);
            return;
        }
    }
    use_material(of->walk, first, &edge);
}

/* The columns that meshes show; without meshes none. */
static void use_skin(struct model_walk *of, int32_t family)
{
    const struct mdl *mdl = &of->mdl;
    const char *why = arena_printf(&of->arena, "skin %d", family);
    bool *seen = memory_zalloc((size_t)mdl->texture_count + 1, sizeof *seen);
    for (int32_t i = 0; i < mdl->mesh_count; i++) {
        int32_t texture = mdl_texture(mdl, family, mdl->meshes[i].material);
        if (texture < 0 || texture >= mdl->texture_count || seen[texture])
            continue;
        seen[texture] = true;
        use_texture_of_model(of, texture, why);
    }
    memory_free(seen);
}

static void use_skins(struct model_walk *of, const char *detail)
{
    enum { MOST = 1024 };
    int64_t skin;
    if (str_to_int64(detail, &skin)) {
        use_skin(of, skin < 0 || skin >= of->mdl.skin_families ? 0 : (int32_t)skin);
        return;
    }
    use_skin(of, 0);
    for (int32_t i = 1; i < of->mdl.skin_families && i < MOST; i++)
        use_skin(of, i);
}

/* Materials that coarser levels of detail have instead: names in each list of the VTX. */
static void use_replacements(struct model_walk *of, const struct bytes *vtx)
{
    enum { LODS_AT = 20, LISTS_AT = 24, HEADER = 36, LIST = 8, RECORD = 6, MOST = 64 };
    if (vtx->size < HEADER)
        return;
    int64_t size = (int64_t)vtx->size, lists = (int32_t)load_u32(vtx->data + LISTS_AT);
    int32_t lods = (int32_t)load_u32(vtx->data + LODS_AT);
    for (int32_t i = 0; i < lods && i < MODEL_LODS; i++) {
        int64_t list = lists + (int64_t)i * LIST;
        if (list < 0 || list + LIST > size)
            return;
        int32_t count = (int32_t)load_u32(vtx->data + list);
        for (int32_t j = 0; j < count && j < MOST; j++) {
            int64_t at = list + (int32_t)load_u32(vtx->data + list + 4) + (int64_t)j * RECORD;
            if (at < 0 || at + RECORD > size)
                return;
            int64_t text = at + (int32_t)load_u32(vtx->data + at + 2);
            const char *name = (const char *)vtx->data + text;
            struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "level of detail %d", i);
            if (text > 0 && text < size && memchr(name, 0, (size_t)(size - text)))
                use_material(of->walk, name, &edge);
        }
    }
}

static void use_levels(struct model_walk *of)
{
    struct bytes vtx = {0};
    const char *name =
        arena_printf(&of->arena, "%.*s.dx90.vtx", (int)(strlen(of->name) - 4), of->name);
    if (assets_read(of->walk->assets, name, &vtx))
        use_replacements(of, &vtx);
    bytes_free(&vtx);
}

/* ---- gibs ---- */

static const struct kv *parse_keys(struct model_walk *of, const char *text, size_t size)
{
    struct diag *quiet = diag_new(NULL, NULL);
    struct kv *root = NULL;
    enum status status = kv_parse(text, size, of->name, KV_LENIENT, &of->arena, quiet, &root);
    diag_free(quiet);
    return status == STATUS_OK ? root : NULL;
}

/* `break { model "x" }` of the collision model's text. */
static void use_break_models(struct model_walk *of)
{
    struct bytes data = {0};
    struct phy phy = {0};
    const char *name = arena_printf(&of->arena, "%.*s.phy", (int)(strlen(of->name) - 4), of->name);
    if (assets_read(of->walk->assets, name, &data) &&
        phy_decode(&data, NULL, of->walk->diag, &phy) == STATUS_OK) {
        size_t size = strnlen((const char *)phy.text.data, phy.text.size);
        const struct kv *root = size ? parse_keys(of, (const char *)phy.text.data, size) : NULL;
        for (const struct kv *block = root ? root->children : NULL; block; block = block->next) {
            const char *model = block->value ? NULL : kv_value(block, "model");
            struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "break model");
            if (model && str_equal_nocase(block->key, "break"))
                use_model(of->walk,
                          str_ends_nocase(model, ".mdl")
                              ? model
                              : arena_printf(&of->arena, "%s.mdl", model),
                          -1, &edge);
        }
        phy_free(&phy);
    }
    bytes_free(&data);
}

/* The models of a list in scripts/propdata.txt. */
static void use_gib_list(struct model_walk *of, const struct kv *root, const char *list)
{
    const struct kv *lists = kv_find(root, "BreakableModels");
    const struct kv *block = lists && !lists->value ? kv_find(lists, list) : NULL;
    for (const struct kv *gib = block ? block->children : NULL; gib; gib = gib->next) {
        struct walk_edge edge = walk_from(of->walk, (int64_t)of->file, "gibs %s", list);
        use_model(of->walk, gib->key, -1, &edge);
    }
}

/* prop_data of the model: a list of gibs, its own or that of its base. */
static void use_prop_data(struct model_walk *of)
{
    enum { KEYS_AT = 312, BASES = 16 };
    const char *text = text_at(of, (int32_t)load_u32(of->data.data + KEYS_AT));
    const struct kv *keys = text ? parse_keys(of, text, strlen(text)) : NULL;
    const struct kv *outer = keys ? kv_find(keys, "mdlkeyvalue") : NULL;
    const struct kv *data = outer && !outer->value ? kv_find(outer, "prop_data") : NULL;
    struct bytes file = {0};
    if (!data || data->value || !assets_read(of->walk->assets, "scripts/propdata.txt", &file))
        return;
    const struct kv *all = parse_keys(of, (const char *)file.data, file.size);
    const struct kv *root = all ? all->children : NULL;
    for (int i = 0; root && data && !data->value && i < BASES; i++) {
        const char *list = kv_value(data, "breakable_model"), *base = kv_value(data, "base");
        if (list)
            use_gib_list(of, root, list);
        data = !list && base ? kv_find(root, base) : NULL;
    }
    bytes_free(&file);
}

static void use_parts(struct model_walk *of)
{
    use_vertices(of);
    use_beside(of, ".phy", true);
    use_included(of);
    use_animations(of);
    use_levels(of);
    use_break_models(of);
    use_prop_data(of);
}

void walk_model(struct walk *walk, size_t file, const char *detail)
{
    const char *name = walk->out->files[file].name;
    struct model_walk of = {.walk = walk, .file = file, .name = name};
    struct diag_where where = {.file = name};
    if (walk_read(walk, file, &of.data) &&
        mdl_decode(&of.data, &where, walk->diag, &of.arena, &of.mdl) == STATUS_OK) {
        if (strcmp(detail, parts_detail) == 0)
            use_parts(&of);
        else
            use_skins(&of, detail + strlen("skin "));
    }
    bytes_free(&of.data);
    arena_free(&of.arena);
}

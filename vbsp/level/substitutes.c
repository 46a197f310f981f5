#include "vbsp/level/substitutes.h"

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"

#define FILE_NAME "maps/materialsub.txt"
#define ALL_MAPS  "AllMaps"

struct substitute {
    const char *name;
    int uses;
};

struct substitute_cell {
    char *key; /* name as asset_material_name has it */
    struct substitute value;
};

struct substitutes {
    struct substitute_cell *cells; /* stb_ds map */
    struct arena arena;
};

static void add_pair(struct compile *compile, const struct kv *pair)
{
    struct substitutes *set = compile->substitutes;
    const char *key = asset_material_name(&set->arena, pair->key);
    struct diag_where where = {.file = FILE_NAME, .line = pair->line};
    if (!key || shgeti(set->cells, key) >= 0)
        return;
    if (!assets_has_material(compile->assets, pair->value)) {
        diag_report(compile->env->diag, DIAG_SUBSTITUTE_MISSING, &where,
                    "\"%s\", the replacement of \"%s\"", pair->value, pair->key);
        return;
    }
    struct substitute substitute = {.name = arena_strdup(&compile->arena, pair->value)};
    shput(set->cells, key, substitute);
}

static void add_pairs(struct compile *compile, const struct kv *block)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (node->value)
            add_pair(compile, node);
}

/* The blocks of that name; the first to name a material is believed. */
static void add_blocks(struct compile *compile, const struct kv *block, const char *name)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (!node->value && str_equal_nocase(node->key, name))
            add_pairs(compile, node);
}

static void read_text(struct compile *compile, const struct bytes *text)
{
    struct substitutes *set = compile->substitutes;
    const char *map = map_source_name(&set->arena, compile->source->file);
    struct kv *root;
    if (kv_parse((const char *)text->data, text->size, FILE_NAME, KV_LENIENT, &set->arena,
                 compile->env->diag, &root) != STATUS_OK)
        return;
    for (const struct kv *block = root->children; block; block = block->next)
        add_blocks(compile, block, map);
    for (const struct kv *block = root->children; block; block = block->next) {
        add_blocks(compile, block, ALL_MAPS);
        add_pairs(compile, block);
    }
    add_pairs(compile, root);
}

void substitutes_load(struct compile *compile)
{
    if (!compile->options->replace_materials)
        return;
    struct bytes text = {0};
    struct substitutes *set = compile->substitutes = memory_zalloc(1, sizeof *set);
    sh_new_strdup(set->cells);
    if (assets_read(compile->assets, FILE_NAME, &text))
        read_text(compile, &text);
    else
        diag_report(compile->env->diag, DIAG_SUBSTITUTES_FILE, NULL, "%s; no material is replaced",
                    FILE_NAME);
    bytes_free(&text);
}

static struct substitute *find(struct compile *compile, const char *name)
{
    struct substitutes *set = compile->substitutes;
    struct arena scratch = {0};
    const char *clean = set ? asset_material_name(&scratch, name) : NULL;
    ptrdiff_t at = clean ? shgeti(set->cells, clean) : -1;
    arena_free(&scratch);
    return at >= 0 ? &set->cells[at].value : NULL;
}

const struct material *substitutes_find(struct compile *compile, const char *name)
{
    const struct substitute *substitute = find(compile, name);
    return assets_material(compile->assets, substitute ? substitute->name : name);
}

const struct material *substitutes_use(struct compile *compile, const char *name)
{
    struct substitute *substitute = find(compile, name);
    if (substitute)
        substitute->uses++;
    return substitutes_find(compile, name);
}

void substitutes_report(const struct compile *compile)
{
    const struct substitutes *set = compile->substitutes;
    if (!set)
        return;
    int materials = 0, uses = 0;
    for (size_t i = 0; i < shlenu(set->cells); i++) {
        materials += set->cells[i].value.uses > 0;
        uses += set->cells[i].value.uses;
    }
    diag_report(compile->env->diag, DIAG_SUBSTITUTES_USED, NULL,
                "%d sides and overlays, which use %d of the %d materials that " FILE_NAME " lists",
                uses, materials, (int)shlenu(set->cells));
}

void substitutes_free(struct compile *compile)
{
    if (!compile->substitutes)
        return;
    shfree(compile->substitutes->cells);
    arena_free(&compile->substitutes->arena);
    memory_free(compile->substitutes);
    compile->substitutes = NULL;
}

#include "vbsp/level/material_replacements.h"

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/replacements.def"
#include "common/text/keyvalues.h"

#define FILE_NAME "maps/materialsub.txt"
#define ALL_MAPS  "AllMaps"

struct material_replacement {
    const char *name;
    int uses;
};

struct replacement_cell {
    char *key; /* name as asset_material_name returns it */
    struct material_replacement value;
};

struct material_replacements {
    struct replacement_cell *cells; /* stb_ds map */
    struct arena arena;
};

static void add_pair(struct compile *compile, const struct kv *pair)
{
    struct material_replacements *set = compile->material_replacements;
    const char *key = asset_material_name(&set->arena, pair->key);
    struct diag_where where = {.file = FILE_NAME, .line = pair->line};
    if (!key || shgeti(set->cells, key) >= 0)
        return;
    if (!assets_has_material(compile->assets, pair->value)) {
        diag_report(compile->env->diag, DIAG_SUBSTITUTE_MISSING, &where,
                    "\"%s\", the replacement of \"%s\"", pair->value, pair->key);
        return;
    }
    struct material_replacement material_replacement = {
        .name = arena_strdup(&compile->arena, pair->value)};
    shput(set->cells, key, material_replacement);
}

static void add_pairs(struct compile *compile, const struct kv *block)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (node->value)
            add_pair(compile, node);
}

/* Adds the blocks of that name; the first entry for a material wins. */
static void add_blocks(struct compile *compile, const struct kv *block, const char *name)
{
    for (const struct kv *node = block->children; node; node = node->next)
        if (!node->value && str_equal_nocase(node->key, name))
            add_pairs(compile, node);
}

static void read_text(struct compile *compile, const struct bytes *text)
{
    struct material_replacements *set = compile->material_replacements;
    const char *map = level_name(&set->arena, compile->level->file);
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

void material_replacements_load(struct compile *compile)
{
    if (!compile->options->replace_materials)
        return;
    struct bytes text = {0};
    struct material_replacements *set = compile->material_replacements =
        memory_zalloc(1, sizeof *set);
    sh_new_strdup(set->cells);
    if (assets_read(compile->assets, FILE_NAME, &text))
        read_text(compile, &text);
    else
        diag_report(compile->env->diag, DIAG_SUBSTITUTES_FILE, NULL, "%s; no material is replaced",
                    FILE_NAME);
    bytes_free(&text);
}

static struct material_replacement *find(struct compile *compile, const char *name)
{
    struct material_replacements *set = compile->material_replacements;
    struct arena scratch = {0};
    const char *clean = set ? asset_material_name(&scratch, name) : NULL;
    ptrdiff_t at = clean ? shgeti(set->cells, clean) : -1;
    arena_free(&scratch);
    return at >= 0 ? &set->cells[at].value : NULL;
}

const struct material *material_replacements_find(struct compile *compile, const char *name)
{
    const struct material_replacement *material_replacement = find(compile, name);
    return assets_material(compile->assets,
                           material_replacement ? material_replacement->name : name);
}

const struct material *material_replacements_use(struct compile *compile, const char *name)
{
    struct material_replacement *material_replacement = find(compile, name);
    if (material_replacement)
        material_replacement->uses++;
    return material_replacements_find(compile, name);
}

void material_replacements_report(const struct compile *compile)
{
    const struct material_replacements *set = compile->material_replacements;
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

void material_replacements_free(struct compile *compile)
{
    if (!compile->material_replacements)
        return;
    shfree(compile->material_replacements->cells);
    arena_free(&compile->material_replacements->arena);
    memory_free(compile->material_replacements);
    compile->material_replacements = NULL;
}

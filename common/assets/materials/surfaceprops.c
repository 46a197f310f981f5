#include "common/assets/materials/surfaceprops.h"

#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/collision.def"
#include "common/text/keyvalues.h"

static const char manifest_name[] = "scripts/surfaceproperties_manifest.txt";
static const char single_name[] = "scripts/surfaceproperties.txt";

struct surfaceprops {
    struct arena arena;          /* names, and the text that was parsed */
    struct surface_prop **items; /* stb_ds array; later definitions of a name come first */
    bool of_game;
};

/* The first one is the base of the others. */
static const struct surface_prop built_in[] = {
    {"default", 2000, 0, 0.8, 0.25, 0, 'C'}, {"default_silent", 2000, 0, 0.8, 0.25, 0, 'X'},
    {"concrete", 2400, 0, 0.8, 0.2, 0, 'C'}, {"glass", 2700, 0.5, 0.5, 0.2, 0, 'Y'},
    {"metal", 2700, 0.1, 0.8, 0.25, 0, 'M'}, {"wood", 700, 0, 0.8, 0.1, 0, 'W'},
};

static struct surface_prop *add(struct surfaceprops *props, const struct surface_prop *prop)
{
    struct surface_prop *item = ARENA_NEW(&props->arena, struct surface_prop);
    *item = *prop;
    arrput(props->items, item);
    return item;
}

struct surfaceprops *surfaceprops_new(void)
{
    struct surfaceprops *props = memory_zalloc(1, sizeof *props);
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        (void)add(props, &built_in[i]);
    return props;
}

void surfaceprops_free(struct surfaceprops *props)
{
    if (!props)
        return;
    arrfree(props->items);
    arena_free(&props->arena);
    memory_free(props);
}

const struct surface_prop *surfaceprops_find(const struct surfaceprops *props, const char *name)
{
    for (size_t i = arrlenu(props->items); i-- > 0;)
        if (str_equal_nocase(props->items[i]->name, name))
            return props->items[i];
    return NULL;
}

const struct surface_prop *surfaceprops_get(const struct surfaceprops *props, const char *name)
{
    const struct surface_prop *prop = surfaceprops_find(props, name);
    return prop ? prop : surfaceprops_find(props, built_in[0].name);
}

bool surfaceprops_are_of_game(const struct surfaceprops *props)
{
    return props->of_game;
}

/* Values that are not a number or negative are ignored. */
static void read_number(const struct kv *block, const char *key, double *out)
{
    const char *value = kv_value(block, key);
    double number;
    if (value && str_to_double(value, &number) && number >= 0)
        *out = number;
}

/* Compiled maps have every name in lower case, whatever its case in the script ("Wood",
 * "Plastic_Box"). */
static void read_prop(struct surfaceprops *props, const struct kv *block)
{
    const char *base = kv_value(block, "base"), *letter = kv_value(block, "gamematerial");
    struct surface_prop prop = *surfaceprops_get(props, base ? base : built_in[0].name);
    prop.name = arena_strlower(&props->arena, block->key);
    read_number(block, "density", &prop.density);
    read_number(block, "thickness", &prop.thickness);
    read_number(block, "friction", &prop.friction);
    read_number(block, "elasticity", &prop.elasticity);
    read_number(block, "dampening", &prop.dampening);
    if (letter)
        prop.game_material = *letter;
    (void)add(props, &prop);
}

enum status surfaceprops_parse(struct surfaceprops *props, const char *text, size_t size,
                               const char *name, struct diag *diag)
{
    struct kv *root;
    TRY(kv_parse(text, size, name, KV_LENIENT, &props->arena, diag, &root));
    for (const struct kv *block = root->children; block; block = block->next)
        if (!block->value)
            read_prop(props, block);
    return STATUS_OK;
}

/* Returns false when the file does not exist. */
static bool load_script(struct surfaceprops *props, struct assets *assets, const char *name,
                        struct diag *diag)
{
    struct bytes text = {0};
    if (!assets_read(assets, name, &text))
        return false;
    if (surfaceprops_parse(props, (const char *)text.data, text.size, name, diag) == STATUS_OK)
        props->of_game = true;
    bytes_free(&text);
    return true;
}

/* Returns false when there is no manifest. */
static bool load_manifest(struct surfaceprops *props, struct assets *assets, struct diag *diag)
{
    struct bytes text = {0};
    struct kv *root;
    if (!assets_read(assets, manifest_name, &text))
        return false;
    enum status status = kv_parse((const char *)text.data, text.size, manifest_name, KV_LENIENT,
                                  &props->arena, diag, &root);
    bytes_free(&text);
    if (status != STATUS_OK)
        return false;
    const struct kv *list = kv_find(root, "surfaceproperties_manifest");
    for (const struct kv *file = list ? list->children : NULL; file; file = file->next)
        if (file->value && str_equal_nocase(file->key, "file") &&
            !load_script(props, assets, file->value, diag))
            diag_report(diag, DIAG_SURFACEPROPS_FILE,
                        &(struct diag_where){.file = manifest_name, .line = file->line}, "\"%s\"",
                        file->value);
    return true;
}

struct surfaceprops *surfaceprops_load(struct assets *assets, struct diag *diag)
{
    struct surfaceprops *props = surfaceprops_new();
    if (!load_manifest(props, assets, diag))
        (void)load_script(props, assets, single_name, diag);
    return props;
}

static const struct {
    const char *folder, *property;
} folder_surfaceprops[] = {
    {"brick", "brick"},  {"concrete", "concrete"}, {"dev", "concrete"}, {"glass", "glass"},
    {"lights", "glass"}, {"metal", "metal"},       {"nature", "dirt"},  {"plaster", "plaster"},
    {"tile", "tile"},    {"wood", "wood"},
};

const char *surfaceprops_infer(const char *material)
{
    for (size_t i = 0; i < sizeof folder_surfaceprops / sizeof *folder_surfaceprops; i++) {
        size_t length = strlen(folder_surfaceprops[i].folder);
        if (str_starts_nocase(material, folder_surfaceprops[i].folder) &&
            (material[length] == '/' || material[length] == '\\'))
            return folder_surfaceprops[i].property;
    }
    return "default";
}

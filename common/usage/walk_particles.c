/* Particle systems: where each is defined, the materials and other systems that it names. */
#include <string.h>

#include "common/assets/mounts/asset_name.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/text/keyvalues.h"
#include "common/usage/pcf.h"
#include "common/usage/walk.h"

struct effect_file {
    const char *name;
    const char *list; /* the list that names it */
    struct pcf pcf;
};

struct effect {
    char *key; /* in lower case */
    size_t file, element;
};

struct effects {
    struct effect *all;        /* stb_ds map: the first file that defines a system counts */
    struct effect_file *files; /* stb_ds array: the mapper's first */
    size_t next;               /* file that is to be read next */
    struct arena arena;
};

static const char lists_of_game[] = "particles/particles_manifest.txt";

/* Names of the files of a list, without the ! that has them loaded at once. */
static void for_files(struct walk *walk, const char *list,
                      void (*visit)(struct walk *walk, const char *list, const char *file))
{
    struct bytes text = {0};
    struct arena arena = {0};
    struct kv *root = NULL;
    if (assets_read(walk->assets, list, &text) &&
        kv_parse((const char *)text.data, text.size, list, KV_LENIENT, &arena, walk->diag, &root) ==
            STATUS_OK)
        for (const struct kv *block = root->children; block; block = block->next)
            for (const struct kv *file = block->children; file; file = file->next)
                if (file->value && *file->value)
                    visit(walk, list, file->value + (*file->value == '!'));
    bytes_free(&text);
    arena_free(&arena);
}

static void note_file(struct walk *walk, const char *list, const char *file)
{
    struct effects *known = walk->effects;
    const char *name = asset_name(&known->arena, file);
    if (name && walk_first(walk, "list of particles", name))
        arrput(known->files, ((struct effect_file){.name = name, .list = list}));
}

static bool is_of_game(struct walk *walk, const char *name)
{
    for (size_t i = 0; i < assets_mounts(walk->assets); i++)
        if (assets_has(walk->assets, i, name))
            return walk->is_stock_mount[i];
    return false;
}

/* The game's own files are many and large: they are read when no other has a system. */
static void put_own_first(struct walk *walk)
{
    struct effects *known = walk->effects;
    struct effect_file *sorted = NULL;
    for (int game = 0; game < 2; game++)
        for (size_t i = 0; i < arrlenu(known->files); i++)
            if (is_of_game(walk, known->files[i].name) == (game == 1))
                arrput(sorted, known->files[i]);
    arrfree(known->files);
    known->files = sorted;
}

void effects_begin(struct walk *walk)
{
    struct effects *known = walk->effects = memory_zalloc(1, sizeof *known);
    const char *map = walk->options->map;
    sh_new_strdup(known->all);
    for_files(walk, arena_printf(&known->arena, "maps/%s_particles.txt", map), note_file);
    for_files(walk, arena_printf(&known->arena, "particles/%s_manifest.txt", map), note_file);
    for_files(walk, lists_of_game, note_file);
    for (size_t i = 0; i < arrlenu(known->files); i++)
        walk->out->knows_effects |= known->files[i].list == lists_of_game;
    put_own_first(walk);
}

void effects_end(struct walk *walk)
{
    struct effects *known = walk->effects;
    for (size_t i = 0; i < arrlenu(known->files); i++)
        pcf_free(&known->files[i].pcf);
    arrfree(known->files);
    shfree(known->all);
    arena_free(&known->arena);
    memory_free(known);
}

/* A damaged file is reported once. */
static bool decode(struct walk *walk, const char *name, const struct bytes *data, struct pcf *out)
{
    struct diag_where where = {.file = name};
    struct diag *quiet = diag_new(NULL, NULL);
    bool is_read = pcf_decode(data, &where, quiet, out) == STATUS_OK;
    if (!is_read && walk_first(walk, "damaged", name))
        is_read = pcf_decode(data, &where, walk->diag, out) == STATUS_OK;
    diag_free(quiet);
    return is_read;
}

static void read_effects(struct walk *walk, size_t index)
{
    struct effects *known = walk->effects;
    struct effect_file *file = &known->files[index];
    struct bytes data = {0};
    bool is_read =
        assets_read(walk->assets, file->name, &data) && decode(walk, file->name, &data, &file->pcf);
    bytes_free(&data);
    for (size_t i = 0; is_read && i < arrlenu(file->pcf.elements); i++) {
        const struct pcf_element *element = &file->pcf.elements[i];
        const char *key = arena_strlower(&known->arena, element->name);
        if (!pcf_is_system(element) || shgeti(known->all, key) >= 0)
            continue;
        struct effect effect = {(char *)key, index, i};
        shputs(known->all, effect);
    }
}

static ptrdiff_t find_effect(struct walk *walk, const char *name)
{
    struct effects *known = walk->effects;
    struct arena scratch = {0};
    const char *key = arena_strlower(&scratch, name);
    ptrdiff_t at = shgeti(known->all, key);
    while (at < 0 && known->next < arrlenu(known->files)) {
        read_effects(walk, known->next++);
        at = shgeti(known->all, key);
    }
    arena_free(&scratch);
    return at;
}

void use_effect(struct walk *walk, const char *name, const struct walk_edge *edge)
{
    struct effects *known = walk->effects;
    ptrdiff_t at = *name ? find_effect(walk, name) : -1;
    if (at < 0) {
        if (*name && walk->out->knows_effects && !edge->is_optional)
            walk_miss(walk, "particle system", name, edge);
        return;
    }
    const struct effect_file *file = &known->files[known->all[at].file];
    struct walk_edge to_file =
        walk_from(walk, edge->from, "%s, particle system %s", edge->why, name);
    int64_t index = walk_use(walk, USAGE_PARTICLES, file->name, name, &to_file);
    bool is_own = index >= 0 && walk->out->files[index].place == USAGE_OWN;
    struct walk_edge to_list = walk_optional(walk_from(walk, index, "listed in"));
    if (is_own && file->list == lists_of_game)
        walk_use(walk, USAGE_OTHER, lists_of_game, "", &to_list);
}

/* Strings are materials and models by their endings, and other systems by their keys. */
static void use_string(struct walk *walk, const struct pcf_string *string,
                       const struct walk_edge *edge)
{
    const char *value = string->value;
    bool is_definition = str_ends_nocase(string->key, "definition");
    if (!*value)
        return;
    if (str_equal_nocase(string->key, "material") || str_ends_nocase(value, ".vmt"))
        use_material(walk, value, edge);
    else if (str_ends_nocase(value, ".vtf"))
        use_texture(walk, value, edge);
    else if (str_ends_nocase(value, ".mdl"))
        use_model(walk, value, -1, edge);
    else if (is_definition)
        use_effect(walk, value, edge);
}

/* Follows all that is reached from a system: its operators and children. */
static void use_elements(struct walk *walk, size_t file, const struct pcf *pcf, size_t first,
                         const char *system)
{
    size_t *stack = NULL;
    bool *seen = memory_zalloc(arrlenu(pcf->elements), sizeof *seen);
    seen[first] = true;
    arrput(stack, first);
    while (arrlenu(stack)) {
        const struct pcf_element *element = &pcf->elements[arrpop(stack)];
        system = pcf_is_system(element) ? element->name : system;
        for (size_t i = 0; i < arrlenu(element->strings); i++) {
            struct walk_edge edge =
                walk_from(walk, (int64_t)file, "%s %s", system, element->strings[i].key);
            use_string(walk, &element->strings[i], &edge);
        }
        for (size_t i = arrlenu(element->references); i-- > 0;)
            if (!seen[element->references[i]]) {
                seen[element->references[i]] = true;
                arrput(stack, element->references[i]);
            }
    }
    memory_free(seen);
    arrfree(stack);
}

/* `detail` is the name of a system, or "" for all. */
void walk_effect(struct walk *walk, size_t file, const char *detail)
{
    struct bytes data = {0};
    struct pcf pcf = {0};
    if (walk_read(walk, file, &data) && decode(walk, walk->out->files[file].name, &data, &pcf))
        for (size_t i = 0; i < arrlenu(pcf.elements); i++)
            if (pcf_is_system(&pcf.elements[i]) &&
                (!*detail || str_equal_nocase(pcf.elements[i].name, detail)))
                use_elements(walk, file, &pcf, i, pcf.elements[i].name);
    pcf_free(&pcf);
    bytes_free(&data);
}

static void use_listed(struct walk *walk, const char *list, const char *file)
{
    struct walk_edge edge = walk_from(walk, (int64_t)shget(walk->names, list), "file");
    walk_use(walk, USAGE_PARTICLES, file, "", &edge);
}

void walk_effect_list(struct walk *walk, size_t file, const char *detail)
{
    (void)detail;
    for_files(walk, walk->out->files[file].name, use_listed);
}

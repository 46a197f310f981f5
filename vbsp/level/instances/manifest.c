#include "vbsp/level/instances/instance.h"

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "common/diag/codes/instances.def"
#include "vbsp/level/cordon.h"
#include "vbsp/level/instances/instance_internal.h"

struct reader {
    const struct env *env;
    struct level *out;
    const struct kv **blocks; /* stb_ds array: one per map */
    struct level **levels;    /* stb_ds array, same order; NULL: failed */
    struct map_maxima maxima;
};

static bool is_block(const struct kv *node, const char *name)
{
    return !node->value && str_equal_nocase(node->key, name);
}

static void list_maps(struct reader *reader, const struct kv *root)
{
    for (const struct kv *maps = root->children; maps; maps = maps->next)
        for (const struct kv *map = maps->children; map && is_block(maps, "Maps"); map = map->next)
            if (is_block(map, "VMF") && kv_value(map, "File"))
                arrput(reader->blocks, map);
}

/* NULL, and reported, when it is missing or invalid. */
static struct level *read_map(const struct reader *reader, const struct kv *block)
{
    struct fs *fs = reader->env->fs;
    struct arena *arena = &reader->out->arena;
    const char *file = kv_value(block, "File");
    const char *folder = disk_path_parent(arena, reader->out->file);
    const char *path = disk_path_find(fs, reader->env->diag, arena, folder, file);
    struct bytes text = {0};
    struct level *level = NULL;
    /* Messages quote what is no map. */
    const bool is_vmf = path && str_ends_nocase(path, ".vmf");
    if (is_vmf && fs_load_optional(fs, reader->env->diag, path, &text)) {
        if (!disk_path_is_below(folder, path))
            (void)diag_report(reader->env->diag, DIAG_INSTANCE_OUTSIDE,
                              &(struct diag_where){.file = reader->out->file, .line = block->line},
                              "%s", path);
        level = memory_zalloc(1, sizeof *level);
        if (vmf_parse_quotes(reader->out->escaped_quotes, (const char *)text.data, text.size, path,
                             reader->env->diag, level) != STATUS_OK) {
            memory_free(level);
            level = NULL;
        }
    } else {
        struct diag_where where = {.file = reader->out->file, .line = block->line};
        diag_report(reader->env->diag, DIAG_MANIFEST_PART, &where, "\"%s\", not found below %s%s",
                    file, folder, path && !is_vmf ? "; only a .vmf is read" : "");
    }
    bytes_free(&text);
    return level;
}

static bool read_maps(struct reader *reader)
{
    bool all = true;
    for (size_t i = 0; i < arrlenu(reader->blocks); i++) {
        struct level *level = read_map(reader, reader->blocks[i]);
        arrput(reader->levels, level);
        if (level)
            arrput(reader->out->parts, level);
        all = all && level;
    }
    return all;
}

static size_t top_level(const struct reader *reader)
{
    for (size_t i = 0; i < arrlenu(reader->blocks); i++) {
        const char *text = kv_value(reader->blocks[i], "TopLevel");
        int64_t number;
        if (text && str_to_int64(text, &number) && number)
            return i;
    }
    return 0;
}

static const struct map_part *new_part(struct reader *reader, const struct level *level)
{
    struct map_part *part = ARENA_NEW(&reader->out->arena, struct map_part);
    part->file = level->file;
    part->entity_shift = reader->maxima.entity;
    part->solid_shift = reader->maxima.solid;
    part->side_shift = reader->maxima.side;
    return part;
}

static void merge(struct reader *reader, const struct level *level, const struct map_part *part)
{
    struct instance_context context = {
        .transform = &instance_transform_identity, .part = part, .arena = &reader->out->arena};
    map_merge(reader->out, level, &context, &reader->maxima, reader->env->diag);
}

/* The world's keys are those of the top-level map, whose objects come first. */
static void merge_all(struct reader *reader)
{
    struct level *out = reader->out;
    size_t top = top_level(reader);
    const struct level *first = reader->levels[top];
    const struct map_part *part = new_part(reader, first);
    struct map_entity world = {
        .id = first->entities[0].id, .line = first->entities[0].line, .part = part};
    for (size_t i = 0; i < arrlenu(first->entities[0].keys.pairs); i++)
        arrput(world.keys.pairs, first->entities[0].keys.pairs[i]);
    arrput(out->entities, world);
    map_maxima_add(&reader->maxima, &world, true);
    out->revision = first->revision;
    for (size_t i = 0; i < arrlenu(first->cordons); i++)
        arrput(out->cordons, first->cordons[i]);
    merge(reader, first, part);
    for (size_t i = 0; i < arrlenu(reader->levels); i++)
        if (i != top)
            merge(reader, reader->levels[i], new_part(reader, reader->levels[i]));
}

static enum status read_manifest(struct reader *reader, const char *text, size_t size)
{
    struct kv *root;
    struct level *out = reader->out;
    TRY(kv_parse(text, size, out->file, KV_STRICT, &out->arena, reader->env->diag, &root));
    list_maps(reader, root);
    if (!arrlen(reader->blocks)) {
        struct diag_where where = {.file = out->file};
        return diag_report(reader->env->diag, DIAG_MANIFEST_EMPTY, &where,
                           "it has no VMF block with a File key");
    }
    if (!read_maps(reader))
        return STATUS_FAILED;
    merge_all(reader);
    cordon_read(root, out, reader->env->diag);
    return STATUS_OK;
}

enum status manifest_parse(const struct env *env, const char *text, size_t size, const char *name,
                           bool escaped_quotes, struct level *out)
{
    *out = (struct level){.escaped_quotes = escaped_quotes};
    out->file = arena_strdup(&out->arena, name);
    struct reader reader = {.env = env, .out = out};
    enum status status = read_manifest(&reader, text, size);
    arrfree(reader.blocks);
    arrfree(reader.levels);
    if (status != STATUS_OK)
        level_free(out);
    return status;
}

#include "vbsp/level/instances/instance.h"

#include "common/assets/mounts/disk_path.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "vbsp/level/cordon.h"
#include "vbsp/level/instances/instance_parts.h"

struct reader {
    const struct env *env;
    struct map_source *out;
    const struct kv **blocks;    /* stb_ds array: one a map */
    struct map_source **sources; /* stb_ds array, alike; NULL: it failed */
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

/* NULL, and reported, when it is missing or damaged. */
static struct map_source *read_map(const struct reader *reader, const struct kv *block)
{
    struct fs *fs = reader->env->fs;
    struct arena *arena = &reader->out->arena;
    const char *file = kv_value(block, "File");
    const char *folder = disk_path_parent(arena, reader->out->file);
    const char *path = disk_path_find(fs, arena, folder, file);
    struct bytes text = {0};
    struct map_source *source = NULL;
    if (path && fs->ops->kind(fs, path) == FS_FILE && fs->ops->read(fs, path, &text) == 0) {
        source = memory_zalloc(1, sizeof *source);
        if (vmf_parse((const char *)text.data, text.size, path, reader->env->diag, source) !=
            STATUS_OK) {
            memory_free(source);
            source = NULL;
        }
    } else {
        struct diag_where where = {.file = reader->out->file, .line = block->line};
        diag_report(reader->env->diag, DIAG_MANIFEST_PART, &where, "\"%s\", not found below %s",
                    file, folder);
    }
    bytes_free(&text);
    return source;
}

static bool read_maps(struct reader *reader)
{
    bool all = true;
    for (size_t i = 0; i < arrlenu(reader->blocks); i++) {
        struct map_source *source = read_map(reader, reader->blocks[i]);
        arrput(reader->sources, source);
        if (source)
            arrput(reader->out->parts, source);
        all = all && source;
    }
    return all;
}

static size_t top_level(const struct reader *reader)
{
    for (size_t i = 0; i < arrlenu(reader->blocks); i++) {
        const char *text = kv_value(reader->blocks[i], "TopLevel");
        long number;
        if (text && str_to_long(text, &number) && number)
            return i;
    }
    return 0;
}

static const struct map_part *new_part(struct reader *reader, const struct map_source *source)
{
    struct map_part *part = ARENA_NEW(&reader->out->arena, struct map_part);
    part->file = source->file;
    part->entity_shift = reader->maxima.entity;
    part->solid_shift = reader->maxima.solid;
    part->side_shift = reader->maxima.side;
    return part;
}

static void merge(struct reader *reader, const struct map_source *source,
                  const struct map_part *part)
{
    struct instance_context context = {
        .placement = &placement_identity, .part = part, .arena = &reader->out->arena};
    map_merge(reader->out, source, &context, &reader->maxima, reader->env->diag);
}

/* The keys of the world are those of one map; its objects come first. */
static void merge_all(struct reader *reader)
{
    struct map_source *out = reader->out;
    size_t top = top_level(reader);
    const struct map_source *first = reader->sources[top];
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
    for (size_t i = 0; i < arrlenu(reader->sources); i++)
        if (i != top)
            merge(reader, reader->sources[i], new_part(reader, reader->sources[i]));
}

static enum status read_manifest(struct reader *reader, const char *text, size_t size)
{
    struct kv *root;
    struct map_source *out = reader->out;
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
                           struct map_source *out)
{
    *out = (struct map_source){0};
    out->file = arena_strdup(&out->arena, name);
    struct reader reader = {.env = env, .out = out};
    enum status status = read_manifest(&reader, text, size);
    arrfree(reader.blocks);
    arrfree(reader.sources);
    if (status != STATUS_OK)
        map_source_free(out);
    return status;
}

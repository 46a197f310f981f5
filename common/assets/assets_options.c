#include "common/assets/assets_options.h"

#include "common/bsp/engine.h"

static void put_text(struct bytes *out, const char *text)
{
    bytes_u8(out, text != NULL);
    if (text)
        bytes_append(out, text, strlen(text) + 1);
}

static const char *take_text(struct byte_reader *from, struct arena *arena)
{
    if (!read_u8(from))
        return NULL;
    size_t left = from->size - from->at;
    const unsigned char *start = left ? from->data + from->at : NULL;
    const unsigned char *end = start ? memchr(start, 0, left) : NULL;
    if (!end) {
        from->failed = true;
        return NULL;
    }
    (void)read_block(from, (size_t)(end + 1 - start));
    return from->failed ? NULL : arena_strndup(arena, (const char *)start, (size_t)(end - start));
}

static void put_list(struct bytes *out, const char *const *texts, size_t count)
{
    bytes_u32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_text(out, texts[i]);
}

static const char *const *take_list(struct byte_reader *from, struct arena *arena, size_t *count)
{
    uint32_t wanted = read_u32(from);
    if (wanted > from->size - from->at)
        from->failed = true;
    *count = from->failed ? 0 : wanted;
    const char **texts = ARENA_ARRAY(arena, const char *, *count + 1);
    for (size_t i = 0; i < *count && !from->failed; i++) {
        texts[i] = take_text(from, arena);
        from->failed |= !texts[i];
    }
    return texts;
}

/* NULL: none was written, or one that there is not. */
static const struct engine *take_engine(struct byte_reader *from, struct arena *arena)
{
    const char *target = take_text(from, arena);
    const struct engine *engine = target ? engine_of_target(target) : NULL;
    from->failed |= target && !engine;
    return engine;
}

void assets_options_write(const struct assets_options *options, struct bytes *out)
{
    put_text(out, options->game);
    put_text(out, options->base_game);
    put_list(out, options->texdata, options->texdata_count);
    put_text(out, options->map_catalogue);
    put_list(out, options->search_paths, options->search_path_count);
    put_list(out, options->base_paths, options->base_path_count);
    put_list(out, options->mods, options->mod_count);
    put_list(out, options->pak_paths, options->pak_path_count);
    put_list(out, options->forbidden, options->forbidden_count);
    put_list(out, options->parms.all, options->parms.all_count);
    bytes_u8(out, options->has_shaders);
    bytes_u8(out, options->sizes_only);
    bytes_u8(out, options->parms.custom);
    put_text(out, options->parms.engine ? options->parms.engine->target : NULL);
}

bool assets_options_read(struct byte_reader *from, struct arena *arena, struct assets_options *out)
{
    *out = (struct assets_options){.game = take_text(from, arena)};
    out->base_game = take_text(from, arena);
    out->texdata = take_list(from, arena, &out->texdata_count);
    out->map_catalogue = take_text(from, arena);
    out->search_paths = take_list(from, arena, &out->search_path_count);
    out->base_paths = take_list(from, arena, &out->base_path_count);
    out->mods = take_list(from, arena, &out->mod_count);
    out->pak_paths = take_list(from, arena, &out->pak_path_count);
    out->forbidden = take_list(from, arena, &out->forbidden_count);
    out->parms.all = take_list(from, arena, &out->parms.all_count);
    out->has_shaders = read_u8(from) != 0;
    out->sizes_only = read_u8(from) != 0;
    out->parms.custom = read_u8(from) != 0;
    out->parms.engine = take_engine(from, arena);
    return !from->failed && from->at == from->size;
}

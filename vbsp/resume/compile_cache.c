#include "vbsp/resume/compile_cache.h"

#include "common/diag/diag_bytes.h"
#include "vbsp/resume/output_bytes.h"

static bool read_result(struct compile_cache *cache, struct byte_reader *from,
                        struct vbsp_output *out)
{
    cache->endings = diag_new(NULL, NULL);
    return read_sized_block(from, &cache->names) && diag_read(from, cache->endings) &&
           vbsp_output_read(from, cache->format, out);
}

static void forget(struct compile_cache *cache)
{
    bytes_free(&cache->names);
    diag_free(cache->endings);
    cache->endings = NULL;
}

bool compile_cache_use(struct compile_cache *cache, struct vbsp_output *out)
{
    struct byte_reader from;
    cache->materials =
        (struct material_view){.assets = cache->assets, .env.fs = cache->stage.asked};
    cache->stage.answer = material_view_answer;
    cache->stage.answer_context = &cache->materials;
    if (stage_cache_find(&cache->stage, &from) && read_result(cache, &from, out)) {
        stage_cache_use(&cache->stage);
        return true;
    }
    forget(cache);
    vbsp_output_free(out);
    material_view_free(&cache->materials);
    if (cache->stage.cache)
        material_view_begin(&cache->materials, cache->stage.trace, cache->assets);
    stage_cache_begin(&cache->stage);
    return false;
}

void compile_cache_keep(struct compile_cache *cache, const struct vbsp_output *output)
{
    struct bytes result = {0}, names = {0};
    material_view_end(&cache->materials);
    if (!cache->stage.cache)
        return;
    struct diag *endings = diag_new(NULL, NULL);
    assets_append_names(cache->assets, &names);
    assets_report_shaders(cache->assets, endings);
    bytes_sized_block(&result, &names);
    if (diag_append(endings, &result) && vbsp_output_append(output, cache->format, &result))
        stage_cache_keep(&cache->stage, &result);
    diag_free(endings);
    bytes_free(&names);
    bytes_free(&result);
}

void compile_cache_free(struct compile_cache *cache)
{
    forget(cache);
    material_view_free(&cache->materials);
    stage_cache_end(&cache->stage);
}

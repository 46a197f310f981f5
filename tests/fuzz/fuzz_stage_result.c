/* Any bytes as what the cache has of a stage, after its checksum: the first byte chooses the part.
 * A cache on a server may send anything. */
#include <stdint.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "common/diag/diag_bytes.h"
#include "common/text/entity_patch.h"
#include "common/text/entity_reads.h"
#include "tests/fuzz/fuzz_check.h"
#include "vbsp/resume/output_bytes.h"
#include "vvis/resume/vis_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum part {
    MESSAGES = 'm',
    ENTITIES = 'e',
    QUESTIONS = 'q',
    COMPILE = 'c',
    VISIBILITY = 'v',
    SETS = 's'
};

static const char entities[] = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"light\"\n"
                               "\"_light\" \"9 9 9 9\"\n}\n{\n\"classname\" \"info_null\"\n}\n";

/* Messages that were read are the same after writing and reading them again. */
static void read_messages(struct byte_reader from)
{
    struct diag *diag = diag_new(NULL, NULL), *again = diag_new(NULL, NULL);
    struct bytes out = {0}, twice = {0};
    if (diag_read(&from, diag) && diag_append(diag, &out)) {
        struct byte_reader reader = byte_reader(out.data, out.size);
        check(diag_read(&reader, again) && diag_append(again, &twice));
        check(out.size == twice.size && memcmp(out.data, twice.data, out.size) == 0);
    }
    bytes_free(&out);
    bytes_free(&twice);
    diag_free(diag);
    diag_free(again);
}

static void change_entities(struct byte_reader from)
{
    char *text = NULL;
    arrsetlen(text, sizeof entities - 1);
    memcpy(text, entities, sizeof entities - 1);
    if (!entity_patch_apply(&from, &text))
        check(arrlenu(text) == sizeof entities - 1 &&
              memcmp(text, entities, sizeof entities - 1) == 0);
    arrfree(text);
}

static void ask_entities(struct byte_reader from)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct entity_list list = {0};
    unsigned char hash[SHA256_SIZE], again[SHA256_SIZE];
    struct entity_questions *questions = entity_questions_read(&from);
    check(entities_parse(entities, sizeof entities - 1, "fuzz", diag, &list) == STATUS_OK);
    if (questions) {
        entity_questions_answer(questions, &list, hash);
        entity_questions_answer(questions, &list, again);
        check(memcmp(hash, again, sizeof hash) == 0);
    }
    entity_questions_free(questions);
    entities_free(&list);
    diag_free(diag);
}

static void read_compile(struct byte_reader from)
{
    static const char *const formats[] = {"sdk2013", "quake3"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct byte_reader reader = from;
        struct vbsp_output output = {0};
        (void)vbsp_output_read(&reader, bsp_format_find(formats[i]), &output);
        vbsp_output_free(&output);
    }
}

/* Puts the bytes where a run of vvis finds them. */
static bool put_result(struct stage_cache *stage, struct byte_reader from)
{
    struct cache_key key = {.kind = stage->stage};
    struct diag *none = diag_new(NULL, NULL);
    struct bytes value = {0};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, stage->key, sizeof stage->key);
    sha256_end(&hash, key.hash);
    bytes_u64(&value, 0); /* CPU time */
    check(diag_append(none, &value));
    bytes_append(&value, from.data + from.at, from.size - from.at);
    cache_put(stage->cache, &key, &value);
    bytes_free(&value);
    diag_free(none);
    return true;
}

static void use_visibility(struct byte_reader from)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    struct cache *cache = cache_open(&env, &(struct cache_options){.place = "cache"});
    struct stage_cache stage = {.cache = cache, .stage = "vvis", .env = &env};
    struct prt prt = {.cluster_count = 2};
    struct bsp *bsp = bsp_new();
    const struct vis_cache_source source = {.portals = {&prt, &vvis_defaults, 0, 0}};
    arrsetlen(bsp->leaves, 2);
    memset(bsp->leaves, 0, 2 * sizeof *bsp->leaves);
    check(!vis_cache_use(&stage, &source, bsp) && put_result(&stage, from));
    stage_cache_end(&stage);
    if (vis_cache_use(&stage, &source, bsp))
        check(arrlenu(bsp->leaves) == 2 && arrlenu(bsp->leaf_min_dist_to_water) <= 2);
    stage_cache_end(&stage);
    bsp_free(bsp);
    cache_close(cache);
    fs_memory_free(env.fs);
    diag_free(env.diag);
}

static bool may_ask(void *context, const struct fs_trace_question *question)
{
    (void)context;
    return strcmp(question->path, "secret") != 0;
}

/* The sets of questions under a key. */
static void find_set(struct byte_reader from)
{
    struct env env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1};
    struct cache *cache = cache_open(&env, &(struct cache_options){.place = "cache"});
    struct fs *trace = fs_trace_new(env.fs);
    struct stage_cache stage = {.cache = cache,
                                .stage = "fuzz",
                                .env = &env,
                                .trace = trace,
                                .asked = env.fs,
                                .may_ask = may_ask};
    const struct cache_key inputs = {.kind = "fuzz-inputs"};
    struct bytes sets = {0};
    struct byte_reader rest;
    bytes_append(&sets, from.data + from.at, from.size - from.at);
    cache_put(cache, &inputs, &sets);
    check(env.fs->ops->write(env.fs, "map", "1", 1) == 0);
    (void)stage_cache_find(&stage, &rest);
    stage_cache_end(&stage);
    bytes_free(&sets);
    fs_trace_free(trace);
    cache_close(cache);
    fs_memory_free(env.fs);
    diag_free(env.diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct byte_reader from = byte_reader(data + 1, size - 1);
    switch ((enum part)data[0]) {
    case MESSAGES:
        read_messages(from);
        break;
    case ENTITIES:
        change_entities(from);
        break;
    case QUESTIONS:
        ask_entities(from);
        break;
    case COMPILE:
        read_compile(from);
        break;
    case VISIBILITY:
        use_visibility(from);
        break;
    case SETS:
        find_set(from);
        break;
    }
    return 0;
}

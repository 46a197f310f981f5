/* Any bytes under a valid seal where a run of a stage finds them: an earlier run has kept its
 * result and its questions, and the bytes replace one of both. The first byte says which. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/query.h"
#include "common/cache/cache_folder.h"
#include "common/core/array.h"
#include "common/core/memory.h"
#include "common/text/entity_reads.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/room_bsp.h"
#include "vbsp/resume/compile_cache.h"
#include "vrad/resume/light_cache.h"
#include "vvis/resume/component_cache.h"
#include "vvis/resume/vis_result.h"
#include "vvis/vvis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum part {
    COMPILE = 'c',
    COMPILE_SETS = 'C',
    LIGHT = 'l',
    LIGHT_SETS = 'L',
    VISIBILITY = 'v',
    COMPONENT = 'p'
};

enum { CLUSTERS = 70, LEAVES = 2 };

static const char entities[] = "{\n\"classname\" \"worldspawn\"\n}\n{\n\"classname\" \"light\"\n"
                               "\"_light\" \"9 9 9 9\"\n}\n";

struct world {
    struct env env;
    struct cache *cache;
    struct assets *assets;
    struct fs *content; /* trace */
};

static void begin(struct world *world)
{
    const struct assets_options options = {0};
    *world =
        (struct world){.env = {.diag = diag_new(NULL, NULL), .fs = fs_memory_new(), .threads = 1}};
    world->env.cache = world->cache =
        cache_open(&world->env, &(struct cache_options){.place = "cache"});
    world->content = fs_trace_new(world->env.fs);
    check(world->env.fs->ops->write(world->env.fs, "maps/a.vmf", "1", 1) == 0);
    struct env content = world->env;
    content.fs = world->content;
    check(assets_open(&content, &options, &world->assets) == STATUS_OK);
}

static void end(struct world *world)
{
    assets_free(world->assets);
    fs_trace_free(world->content);
    cache_close(world->cache);
    fs_memory_free(world->env.fs);
    diag_free(world->env.diag);
}

/* Puts the bytes, sealed, in the place of the only entry of a kind. */
static void replace(struct world *world, const char *kind, struct byte_reader from)
{
    struct cache_listing listing;
    struct bytes value = {0};
    size_t replaced = 0;
    bytes_append(&value, from.data + from.at, from.size - from.at);
    check(cache_list(world->env.fs, "cache", &listing) == 0);
    for (size_t i = 0; i < arrlenu(listing.files); i++) {
        if (strcmp(listing.files[i].key.kind, kind) != 0)
            continue;
        cache_put(world->cache, &listing.files[i].key, &value);
        replaced++;
    }
    check(replaced == 1);
    cache_listing_free(&listing);
    bytes_free(&value);
}

static struct bsp *small_bsp(void)
{
    struct bsp *bsp = room_new(vec3(64, 64, 64), 0.5, NULL);
    bsp->format = bsp_format_find("sdk2013");
    bsp->engine = bsp->format->engine;
    arrput(bsp->areas, ((struct bsp_area){0}));
    arrsetlen(bsp->entities, sizeof entities - 1);
    memcpy(bsp->entities, entities, sizeof entities - 1);
    return bsp;
}

/* Looks for the result of a stage. A run that keeps one has `make` do what its stage would have
 * done. */
static bool use(struct stage_run *run, void (*make)(struct stage_run *run, struct world *world),
                struct world *world)
{
    const struct stage_result *result = run->stage->result;
    struct byte_reader from;
    struct bytes kept = {0};
    run->cache =
        (struct stage_cache){.cache = world->cache, .stage = run->stage->name, .env = &world->env};
    check(result->ask(run));
    bool is_used = stage_cache_find(&run->cache, &from) && result->take(run, &from);
    if (!is_used && result->miss)
        result->miss(run);
    if (!is_used && make) {
        stage_cache_begin(&run->cache);
        make(run, world);
        check(result->give(run, &kept));
        stage_cache_keep(&run->cache, &kept);
    }
    bytes_free(&kept);
    stage_cache_end(&run->cache);
    return is_used;
}

/* ---- vbsp ---- */

static void make_output(struct stage_run *run, struct world *world)
{
    const struct compile_cache *cache = run->result;
    struct fs *own = cache->place.asked;
    (void)world;
    (void)own->ops->kind(own, "maps/b.vmf");
    cache->output->bsp = small_bsp();
    cache->output->prt.cluster_count = 1;
}

static bool compile(struct world *world, bool keeps)
{
    static const char *const given[SOURCE_PLACE_GIVEN];
    struct fs *own = fs_trace_new(world->env.fs), *game = fs_trace_new(world->env.fs);
    struct bytes text = {0};
    struct vbsp_output output = {0};
    struct compile_cache cache = {.game = game,
                                  .asked = world->env.fs,
                                  .format = bsp_format_find("sdk2013"),
                                  .assets = world->assets,
                                  .output = &output};
    struct stage_run run = stage_run_of(&vbsp_stage, &world->env, NULL, NULL);
    run.result = &cache;
    check(own->ops->read(own, "maps/a.vmf", &text) == 0);
    source_place_begin(&cache.place, "maps/a.vmf", given, own);
    bool is_used = use(&run, keeps ? make_output : NULL, world);
    if (is_used)
        check(output.bsp && output.bsp->format == cache.format);
    vbsp_output_free(&output);
    compile_cache_free(&cache);
    bytes_free(&text);
    fs_trace_free(own);
    fs_trace_free(game);
    return is_used;
}

/* ---- vrad ---- */

static void make_light(struct stage_run *run, struct world *world)
{
    const struct light_cache *cache = run->result;
    (void)world->content->ops->kind(world->content, cache->options->map_rad);
}

static bool light(struct world *world, bool keeps)
{
    struct vrad_session session = {.content = world->content};
    struct vrad_options options = vrad_defaults;
    options.map_rad = "maps/a.rad";
    struct bsp *bsp = small_bsp();
    struct light_cache cache = {
        .options = &options, .session = &session, .bsp = bsp, .assets = world->assets};
    struct stage_run run = stage_run_of(&vrad_stage, &world->env, &session.stage, NULL);
    run.result = &cache;
    bool is_used = use(&run, keeps ? make_light : NULL, world);
    if (!is_used)
        check(arrlenu(bsp->entities) == sizeof entities - 1 &&
              memcmp(bsp->entities, entities, sizeof entities - 1) == 0);
    check(arrlenu(bsp->leaves) == LEAVES);
    diag_free(session.shader_reports);
    light_cache_free(&cache);
    bsp_free(bsp);
    return is_used;
}

/* ---- vvis ---- */

static void make_visibility(struct stage_run *run, struct world *world)
{
    const struct vis_kept *kept = run->result;
    (void)world;
    kept->bsp->visibility_clusters = 2;
    kept->bsp->visibility_row = 1;
    bytes_append(&kept->bsp->visibility, "\3\3", 2);
}

static bool see(struct world *world, bool keeps)
{
    struct bsp *bsp = small_bsp();
    const struct prt prt = {.cluster_count = 2};
    struct vis_kept kept = {.target = vis_target_of(bsp),
                            .options = &vvis_defaults,
                            .prt = &prt,
                            .is_wanted = true,
                            .bsp = bsp};
    struct stage_run run = stage_run_of(&vvis_stage, &world->env, NULL, NULL);
    run.result = &kept;
    bool is_used = use(&run, keeps ? make_visibility : NULL, world);
    if (is_used) {
        unsigned char row[1];
        check(bsp_vis_clusters(bsp) == 2 && arrlenu(bsp->leaves) == LEAVES);
        for (int i = 0; i < 2; i++) {
            bsp_vis_row(bsp, i, false, row);
            bsp_vis_row(bsp, i, true, row);
        }
    }
    bsp_free(bsp);
    return is_used;
}

static bool see_component(struct world *world, bool keeps)
{
    static const unsigned char hash[SHA256_SIZE] = {1};
    struct bit_rows pvs = bit_rows_new(CLUSTERS, CLUSTERS), costs = bit_rows_new(1, 64 * CLUSTERS);
    const struct component_entry entry = {&pvs, &costs, CLUSTERS};
    bool is_used = component_load(world->cache, hash, &entry);
    for (size_t row = 0; row < CLUSTERS; row++)
        check(bit_next(bit_row(&pvs, row), pvs.words, CLUSTERS) == SIZE_MAX);
    if (!is_used && keeps)
        component_store(world->cache, hash, &entry);
    memory_free(pvs.data);
    memory_free(costs.data);
    return is_used;
}

/* ---- all ---- */

static const struct target {
    enum part part;
    const char *kind;
    bool (*run)(struct world *world, bool keeps);
} targets[] = {
    {COMPILE, "vbsp", compile}, {COMPILE_SETS, "vbsp-inputs", compile},
    {LIGHT, "vrad", light},     {LIGHT_SETS, "vrad-inputs", light},
    {VISIBILITY, "vvis", see},  {COMPONENT, "vvis-component", see_component},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; size && i < sizeof targets / sizeof *targets; i++) {
        const struct target *target = &targets[i];
        struct world world;
        if (data[0] != target->part)
            continue;
        begin(&world);
        check(!target->run(&world, true) && target->run(&world, false));
        replace(&world, target->kind, byte_reader(data + 1, size - 1));
        (void)target->run(&world, false);
        end(&world);
    }
    return 0;
}

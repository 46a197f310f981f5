/* Any bytes as the contents of a checkpoint of vrad, behind its checksum: the questions about
 * files, then the state of the light. */
#include <stdint.h>

#include "common/bsp/face_records.h"
#include "common/core/array.h"
#include "common/resume/fs_trace.h"
#include "tests/fuzz/fuzz_check.h"
#include "vrad/resume/light_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FACES = 3, LEAVES = 2 };

struct level {
    struct bsp *bsp;
    struct scene scene;
    struct face_light faces[FACES];
    struct luxel_map map;
};

/* A flat face, a bumped one, and one without luxels. */
static void make_level(struct level *level)
{
    static const int sizes[FACES][3] = {{3, 2, 1}, {2, 2, LUXEL_SLOTS}, {0, 0, 0}};
    *level = (struct level){.bsp = bsp_new()};
    arrsetlen(level->bsp->faces, FACES);
    arrsetlen(level->bsp->leaves, LEAVES);
    memset(level->bsp->faces, 0, FACES * sizeof *level->bsp->faces);
    for (int i = 0; i < FACES; i++)
        level->bsp->faces[i].texinfo = -1;
    memset(level->bsp->leaves, 0, LEAVES * sizeof *level->bsp->leaves);
    level->scene.bsp = level->bsp;
    level->map = (struct luxel_map){
        .faces = level->faces, .face_count = FACES, .scene = &level->scene, .narrow = true};
    for (int i = 0; i < FACES; i++) {
        struct face_light *face = &level->faces[i];
        face->width = sizes[i][0];
        face->height = sizes[i][1];
        face->count = face->width * face->height;
        face->slots = sizes[i][2];
        face->luxels = memory_zalloc((size_t)face->count + 1, sizeof *face->luxels);
    }
}

static void free_level(struct level *level)
{
    luxel_map_clear(&level->map);
    for (int i = 0; i < FACES; i++)
        memory_free(level->faces[i].luxels);
    bsp_free(level->bsp);
}

/* A state that was taken is the same after encoding and decoding again. */
static void check_again(const struct light_state *state, struct level *level)
{
    struct bytes out = {0}, again = {0};
    struct light_state other;
    light_state_encode(state, &level->map, level->bsp, &out);
    check(
        light_state_decode(byte_reader(out.data, out.size), NULL, &level->map, level->bsp, &other));
    luxel_map_clear(&level->map);
    light_state_take_luxels(byte_reader(out.data, out.size), &level->map);
    light_state_encode(&other, &level->map, level->bsp, &again);
    check(again.size == out.size && memcmp(again.data, out.data, out.size) == 0);
    bytes_free(&out);
    bytes_free(&again);
}

static void take_state(struct byte_reader from)
{
    struct level level;
    struct light_state state;
    make_level(&level);
    if (light_state_decode(from, NULL, &level.map, level.bsp, &state)) {
        level.scene.ray_hit_cache = ray_hit_cache_new(0, FACES);
        light_state_take_hits(from, &level.map, level.scene.ray_hit_cache);
        light_state_take_luxels(from, &level.map);
        ray_hit_cache_free(level.scene.ray_hit_cache);
        level.scene.ray_hit_cache = NULL;
        state.parts &= ~(uint32_t)LIGHT_PART_HITS;
        if (state.parts & LIGHT_PART_LUXELS)
            check_again(&state, &level);
    }
    free_level(&level);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fs *memory = fs_memory_new();
    struct fs *trace = fs_trace_new(memory);
    struct byte_reader from = byte_reader(data, size);
    char *changed = NULL;
    (void)memory->ops->write(memory, "map.vmf", "a map", 5);
    enum fs_trace_fit fit = fs_trace_ask_again(trace, &from, &changed);
    memory_free(changed);
    if (fit == FS_TRACE_SAME)
        take_state(from);
    fs_trace_free(trace);
    fs_memory_free(memory);
    return 0;
}

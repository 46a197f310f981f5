/* Any bytes as what another rank of a run has sent: the first byte chooses the message. */
#include <stdint.h>
#include <string.h>

#include "common/assets/assets_options.h"
#include "common/core/array.h"
#include "common/farm/fs_ranks.h"
#include "common/farm/ranks_state.h"
#include "tests/fuzz/fuzz_check.h"
#include "vrad/encode/seam_share.h"
#include "vrad/encode/seams.h"
#include "vrad/farm/light_inputs.h"
#include "vrad/luxels/luxel_pack.h"
#include "vrad/luxels/luxel_state.h"
#include "vrad/scene/ray_hit_cache.h"
#include "vvis/farm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum message {
    JOB = 'j',
    VISIBILITY = 'v',
    LIGHT = 'l',
    CONTENT = 'c',
    ANSWER = 'a',
    ROWS = 'r',
    FACES = 'f',
    PLACES = 'p',
    SEAMS = 's'
};

static void no_work(const struct env *env, struct byte_reader *inputs)
{
    (void)env;
    (void)inputs;
}

static void read_job(struct byte_reader from)
{
    static const struct farm_stage stages[] = {{"vvis", no_work}, {"vrad", no_work}, {NULL, NULL}};
    struct farm_settings settings;
    const struct farm_stage *stage;
    if (farm_read_job(&from, stages, &settings, &stage))
        check(settings.threads >= 0 && settings.threads <= FARM_MAX_THREADS);
}

/* Inputs that were read are the same after writing and reading it again. */
static void read_visibility(struct byte_reader from)
{
    struct vis_inputs inputs, again;
    struct bytes once = {0}, twice = {0};
    if (vis_inputs_read(&from, &inputs)) {
        vis_inputs_append(&inputs, &once);
        struct byte_reader reader = byte_reader(once.data, once.size);
        check(vis_inputs_read(&reader, &again));
        vis_inputs_append(&again, &twice);
        check(bytes_equal(&once, &twice));
        vis_inputs_free(&again);
    }
    vis_inputs_free(&inputs);
    bytes_free(&once);
    bytes_free(&twice);
}

static void read_light(struct byte_reader from)
{
    struct env env = {.diag = diag_new(NULL, NULL)};
    struct light_inputs inputs, again;
    struct bytes once = {0};
    if (light_inputs_read(&from, env.diag, &inputs) == STATUS_OK) {
        const struct bytes *content = inputs.has_assets ? &inputs.assets : NULL;
        if (light_inputs_write(&env, &inputs.options, content, inputs.bsp->format, inputs.bsp,
                               &once) == STATUS_OK) {
            struct byte_reader reader = byte_reader(once.data, once.size);
            check(light_inputs_read(&reader, env.diag, &again) == STATUS_OK);
            light_inputs_free(&again);
        }
    }
    light_inputs_free(&inputs);
    bytes_free(&once);
    diag_free(env.diag);
}

static void read_content(struct byte_reader from)
{
    struct arena arena = {0};
    struct assets_options options;
    struct bytes again = {0};
    struct byte_reader start = from;
    if (assets_options_read(&from, &arena, &options)) {
        assets_options_write(&options, &again);
        check(again.size == start.size);
    }
    bytes_free(&again);
    arena_free(&arena);
}

static void read_answer(struct byte_reader from)
{
    struct fs_ranks_answer answer;
    uint8_t which = read_u8(&from);
    bool is_list = which & 2;
    if (!fs_ranks_read_answer(&from, which & 1, is_list, &answer))
        return;
    check(answer.result >= 0);
    for (size_t at = 0; is_list && at < answer.data_size;) {
        const char *name = (const char *)answer.data + at + 1;
        at += 1 + strlen(name) + 1;
        check(at <= answer.data_size);
    }
}

/* ---- results of loops ---- */

enum { ITEMS = 5, COLUMNS = 100 };

static void unpack_row(void *context, size_t index, struct byte_reader *in)
{
    struct bit_rows *rows = context;
    uint64_t *row = bit_row(rows, index);
    memset(row, 0, rows->words * sizeof *row);
    bits_unpack(row, rows->words, COLUMNS, in);
}

static void read_rows(struct byte_reader from)
{
    struct bit_rows rows = bit_rows_new(ITEMS, COLUMNS);
    bool done[ITEMS + 1] = {false};
    const struct ranks_loop loop = {.count = ITEMS, .context = &rows, .unpack = unpack_row};
    ranks_take_results(&loop, &from, done);
    for (size_t i = 0; i < ITEMS && !from.failed; i++)
        check(bit_next(bit_row(&rows, i), rows.words, COLUMNS) == SIZE_MAX);
    memory_free(rows.data);
}

/* A flat face and a bumped one. */
static void make_face(struct face_light *face, int slots)
{
    *face = (struct face_light){.width = 3, .height = 2, .count = 6, .slots = slots};
    face->luxels = memory_zalloc((size_t)face->count, sizeof *face->luxels);
}

static void free_face(struct face_light *face)
{
    struct luxel_map map = {.faces = face, .face_count = 1};
    luxel_map_clear(&map);
    memory_free(face->luxels);
    memory_free(face->pack);
}

static void read_faces(struct byte_reader from)
{
    struct face_light faces[2];
    struct ray_hit_cache *hits = ray_hit_cache_new(0, 2);
    for (int i = 0; i < 2; i++) {
        make_face(&faces[i], i ? LUXEL_SLOTS : 1);
        luxel_state_take_direct(&from, &faces[i]);
        luxel_state_take_bounced(&from, &faces[i]);
        if (!ray_hit_cache_read(hits, 2, &from))
            from.failed = true;
    }
    ray_hit_cache_free(hits);
    for (int i = 0; i < 2; i++)
        free_face(&faces[i]);
}

static void read_places(struct byte_reader from)
{
    struct face_light face;
    make_face(&face, 1);
    luxel_pack_take(&from, &face);
    for (int i = 0; i < face.count && !from.failed && face.pack; i++) {
        struct luxel room;
        (void)luxel_unpack(&face, i, &room);
        (void)luxel_pack_area(&face, i);
        (void)luxel_pack_is_hidden(&face, i);
    }
    free_face(&face);
}

/* Each point of seams that were read is in one group, whose faces are two of the map. */
static void read_seams(struct byte_reader from)
{
    struct face_light faces[2];
    const struct luxel_map map = {.faces = faces, .face_count = 2};
    struct seam_list list = {0};
    struct seam_groups groups;
    make_face(&faces[0], 1);
    make_face(&faces[1], LUXEL_SLOTS);
    seam_list_take(&from, &map, &list);
    if (!from.failed) {
        seam_groups_find(&map, &list, &groups);
        check(groups.count <= 2);
        check(groups.first_point[groups.count] == arrlenu(list.points));
        seam_groups_free(&groups);
    }
    seam_list_free(&list);
    for (int i = 0; i < 2; i++)
        free_face(&faces[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    struct byte_reader from = byte_reader(data + 1, size - 1);
    switch ((enum message)data[0]) {
    case JOB:
        read_job(from);
        break;
    case VISIBILITY:
        read_visibility(from);
        break;
    case LIGHT:
        read_light(from);
        break;
    case CONTENT:
        read_content(from);
        break;
    case ANSWER:
        read_answer(from);
        break;
    case ROWS:
        read_rows(from);
        break;
    case FACES:
        read_faces(from);
        break;
    case PLACES:
        read_places(from);
        break;
    case SEAMS:
        read_seams(from);
        break;
    }
    return 0;
}

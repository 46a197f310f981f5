#include "vrad/farm/light_job.h"

#include <string.h>

#include "common/assets/assets_options.h"
#include "common/bsp/codec/format.h"
#include "common/bsp/sidecar/surface_notes.h"
#include "common/core/array.h"
#include "common/farm/env_loop.h"
#include "common/farm/farm.h"
#include "common/farm/fs_ranks.h"
#include "vrad/resume/light_checkpoint.h"
#include "vrad/target/target.h"

/* ---- inputs as bytes ---- */

static const size_t text_offsets[] = {
    offsetof(struct vrad_options, lights_file),
    offsetof(struct vrad_options, map_rad),
    offsetof(struct vrad_options, quake3.lightmap_folder),
    offsetof(struct vrad_options, quake3.map_path),
};

enum { TEXTS = sizeof text_offsets / sizeof *text_offsets };

static const char **text_at(struct vrad_options *options, size_t index)
{
    return (const char **)((char *)options + text_offsets[index]);
}

static void put_block(struct bytes *out, const void *data, size_t size)
{
    const struct bytes block = {.data = (unsigned char *)data, .size = size};
    bytes_sized_block(out, &block);
}

static void write_notes(const struct surface_notes *notes, struct bytes *out)
{
    bytes_u8(out, notes != NULL);
    if (!notes)
        return;
    put_block(out, notes->items, arrlenu(notes->items) * sizeof *notes->items);
    put_block(out, notes->lights, arrlenu(notes->lights));
}

/* All ranks run the same program: the options are sent as they are in memory. */
static void write_options(const struct vrad_options *options, struct bytes *out)
{
    struct vrad_options plain = *options;
    put_block(out, options, sizeof *options);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *text_at(&plain, i);
        put_block(out, text, text ? strlen(text) + 1 : 0);
    }
    write_notes(options->quake3.notes, out);
}

static enum status write_inputs(const struct env *env, const struct vrad_options *options,
                                const struct vrad_session *session, const struct assets *assets,
                                const struct bsp *bsp, struct bytes *out)
{
    const struct bsp_format *format = bsp->format ? bsp->format : session ? session->format : NULL;
    write_options(options, out);
    bytes_u8(out, assets != NULL);
    if (assets)
        bytes_sized_block(out, assets_opened_with(assets));
    struct bytes file = {0};
    struct diag *diag = diag_new(NULL, NULL); /* warnings come when the result is written */
    enum status status = bsp_encode(bsp, format, "map", diag, &file);
    if (status != STATUS_OK)
        diag_report_again(diag, env->diag);
    bytes_u64(out, file.size);
    bytes_append(out, file.data, file.size);
    bytes_free(&file);
    diag_free(diag);
    return status;
}

struct inputs {
    struct arena arena;
    struct vrad_options options;
    struct surface_notes notes;
    bool has_assets;
    struct bytes assets;
    struct bsp *bsp;
};

static void read_texts(struct byte_reader *from, struct inputs *out)
{
    for (size_t i = 0; i < TEXTS; i++) {
        struct bytes text = {0};
        const char **to = text_at(&out->options, i);
        *to = NULL;
        if (read_sized_block(from, &text) && text.size)
            *to = arena_strndup(&out->arena, (const char *)text.data, text.size - 1);
        bytes_free(&text);
    }
}

static void read_notes(struct byte_reader *from, struct inputs *out)
{
    struct bytes items = {0}, lights = {0};
    out->options.quake3.notes = NULL;
    if (!read_u8(from) || !read_sized_block(from, &items) || !read_sized_block(from, &lights))
        return;
    if (items.size) {
        arrsetlen(out->notes.items, items.size / sizeof *out->notes.items);
        memcpy(out->notes.items, items.data, items.size);
    }
    if (lights.size) {
        arrsetlen(out->notes.lights, lights.size);
        memcpy(out->notes.lights, lights.data, lights.size);
    }
    out->options.quake3.notes = &out->notes;
    bytes_free(&items);
    bytes_free(&lights);
}

static enum status read_inputs(const struct env *env, struct byte_reader *from, struct inputs *out)
{
    struct bytes options = {0}, file = {0};
    if (!read_sized_block(from, &options) || options.size != sizeof out->options)
        return STATUS_FAILED;
    memcpy(&out->options, options.data, options.size);
    bytes_free(&options);
    read_texts(from, out);
    read_notes(from, out);
    out->has_assets = read_u8(from) != 0;
    if (out->has_assets)
        (void)read_sized_block(from, &out->assets);
    size_t size = (size_t)read_u64(from);
    const unsigned char *data = read_block(from, size);
    if (!data)
        return STATUS_FAILED;
    bytes_append(&file, data, size);
    return bsp_decode_file(&file, "map", env->diag, &out->bsp);
}

static void free_inputs(struct inputs *inputs)
{
    surface_notes_free(&inputs->notes);
    bytes_free(&inputs->assets);
    bsp_free(inputs->bsp);
    arena_free(&inputs->arena);
}

/* ---- the stage ---- */

/* Content that all ranks open at once, since each must ask for the same files. */
static enum status open_content(const struct env *env, const struct bytes *opened_with,
                                struct assets **out)
{
    struct arena arena = {0};
    struct assets_options options;
    struct byte_reader from = byte_reader(opened_with->data, opened_with->size);
    assets_options_read(&from, &arena, &options);
    enum status status = assets_open(env, &options, out);
    arena_free(&arena);
    return status;
}

struct task {
    const struct vrad_options *options;
    const struct bytes *opened_with; /* NULL: no content */
    struct light_checkpoint *checkpoint;
    struct entity_reads *reads; /* or NULL */
    struct bsp *bsp;
    struct diag *messages; /* about content, after those that the run has got already */
};

/* Collective. */
static enum status light(const struct env *env, const struct task *task)
{
    const struct vrad_target *target = vrad_target_of(task->bsp->family);
    struct env shared = *env;
    shared.fs = fs_ranks_new(env->ranks, env->fs);
    shared.stop = env_agree_to_stop(env->ranks, env->stop);
    struct env content = shared;
    content.diag = task->messages;
    struct assets *assets = NULL;
    enum status status = STATUS_OK;
    if (task->opened_with)
        status = open_content(&content, task->opened_with, &assets);
    if (status == STATUS_OK)
        status =
            target->light(&shared, task->options, assets, task->checkpoint, task->reads, task->bsp);
    assets_free(assets);
    fs_ranks_free(shared.fs);
    return status;
}

/* Collective: true when all ranks have the inputs. One that cannot read the map, which has not been
 * read from a file then, leaves it to rank 0. */
static bool all_begin(const struct env *env, enum status mine)
{
    return !ranks_any(env->ranks, mine != STATUS_OK);
}

bool light_job_run(const struct env *env, const struct light_job *job, enum status *status)
{
    struct bytes inputs = {0};
    *status = write_inputs(env, job->options, job->session, job->assets, job->bsp, &inputs);
    if (*status == STATUS_OK)
        farm_begin(env, "vrad", &inputs);
    bytes_free(&inputs);
    if (*status != STATUS_OK)
        return true;
    if (!all_begin(env, STATUS_OK))
        return false;
    const struct task task = {job->options,
                              job->assets ? assets_opened_with(job->assets) : NULL,
                              light_checkpoint_new(job->session, env->ranks),
                              job->reads,
                              job->bsp,
                              diag_new(NULL, NULL)};
    diag_report_again(env->diag, task.messages); /* what has been told is not told again */
    *status = light(env, &task);
    diag_report_new(task.messages, env->diag);
    diag_free(task.messages);
    light_checkpoint_free(task.checkpoint);
    return true;
}

void vrad_work(const struct env *env, struct byte_reader *from)
{
    struct inputs inputs = {0};
    enum status status = read_inputs(env, from, &inputs);
    if (all_begin(env, status)) {
        const struct task task = {&inputs.options,
                                  inputs.has_assets ? &inputs.assets : NULL,
                                  light_checkpoint_new(NULL, env->ranks),
                                  NULL,
                                  inputs.bsp,
                                  env->diag};
        (void)light(env, &task);
        light_checkpoint_free(task.checkpoint);
    }
    free_inputs(&inputs);
}

#include "vrad/resume/light_checkpoint.h"

#include <string.h>

#include "common/core/memory.h"
#include "common/diag/codes/checkpoints.def"
#include "common/farm/loop_journal.h"
#include "common/farm/ranks.h"

struct light_checkpoint {
    struct stage_session *session; /* NULL: no file */
    struct ranks *ranks;
    struct resume_file stored;
    struct loop_journal *journal; /* with one rank; or NULL */
    bool is_loose;                /* parts do not follow what the file has */
    struct bytes resumed;         /* the file, until its luxels are taken */
    struct byte_reader state;     /* in it */
    /* To be written: */
    const struct light_state *next;
    const struct luxel_map *map;
    const struct bsp *bsp;
};

/* ---- finished items ---- */

static void write_state(struct light_checkpoint *checkpoint, const struct light_state *state,
                        const struct luxel_map *map, const struct bsp *bsp);

/* With an interval of 0 each loop is a step. */
static bool is_due(void *context)
{
    const struct light_checkpoint *checkpoint = context;
    return checkpoint->stored.seconds > 0 && resume_file_part_is_due(&checkpoint->stored);
}

static bool is_wanted(const struct light_checkpoint *checkpoint, enum loop_store when)
{
    return when == STORE_MORE ||
           (when == STORE_LAST && resume_file_is_worth(&checkpoint->stored)) ||
           (when == STORE_IF_DUE && resume_file_part_is_due(&checkpoint->stored));
}

/* A loop_sink. Before the first phase ends, parts follow an empty state. */
static bool store(void *context, enum loop_store when, const struct bytes *records)
{
    struct light_checkpoint *checkpoint = context;
    if (checkpoint->stored.failed || checkpoint->is_loose)
        return true;
    if (!is_wanted(checkpoint, when))
        return false;
    if (!checkpoint->stored.end)
        write_state(checkpoint, &(struct light_state){0}, NULL, NULL);
    if (!checkpoint->stored.failed)
        resume_file_extend(&checkpoint->stored, records, when == STORE_MORE);
    checkpoint->session->is_kept = checkpoint->stored.written;
    return true;
}

static void damaged(void *context)
{
    struct light_checkpoint *checkpoint = context;
    checkpoint->is_loose = true;
    resume_file_refuse(&checkpoint->stored, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
}

struct loop_journal *light_checkpoint_journal(struct light_checkpoint *checkpoint)
{
    return checkpoint ? checkpoint->journal : NULL;
}

/* The next loop follows the state that the file has. */
static void begin_journal(struct light_checkpoint *checkpoint, struct bytes *resumed)
{
    checkpoint->is_loose = false;
    if (checkpoint->journal)
        loop_journal_begin(checkpoint->journal, resumed);
}

/* Reads the parts of the file. */
static void begin_with_parts(struct light_checkpoint *checkpoint)
{
    struct bytes records = {0};
    struct byte_reader part;
    while (resume_file_next_part(&checkpoint->stored, &checkpoint->resumed, &part))
        bytes_append(&records, part.data + part.at, part.size - part.at);
    begin_journal(checkpoint, &records);
}

/* ---- the file ---- */

struct light_checkpoint *light_checkpoint_new(const struct stage_run *run, struct ranks *ranks)
{
    const bool has_file = run->session->checkpoint != NULL;
    if (!has_file && ranks_count(ranks) == 1)
        return NULL;
    struct light_checkpoint *checkpoint = memory_zalloc(1, sizeof *checkpoint);
    checkpoint->ranks = ranks;
    if (!has_file)
        return checkpoint;
    checkpoint->session = run->session;
    stage_file_begin(run, &checkpoint->stored, NULL, NULL);
    if (ranks_count(ranks) == 1)
        checkpoint->journal =
            loop_journal_new(&(struct loop_sink){checkpoint, is_due, store, damaged});
    return checkpoint;
}

void light_checkpoint_free(struct light_checkpoint *checkpoint)
{
    if (!checkpoint)
        return;
    if (checkpoint->session && env_stopped(checkpoint->stored.env))
        loop_journal_flush(checkpoint->journal);
    loop_journal_free(checkpoint->journal);
    bytes_free(&checkpoint->resumed);
    memory_free(checkpoint);
}

/* Reads the file up to the state. Returns false without one, reported unless it is not wanted. */
static bool open_file(struct light_checkpoint *checkpoint)
{
    const struct stage_session *session = checkpoint->session;
    return session && session->resume.resume &&
           resume_file_open(&checkpoint->stored, &checkpoint->resumed, &checkpoint->state);
}

/* Collective: the state of rank 0 becomes that of all. */
static bool share_state(struct light_checkpoint *checkpoint, bool found)
{
    struct byte_reader *state = &checkpoint->state;
    struct bytes all = {0};
    if (found)
        bytes_append(&all, state->data + state->at, state->size - state->at);
    ranks_broadcast(checkpoint->ranks, &all);
    bytes_free(&checkpoint->resumed);
    checkpoint->resumed = all;
    *state = byte_reader(all.data, all.size);
    return all.size > 0;
}

struct light_progress light_checkpoint_begin(struct light_checkpoint *checkpoint,
                                             light_parts_of *parts_of, const struct luxel_map *map,
                                             struct bsp *bsp)
{
    struct light_state state = {0};
    if (!checkpoint)
        return state.done;
    bool found = open_file(checkpoint);
    if (ranks_count(checkpoint->ranks) > 1)
        found = share_state(checkpoint, found);
    if (found && light_state_decode(checkpoint->state, parts_of, map, bsp, &state)) {
        if (checkpoint->session)
            checkpoint->session->is_kept = true;
        if (checkpoint->journal)
            begin_with_parts(checkpoint);
        return state.done;
    }
    if (found && checkpoint->session)
        resume_file_refuse(&checkpoint->stored, DIAG_CHECKPOINT_DAMAGED, "unexpected contents");
    bytes_free(&checkpoint->resumed);
    checkpoint->stored.end = 0;
    begin_journal(checkpoint, NULL);
    return (struct light_progress){0};
}

void light_checkpoint_take_hits(const struct light_checkpoint *checkpoint,
                                const struct luxel_map *map, struct ray_hit_cache *cache)
{
    if (checkpoint && checkpoint->resumed.size)
        light_state_take_hits(checkpoint->state, map, cache);
}

void light_checkpoint_take_luxels(struct light_checkpoint *checkpoint, struct luxel_map *map)
{
    if (!checkpoint || !checkpoint->resumed.size)
        return;
    light_state_take_luxels(checkpoint->state, map);
    bytes_free(&checkpoint->resumed);
}

static void encode(void *context, struct bytes *out)
{
    const struct light_checkpoint *checkpoint = context;
    light_state_encode(checkpoint->next, checkpoint->map, checkpoint->bsp, out);
}

static void write_state(struct light_checkpoint *checkpoint, const struct light_state *state,
                        const struct luxel_map *map, const struct bsp *bsp)
{
    checkpoint->next = state;
    checkpoint->map = map;
    checkpoint->bsp = bsp;
    resume_file_write(&checkpoint->stored, encode, checkpoint);
    checkpoint->session->is_kept = checkpoint->stored.written;
}

void light_checkpoint_poll(struct light_checkpoint *checkpoint, const struct light_state *state,
                           const struct luxel_map *map, const struct bsp *bsp)
{
    if (checkpoint && checkpoint->session && resume_file_is_due(&checkpoint->stored)) {
        write_state(checkpoint, state, map, bsp);
        begin_journal(checkpoint, NULL);
    }
}

void light_checkpoint_stop(struct light_checkpoint *checkpoint, const struct light_state *state,
                           const struct luxel_map *map, const struct bsp *bsp)
{
    if (checkpoint && checkpoint->journal)
        loop_journal_flush(checkpoint->journal);
    else if (checkpoint && checkpoint->session && (state->done.sets || state->done.phase) &&
             resume_file_is_worth(&checkpoint->stored))
        write_state(checkpoint, state, map, bsp);
}

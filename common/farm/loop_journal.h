/* Finished items of the loops of a run that is alone, so that a later one goes on in the middle of
 * a loop.
 *
 * A run that goes on does all again from the last state that was stored, but for the items that the
 * records have: it takes their results over as a rank takes those of another one, with the same
 * functions (struct ranks_loop), and so gets the same bytes. Loops are told apart by their order,
 * which is the same in each run. */
#ifndef FARM_LOOP_JOURNAL_H
#define FARM_LOOP_JOURNAL_H

#include "common/env.h"
#include "common/farm/ranks.h"

struct loop_journal;

enum loop_store {
    STORE_IF_DUE,
    STORE_MORE, /* goes on with what was stored right before */
    STORE_LAST  /* the run is asked to stop */
};

/* Where records go; `context` is borrowed. */
struct loop_sink {
    void *context;
    /* Asked by any thread, after each item: it is time to store. */
    bool (*is_due)(void *context);
    /* While no item runs. Appends the records to what was stored before, or does nothing and
     * returns false: then they come again, with more. */
    bool (*store)(void *context, enum loop_store when, const struct bytes *records);
    /* Records that were resumed do not fit. They are not used from there on. */
    void (*damaged)(void *context);
};

/* Does nothing until it begins. */
struct loop_journal *loop_journal_new(const struct loop_sink *sink);
void loop_journal_free(struct loop_journal *journal); /* NULL is fine */

/* The next loop is the first one after a state that is stored, with these records of an earlier
 * run, whose bytes are taken. NULL: none. */
void loop_journal_begin(struct loop_journal *journal, struct bytes *resumed);

/* The run is asked to stop: stores what has not been stored yet. NULL is fine. */
void loop_journal_flush(struct loop_journal *journal);

/* Returns true for a journal that has begun. */
bool loop_journal_is_open(const struct loop_journal *journal);

/* Runs a loop with the threads of the environment, as env_loop does. */
void loop_journal_run(struct loop_journal *journal, const struct env *env,
                      const struct ranks_loop *loop);

#endif

#include "common/parallel/region.h"

#include <pthread.h>
#include <stddef.h>

#include "common/core/memory.h"

struct member {
    pthread_t thread;
    region_body *body;
    void *context;
    int number, count;
};

void region_prepare(void) {}

static void *join(void *argument)
{
    const struct member *member = argument;
    member->body(member->context, member->number, member->count);
    return NULL;
}

/* Stacks are as large as the program's file says. */
static void begin(struct member *member)
{
    if (pthread_create(&member->thread, NULL, join, member) != 0)
        memory_refused(0);
}

/* Threads of their own, and no OpenMP: gcc's runtime, the one that there is, spins unless its
 * environment says otherwise before the program begins. */
void region_run(int threads, region_body *body, void *context)
{
    struct member *members = memory_zalloc((size_t)threads, sizeof *members);
    for (int i = 1; i < threads; i++) {
        members[i] =
            (struct member){.body = body, .context = context, .number = i, .count = threads};
        begin(&members[i]);
    }
    body(context, 0, threads);
    for (int i = 1; i < threads; i++)
        pthread_join(members[i].thread, NULL);
    memory_free(members);
}

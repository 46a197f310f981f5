#include "common/core/ending.h"

#include <pthread.h>
#include <stdio.h>

static struct ending *first;
static ending_teller *teller;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void ending_add(struct ending *ending, int folder, const char *path)
{
    pthread_mutex_lock(&lock);
    *ending = (struct ending){.folder = folder, .path = path, .next = first, .link = &first};
    if (first)
        first->link = &ending->next;
    first = ending;
    pthread_mutex_unlock(&lock);
}

void ending_drop(struct ending *ending)
{
    pthread_mutex_lock(&lock);
    *ending->link = ending->next;
    if (ending->next)
        ending->next->link = ending->link;
    pthread_mutex_unlock(&lock);
}

void ending_run(void)
{
    pthread_mutex_lock(&lock);
    for (const struct ending *ending = first; ending; ending = ending->next)
        ending_remove(ending);
}

void ending_set_teller(ending_teller *next)
{
    teller = next;
}

void ending_tell(const char *fault)
{
    if (teller)
        teller(fault);
    else
        fprintf(stderr, "internal error: %s\n", fault);
}

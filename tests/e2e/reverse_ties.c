/* A library to be loaded before libc: a qsort that turns the order of equal elements around. C
 * leaves that order open, and that of glibc depends on its release and on the memory of the
 * machine, so results must not depend on it. */
#include <stdlib.h>
#include <string.h>

typedef int comparison(const void *, const void *);

struct sort {
    size_t size;
    comparison *compare;
};

static void reverse(const struct sort *sort, const char *from, char *to, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + (count - 1 - i) * sort->size, from + i * sort->size, sort->size);
}

/* Sorts `at`, and keeps the order of equal elements; `room` holds as much. */
static void merge_sort(const struct sort *sort, char *at, char *room, size_t count)
{
    if (count < 2)
        return;
    size_t half = count / 2, size = sort->size;
    char *low = room, *low_end = room + half * size, *high = at + half * size,
         *high_end = at + count * size;
    merge_sort(sort, at, room, half);
    merge_sort(sort, high, room, count - half);
    memcpy(room, at, half * size);
    while (low < low_end) {
        char **next = high < high_end && sort->compare(low, high) > 0 ? &high : &low;
        memcpy(at, *next, size);
        at += size;
        *next += size;
    }
}

void qsort(void *base, size_t count, size_t size, comparison *compare)
{
    struct sort sort = {size, compare};
    char *room = malloc(count * size + 1);
    if (!room)
        abort();
    reverse(&sort, base, room, count);
    memcpy(base, room, count * size);
    merge_sort(&sort, base, room, count);
    free(room);
}

/* Files to remove when the process ends early: without memory, or when a bound of the run is
 * reached.
 *
 * The owner of a temporary file registers it for as long as it exists. */
#ifndef CORE_ENDING_H
#define CORE_ENDING_H

struct ending {
    int folder;       /* that a relative path begins at, or AT_FDCWD */
    const char *path; /* removed by ending_run; borrowed */
    struct ending *next, **link;
};

void ending_add(struct ending *ending, int folder, const char *path);
void ending_drop(struct ending *ending);

/* Removes the files of all that are registered. Allocates nothing. Registering waits forever
 * afterwards: the process is about to end. */
void ending_run(void);

#endif

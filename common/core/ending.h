/* Ends of the process before its time: without memory, when a bound of the run is reached, or at a
 * fault of the program itself.
 *
 * The owner of a temporary file registers it for as long as it exists. */
#ifndef CORE_ENDING_H
#define CORE_ENDING_H

struct ending {
    int folder;       /* POSIX: that a relative path begins at, or AT_FDCWD */
    const char *path; /* removed by ending_run; borrowed */
    struct ending *next, **link;
};

void ending_add(struct ending *ending, int folder, const char *path);
void ending_drop(struct ending *ending);

/* Removes the files of all that are registered. Allocates nothing. Registering waits forever
 * afterwards: the process is about to end. */
void ending_run(void);

/* Internal: removes the file of one. Allocates nothing. */
void ending_remove(const struct ending *ending);

/* Tells the user; allocates nothing. NULL: a plain line on standard error. */
typedef void ending_teller(const char *fault);
void ending_set_teller(ending_teller *teller);

/* Tells a state that only a fault of the program itself leads to (status 4). The caller ends the
 * process. */
void ending_tell(const char *fault);

#endif

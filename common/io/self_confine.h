/* Limits of the process itself, held by the system for it and its later threads until it ends: what
 * code that a damaged file has taken over could reach. */
#ifndef IO_SELF_CONFINE_H
#define IO_SELF_CONFINE_H

struct fs_roots;

/* A layer of them. */
struct confine_layer {
    char name[32]; /* with its version, if it has one */
    int error;     /* 0: it holds; ENOSYS, EOPNOTSUPP: the system has none; else an errno value */
    const char *loss; /* what nothing keeps the process from without it */
};

enum { CONFINE_LAYERS = 2 };

/* Takes all layers that the system has. */
void self_confine(const struct fs_roots *roots, struct confine_layer out[CONFINE_LAYERS]);

/* Linux. Landlock: from here on the thread, and those that it starts, can open only what is below
 * the roots, and files of the system that libraries read (libraries, /proc and /sys about memory
 * and CPUs); and connect to nothing. Returns the version of Landlock's interface, 1 and up, or the
 * negative of an errno value: -ENOSYS or -EOPNOTSUPP when the kernel has none. */
int landlock_confine(const struct fs_roots *roots);

/* Linux. seccomp: from here on the thread, and those that it starts, cannot start programs, make
 * sockets, look into other processes or change the system: such calls fail with EPERM. Returns 0 or
 * an errno value; ENOTSUP on machines whose system calls it does not know, and in builds with a
 * sanitizer that needs such calls. */
int seccomp_confine(void);

#endif

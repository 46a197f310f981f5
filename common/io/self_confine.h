/* Limits of the process itself, held by the Linux kernel for it and its later threads until it
 * ends: what code that a damaged file has taken over could reach. */
#ifndef IO_SELF_CONFINE_H
#define IO_SELF_CONFINE_H

struct fs_roots;

/* Landlock: from here on the thread, and those that it starts, can open only what is below the
 * roots, and files of the system that libraries read (libraries, /proc and /sys about memory and
 * CPUs); and connect to nothing. Returns the version of Landlock's interface, 1 and up, or the
 * negative of an errno value: -ENOSYS or -EOPNOTSUPP when the kernel has none. */
int landlock_confine(const struct fs_roots *roots);

/* seccomp: from here on the thread, and those that it starts, cannot start programs, make sockets,
 * look into other processes or change the system: such calls fail with EPERM. Returns 0 or an errno
 * value; ENOTSUP on machines whose system calls it does not know, and
 * in builds with a sanitizer that needs such calls. */
int seccomp_confine(void);

#endif

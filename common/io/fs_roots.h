/* The part of the disk that a confined file system consists of: roots, which are folders with all
 * that is below them and single files, and the folders on the way to them, which show nothing but
 * that way. */
#ifndef IO_FS_ROOTS_H
#define IO_FS_ROOTS_H

#include <stdbool.h>
#include <stddef.h>

struct fs;
struct fs_roots;

enum fs_access { FS_READ, FS_READ_WRITE };

struct fs_root {
    const char *path; /* absolute, without `.`, `..` and double slashes */
    int folder;       /* POSIX: O_PATH descriptor of the folder, or of the file */
    char *real;       /* Windows: its path, behind links; on the heap */
    bool is_file;
    enum fs_access access;
};

/* Called with each path that is refused; possibly by several threads at a time. */
typedef void fs_refused(void *context, const char *path);

/* Internal, of the system: opens the folder or file of a root and sets what it is. Returns 0 or an
 * errno value. */
int root_open(const char *path, struct fs_root *root);
void root_close(struct fs_root *root);

struct fs_roots *fs_roots_new(void);
void fs_roots_free(struct fs_roots *roots); /* NULL is fine */

/* Adds a root: a folder, or a file that is only read; symbolic links on the way to it are followed
 * now, and never again. For writing, a folder that does not exist is created. The _dir.vpk of a set
 * of archives stands for its folder. Returns 0 or an errno value. */
int fs_roots_add(struct fs_roots *roots, const char *path, enum fs_access access);
size_t fs_roots_count(const struct fs_roots *roots);
const struct fs_root *fs_roots_at(const struct fs_roots *roots, size_t index);

/* Makes the path absolute and resolves `.` and `..` in its text; free with memory_free. */
char *fs_roots_clean(const struct fs_roots *roots, const char *path);
/* Returns the innermost root with this clean path, or NULL. *rest is the path below it, or ".". */
const struct fs_root *fs_roots_find(const struct fs_roots *roots, const char *clean,
                                    enum fs_access access, const char **rest);
/* Returns true if a root is below this clean path. */
bool fs_roots_lead(const struct fs_roots *roots, const char *clean);
/* Returns entry `index` of such a folder that leads to a root, or NULL after the last; an entry may
 * occur more than once. Free with memory_free. */
char *fs_roots_step(const struct fs_roots *roots, const char *clean, size_t index);

/* The disk, confined to the roots, which it borrows: regular files and folders only, and no
 * symbolic link that leaves its root. Each path is resolved by the kernel below the descriptor of
 * its root. `walk`: by steps of our own without following any symbolic link, as where the kernel
 * has no openat2. Everything else fails with ERROR_OUTSIDE. `refused` may be NULL. */
struct fs *fs_confined_new(const struct fs_roots *roots, bool walk, fs_refused *refused,
                           void *context);
void fs_confined_free(struct fs *fs); /* NULL is fine */

/* fs_standard over such a file system instead of the disk. */
struct fs *fs_standard_new(struct fs *disk);
void fs_standard_free(struct fs *fs); /* NULL is fine */

#endif

/* for O_PATH and syscall */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/io/fs_roots.h"
#include "common/io/self_confine.h"

/* Headers may be older than the kernel, so rights are numbered here. */
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    REMOVE_FILE = 1 << 5,
    MAKE_FOLDER = 1 << 7,
    MAKE_FILE = 1 << 8,
    TRUNCATE = 1 << 14,

    RIGHTS_1 = (1 << 13) - 1,
    RIGHTS_2 = (1 << 14) - 1, /* REFER: to other folders */
    RIGHTS_3 = (1 << 15) - 1, /* TRUNCATE */
    RIGHTS_5 = (1 << 16) - 1, /* IOCTL_DEV */

    OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE,
    READS = READ_FILE | READ_FOLDER,
    WRITES = READS | WRITE_FILE | REMOVE_FILE | MAKE_FOLDER | MAKE_FILE | TRUNCATE,
};

/* The kernel's struct, with all members up to version 6; older kernels demand that members which
 * they do not know are 0. */
struct ruleset {
    uint64_t files;
    uint64_t network; /* version 4: to bind and to connect */
    uint64_t scopes;  /* version 6: abstract sockets and signals of other processes */
};

/* Rights that the version knows; all that are not granted are refused. */
static struct ruleset ruleset_of(int version)
{
    return (struct ruleset){
        .files = version >= 5   ? RIGHTS_5
                 : version >= 3 ? RIGHTS_3
                 : version == 2 ? RIGHTS_2
                                : RIGHTS_1,
        .network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
}

static int grant(int ruleset, const struct ruleset *all, int place, uint64_t rights)
{
    const struct landlock_path_beneath_attr rule = {.allowed_access = rights & all->files,
                                                    .parent_fd = place};
    return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0
               ? 0
               : errno;
}

/* Places that a machine does not have are not granted. */
static int grant_path(int ruleset, const struct ruleset *all, const char *path, uint64_t rights)
{
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0)
        return 0;
    int error = grant(ruleset, all, place, rights);
    close(place);
    return error;
}

/* Files that libraries read while they run: Embree's allocator is loaded late. */
static int grant_system(int ruleset, const struct ruleset *all)
{
    static const struct {
        const char *path;
        uint64_t rights;
    } places[] = {
        {"/lib", READS},
        {"/lib64", READS},
        {"/usr/lib", READS},
        {"/usr/lib64", READS},
        {"/usr/local/lib", READS},
        {"/etc/ld.so.cache", READ_FILE},
        {"/proc/self", READS},
        {"/proc/meminfo", READ_FILE},
        {"/proc/cpuinfo", READ_FILE},
        {"/proc/sys/vm", READS},
        {"/proc/sys/kernel/random/boot_id", READ_FILE},
        {"/sys/devices/system", READS},
        {"/sys/kernel/mm", READS},
        {"/sys/fs/cgroup", READS},
    };
    int error = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places && !error; i++)
        error = grant_path(ruleset, all, places[i].path, places[i].rights);
    return error;
}

static int grant_roots(int ruleset, const struct ruleset *all, const struct fs_roots *roots)
{
    int error = 0;
    for (size_t i = 0; i < fs_roots_count(roots) && !error; i++) {
        const struct fs_root *root = fs_roots_at(roots, i);
        uint64_t rights = root->access == FS_READ_WRITE ? WRITES : READS;
        error = grant(ruleset, all, root->folder, root->is_file ? rights & OF_FILES : rights);
    }
    return error;
}

int landlock_confine(const struct fs_roots *roots)
{
    int version =
        (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return version < 0 ? -errno : -ENOSYS;
    const struct ruleset all = ruleset_of(version);
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (ruleset < 0)
        return -errno;
    int error = grant_system(ruleset, &all);
    if (!error)
        error = grant_roots(ruleset, &all, roots);
    if (!error && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        error = errno;
    if (!error && syscall(SYS_landlock_restrict_self, ruleset, 0) != 0)
        error = errno;
    close(ruleset);
    return error ? -error : version;
}

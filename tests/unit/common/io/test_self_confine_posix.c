/* Things that the kernel refuses a process that has confined itself. Each case is a process of its
 * own. */
/* for syscall */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name
#include "tests/support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/io/fs.h"
#include "common/io/fs_roots.h"
#include "common/io/self_confine.h"

enum { MISSING = 77, PATH = 100 };

static int in_process(int (*body)(const char *folder), const char *folder)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        _exit(body(folder));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void *open_passwd(void *error)
{
    int file = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
    *(int *)error = file < 0 ? errno : 0;
    return NULL;
}

/* Returns the number of the first thing that is not as it must be, or 0. */
static int below_landlock(const char *folder)
{
    char inside[PATH];
    int error = 0;
    pthread_t thread;
    snprintf(inside, sizeof inside, "%s/in/file", folder);
    struct fs_roots *roots = fs_roots_new();
    char root[PATH];
    snprintf(root, sizeof root, "%s/in", folder);
    if (fs_roots_add(roots, root, FS_READ_WRITE) != 0)
        return 1;
    if (landlock_confine(roots) < 0)
        return MISSING;
    open_passwd(&error);
    if (error != EACCES)
        return 2;
    if (pthread_create(&thread, NULL, open_passwd, &error) != 0 ||
        pthread_join(thread, NULL) != 0 || error != EACCES)
        return 3;
    if (open(folder, O_RDONLY | O_CLOEXEC) >= 0)
        return 4;
    if (fs_disk()->ops->write(fs_disk(), inside, "text", 4) != 0 ||
        fs_disk()->ops->write(fs_disk(), inside, "other", 5) != 0)
        return 5;
    snprintf(inside, sizeof inside, "%s/out", folder);
    if (fs_disk()->ops->write(fs_disk(), inside, "text", 4) == 0)
        return 6;
    fs_roots_free(roots);
    return 0;
}

static int below_seccomp(const char *folder)
{
    (void)folder;
    int error = seccomp_confine();
    if (error)
        return error == ENOTSUP || error == EINVAL ? MISSING : 1;
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || errno != EPERM)
        return 2;
    execl("/bin/true", "true", (char *)NULL);
    if (errno != EPERM)
        return 3;
    return open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? 4 : 0;
}

static void told(int status, const char *name)
{
    if (status == MISSING)
        print_message("skipped: this kernel has no %s\n", name);
    else
        assert_int_equal(status, 0);
}

static void landlock_leaves_only_the_roots(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_landlock_XXXXXX", inside[PATH];
    assert_non_null(mkdtemp(folder));
    snprintf(inside, sizeof inside, "%s/in", folder);
    assert_int_equal(fs_disk()->ops->make_folder(fs_disk(), inside), 0);
    told(in_process(below_landlock, folder), "Landlock");
    snprintf(inside, sizeof inside, "%s/in/file", folder);
    unlink(inside);
    snprintf(inside, sizeof inside, "%s/in", folder);
    assert_int_equal(rmdir(inside), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void seccomp_leaves_no_programs_and_no_network(void **state)
{
    (void)state;
    told(in_process(below_seccomp, NULL), "seccomp");
}

SUITE(test_self_confine_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landlock_leaves_only_the_roots),
        cmocka_unit_test(seccomp_leaves_no_programs_and_no_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

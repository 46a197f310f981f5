/* A part of the disk: what is below its roots, and nothing else. */
#include "tests/support/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/core/memory.h"
#include "common/core/strings.h"
#include "common/io/fs.h"
#include "common/io/fs_gather.h"
#include "common/io/fs_roots.h"
#include "common/io/self_confine.h"

enum { PATH = 160 };

struct confined {
    char base[PATH / 2], before[PATH];
    struct fs_roots *roots;
    struct fs *fs[2]; /* by the kernel, by steps of our own */
    int refused;
};

static void count_refused(void *context, const char *path)
{
    struct confined *confined = context;
    assert_non_null(path);
    confined->refused++;
}

static void put(const char *path, const char *text)
{
    assert_int_equal(fs_disk()->ops->write(fs_disk(), path, text, strlen(text)), 0);
}

/* secret and outside/ are beside the roots: maps/ (to write), game/ and one file of lone/. */
static int setup(void **state)
{
    struct confined *c = calloc(1, sizeof *c);
    snprintf(c->base, sizeof c->base, "/tmp/brushwork_confined_XXXXXX");
    assert_non_null(mkdtemp(c->base));
    assert_non_null(getcwd(c->before, sizeof c->before));
    assert_int_equal(chdir(c->base), 0);
    static const char *const folders[] = {"maps", "maps/parts", "game", "outside", "lone"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(mkdir(folders[i], 0700), 0);
    static const char *const files[] = {"secret",     "outside/file", "maps/a",    "maps/parts/b",
                                        "game/paint", "lone/one",     "lone/other"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i], files[i]);
    assert_int_equal(symlink("../secret", "maps/link"), 0);
    assert_int_equal(symlink("/etc/passwd", "maps/passwd"), 0);
    assert_int_equal(symlink("../outside", "maps/away"), 0);
    assert_int_equal(mkfifo("maps/pipe", 0600), 0);
    c->roots = fs_roots_new();
    assert_int_equal(fs_roots_add(c->roots, "maps", FS_READ_WRITE), 0);
    assert_int_equal(fs_roots_add(c->roots, "game", FS_READ), 0);
    assert_int_equal(fs_roots_add(c->roots, "lone/one", FS_READ), 0);
    for (int walk = 0; walk < 2; walk++)
        c->fs[walk] = fs_confined_new(c->roots, walk, count_refused, c);
    *state = c;
    return 0;
}

static int teardown(void **state)
{
    struct confined *c = *state;
    for (int walk = 0; walk < 2; walk++)
        fs_confined_free(c->fs[walk]);
    fs_roots_free(c->roots);
    assert_int_equal(chdir(c->before), 0);
    char command[PATH];
    snprintf(command, sizeof command, "rm -r %s", c->base);
    int failed = system(command); // NOLINT(cert-env33-c): a folder of our own
    free(c);
    return failed;
}

static int read_error(struct fs *fs, const char *path)
{
    struct bytes text = {0};
    int error = fs->ops->read(fs, path, &text);
    if (error)
        assert_int_equal(text.size, 0);
    bytes_free(&text);
    return error;
}

static void what_is_below_the_roots_is_read(void **state)
{
    struct confined *c = *state;
    char absolute[PATH];
    snprintf(absolute, sizeof absolute, "%s/maps/../game//./paint", c->base);
    const char *const paths[] = {"maps/a",     "maps/parts/../a", "./maps/parts/b",
                                 "game/paint", "lone/one",        absolute};
    for (int walk = 0; walk < 2; walk++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            struct fs *fs = c->fs[walk];
            uint64_t size = 0;
            assert_int_equal(fs->ops->kind(fs, paths[i]), FS_FILE);
            assert_int_equal(fs->ops->size(fs, paths[i], &size), 0);
            assert_int_equal(read_error(fs, paths[i]), 0);
            struct fs_source *source = fs_source_open(fs, paths[i]);
            assert_non_null(source);
            assert_int_equal(fs_source_size(source), size);
            fs_source_close(source);
        }
    assert_int_equal(c->refused, 0);
}

static void what_is_outside_is_refused(void **state)
{
    struct confined *c = *state;
    static const char *const paths[] = {
        "secret",
        "maps/../secret",
        "maps/parts/../../secret",
        "outside/file",
        "/etc/passwd",
        "lone/other",
        "maps/link",
        "maps/passwd",
        "maps/away/file",
        "/dev/zero",
        "/proc/self/maps",
        "lone/one/..",
        "/",
    };
    for (int walk = 0; walk < 2; walk++)
        for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
            struct fs *fs = c->fs[walk];
            uint64_t size;
            struct bytes text = {0};
            assert_int_not_equal(fs->ops->kind(fs, paths[i]), FS_FILE);
            assert_int_not_equal(fs->ops->size(fs, paths[i], &size), 0);
            assert_int_not_equal(read_error(fs, paths[i]), 0);
            assert_int_not_equal(fs->ops->read_part(fs, paths[i], 0, 1, &text), 0);
            assert_null(fs_source_open(fs, paths[i]));
            bytes_free(&text);
        }
    assert_true(c->refused > 0);
    assert_int_equal(read_error(c->fs[0], "secret"), ERROR_OUTSIDE);
    assert_int_equal(read_error(c->fs[0], "maps/link"), ERROR_OUTSIDE);
}

static void links_that_stay_are_followed_by_the_kernel(void **state)
{
    struct confined *c = *state;
    assert_int_equal(symlink("parts/b", "maps/inside"), 0);
    int error = read_error(c->fs[0], "maps/inside");
    assert_true(error == 0 || error == ERROR_OUTSIDE); /* without openat2 */
    assert_int_equal(read_error(c->fs[1], "maps/inside"), ERROR_OUTSIDE);
}

static void only_regular_files_are_read(void **state)
{
    struct confined *c = *state;
    struct fs *all[] = {fs_disk(), c->fs[0], c->fs[1]};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(read_error(all[i], "maps/pipe"), ERROR_NOT_REGULAR);
        assert_int_equal(read_error(all[i], "maps/parts"), EISDIR);
    }
    assert_int_equal(read_error(fs_disk(), "/dev/zero"), ERROR_NOT_REGULAR);
    assert_string_equal(str_error(ERROR_NOT_REGULAR).text, "not a regular file");
}

static void add_name(void *context, const char *name, bool is_directory)
{
    char *list = context;
    snprintf(list + strlen(list), PATH - strlen(list), "%s%s ", name, is_directory ? "/" : "");
}

static void folders_above_show_the_way(void **state)
{
    struct confined *c = *state;
    for (int walk = 0; walk < 2; walk++) {
        struct fs *fs = c->fs[walk];
        char list[PATH] = "", inner[PATH] = "";
        assert_int_equal(fs->ops->kind(fs, "."), FS_DIRECTORY);
        assert_int_equal(fs->ops->kind(fs, "/tmp"), FS_DIRECTORY);
        assert_int_equal(fs->ops->list(fs, ".", add_name, list), 0);
        assert_string_equal(list, "game/ lone/ maps/ ");
        assert_int_equal(fs->ops->list(fs, "maps/parts", add_name, inner), 0);
        assert_string_equal(inner, "b ");
        assert_int_equal(fs->ops->list(fs, "outside", add_name, inner), ERROR_OUTSIDE);
    }
}

static void only_folders_for_writing_are_written_to(void **state)
{
    struct confined *c = *state;
    for (int walk = 0; walk < 2; walk++) {
        struct fs *fs = c->fs[walk];
        assert_int_equal(fs->ops->make_folder(fs, "maps/new/er"), 0);
        assert_int_equal(fs->ops->can_write(fs, "maps/new/er/file"), 0);
        assert_int_equal(fs->ops->write(fs, "maps/new/er/file", "1", 1), 0);
        assert_int_equal(fs->ops->write(fs, "maps/new/er/file", "22", 2), 0);
        assert_int_equal(fs->ops->kind(fs, "maps/new/er/file"), FS_FILE);
        assert_int_equal(fs->ops->remove(fs, "maps/new/er/file"), 0);
        assert_int_equal(fs->ops->kind(fs, "maps/new/er/file"), FS_ABSENT);
        static const char *const refused[] = {"game/new", "lone/one",       "lone/new",
                                              "new",      "maps/away/file", "maps/../outside/x",
                                              "/tmp/new", "maps/pipe"};
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
            assert_int_not_equal(fs->ops->write(fs, refused[i], "x", 1), 0);
            assert_int_not_equal(fs->ops->can_write(fs, refused[i]), 0);
        }
        assert_int_equal(fs->ops->remove(fs, "game/paint"), ERROR_OUTSIDE);
        assert_int_equal(fs->ops->make_folder(fs, "outside/folder"), ERROR_OUTSIDE);
        assert_int_equal(rmdir("maps/new/er"), 0); /* fails when anything else was left */
        assert_int_equal(rmdir("maps/new"), 0);
    }
}

static void paths_are_made_clean(void **state)
{
    struct confined *c = *state;
    static const char *const cases[][2] = {
        {"/a//b/./c/", "/a/b/c"}, {"/..", "/"}, {"/a/../../b", "/b"}, {"/", "/"}, {"/a/b/..", "/a"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *clean = fs_roots_clean(c->roots, cases[i][0]);
        assert_string_equal(clean, cases[i][1]);
        memory_free(clean);
    }
}

/* --- self confine posix --- */

/* Things that the kernel refuses a process that has confined itself. Each case is a process of its
 * own. */
/* for syscall */
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): the system asks for it by this name

enum { MISSING = 77, SELF_PATH = 100 };

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
    char inside[SELF_PATH];
    int error = 0;
    pthread_t thread;
    snprintf(inside, sizeof inside, "%s/in/file", folder);
    struct fs_roots *roots = fs_roots_new();
    char root[SELF_PATH];
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
    char folder[] = "/tmp/brushwork_landlock_XXXXXX", inside[SELF_PATH];
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

SUITE(test_confined_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_below_the_roots_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_outside_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(links_that_stay_are_followed_by_the_kernel, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(only_regular_files_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(folders_above_show_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(only_folders_for_writing_are_written_to, setup, teardown),
        cmocka_unit_test_setup_teardown(paths_are_made_clean, setup, teardown),
        cmocka_unit_test(landlock_leaves_only_the_roots),
        cmocka_unit_test(seccomp_leaves_no_programs_and_no_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

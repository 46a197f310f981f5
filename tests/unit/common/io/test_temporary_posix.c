/* Temporary files that dead processes left behind. */
#include "tests/support/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/arena.h"
#include "common/io/fs.h"
#include "common/io/temporary.h"

enum { NAME = 400 };

/* The id of a process that has ended. */
static pid_t dead_process(void)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return child;
}

/* Replaces the process id in a name of temporary_name. */
static void of_process(char *out, const char *name, long process)
{
    const char *mark = strstr(name, ".brushwork-") + strlen(".brushwork-");
    snprintf(out, NAME, "%.*s%ld%s", (int)(mark - name), name, process, strchr(mark, '-'));
}

static void create(const char *path, time_t age)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(file >= 0);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= age;
    const struct timespec times[2] = {now, now};
    assert_int_equal(futimens(file, times), 0);
    close(file);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static void the_dead_are_removed_and_no_others(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_temporary_XXXXXX", out[NAME], dead[NAME], other[NAME],
         old[NAME], foreign[NAME];
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/map.bsp", folder);
    struct arena arena = {0};
    const char *own = temporary_name(&arena, out);
    of_process(dead, temporary_name(&arena, out), dead_process());
    /* Of another system, whose processes are not known here. */
    of_process(other, temporary_name(&arena, out), dead_process());
    char *digit = strchr(strstr(other, ".brushwork-") + strlen(".brushwork-"), '-') + 1;
    *digit = *digit == '0' ? '1' : '0';
    snprintf(old, sizeof old, "%s", other);
    char *last = &old[strlen(old) - 1];
    *last = *last == 'x' ? 'y' : 'x';
    snprintf(foreign, sizeof foreign, "%s/map.brushwork-notes", folder);
    create(own, 100000);
    create(dead, 0);
    create(other, 60);
    create(old, 100000);
    create(foreign, 1000000);
    assert_int_equal(fs_disk()->ops->can_write(fs_disk(), out), 0);
    assert_true(exists(own));
    assert_false(exists(dead));
    assert_true(exists(other));
    assert_false(exists(old));
    assert_true(exists(foreign));
    unlink(own);
    unlink(other);
    unlink(foreign);
    assert_int_equal(rmdir(folder), 0);
    arena_free(&arena);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char folder[] = "/tmp/brushwork_temporary_XXXXXX", out[NAME], name[256];
    assert_non_null(mkdtemp(folder));
    memset(name, 'n', 255);
    name[255] = 0;
    snprintf(out, sizeof out, "%s/%s", folder, name);
    assert_int_equal(fs_disk()->ops->can_write(fs_disk(), out), 0);
    assert_int_equal(fs_disk()->ops->write(fs_disk(), out, "text", 4), 0);
    assert_int_equal(unlink(out), 0);
    assert_int_equal(rmdir(folder), 0);
}

SUITE(test_temporary_posix)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_dead_are_removed_and_no_others),
        cmocka_unit_test(long_names_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

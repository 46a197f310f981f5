/* A folder of the disk for one test, on each system. */
#ifndef TESTS_SCRATCH_FOLDER_H
#define TESTS_SCRATCH_FOLDER_H

#include <stdio.h>

#include "common/core/entropy.h"
#include "common/io/fs.h"
#include "tests/support/suite.h"

/* Makes a new folder. The test removes it. */
static inline void scratch_folder(char *path, size_t size)
{
    uint64_t drawn = 0;
    assert_true(entropy_draw(&drawn, sizeof drawn));
    snprintf(path, size, "/tmp/brushwork-test-%016llx", (unsigned long long)drawn);
    assert_int_equal(fs_disk()->ops->make_folder(fs_disk(), path), 0);
}

#endif

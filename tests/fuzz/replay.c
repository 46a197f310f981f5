/* Runs fuzz targets on files without libFuzzer: each file unchanged, cut short in even steps, and
 * with single bits flipped at hashed positions.
 *
 *     replay TARGET FOLDER...
 *
 * CMake writes targets.inc, with a line ROW(name) for each fuzz_<name>.c, whose function is called
 * so. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/random.h"
#include "common/io/fs.h"
#include "tests/support/long_form.h"

typedef int fuzz_target(const uint8_t *data, size_t size);

#define ROW(name) fuzz_target fuzz_##name;
#include "targets.inc"
#undef ROW

static const struct {
    const char *name;
    fuzz_target *run;
} targets[] = {
#define ROW(name) {#name, fuzz_##name},
#include "targets.inc"
};

struct replay {
    fuzz_target *target;
    const char *folder;
    int cuts, flips; /* of each file */
    int files;
    bool failed;
};

/* A copy of the exact size, so that a sanitizer detects a read past the end. */
static void run(fuzz_target *target, const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        exit(1);
    if (size)
        memcpy(copy, data, size);
    target(copy, size);
    free(copy);
}

static void replay_file(const struct replay *replay, const char *path, const struct bytes *file)
{
    run(replay->target, file->data, file->size);
    for (int cut = 0; cut < replay->cuts; cut++)
        run(replay->target, file->data, file->size * (size_t)cut / (size_t)replay->cuts);
    for (int flip = 0; flip < replay->flips && file->size; flip++) {
        uint64_t hash = hash_pair(file->size, (uint64_t)flip);
        unsigned char *byte = &file->data[(hash >> 3) % file->size];
        *byte ^= (unsigned char)(1u << (hash & 7));
        run(replay->target, file->data, file->size);
        *byte ^= (unsigned char)(1u << (hash & 7));
    }
    printf("[       OK ] %s\n", path);
}

static void visit(void *context, const char *name, bool is_directory)
{
    struct replay *replay = context;
    if (is_directory)
        return;
    char path[4096];
    struct bytes file = {0};
    snprintf(path, sizeof path, "%s/%s", replay->folder, name);
    if (fs_disk()->ops->read(fs_disk(), path, &file) == 0)
        replay_file(replay, path, &file);
    else
        replay->failed = true;
    replay->files++;
    bytes_free(&file);
}

static fuzz_target *target_find(const char *name)
{
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            return targets[i].run;
    return NULL;
}

int main(int argc, char **argv)
{
    fuzz_target *target = argc > 2 ? target_find(argv[1]) : NULL;
    if (!target) {
        fprintf(stderr, "usage: replay TARGET FOLDER...: a target of tests/fuzz, without fuzz_\n");
        return 2;
    }
    for (int i = 2; i < argc; i++) {
        struct replay replay = {.target = target,
                                .folder = argv[i],
                                .cuts = long_form(8, 16),
                                .flips = long_form(12, 48)};
        int error = fs_disk()->ops->list(fs_disk(), argv[i], visit, &replay);
        if (error || replay.failed || !replay.files) {
            printf("[  FAILED  ] %s: no seeds to read\n", argv[i]);
            return 1;
        }
    }
    return 0;
}

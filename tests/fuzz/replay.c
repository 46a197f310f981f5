/* Runs a fuzz target on files without libFuzzer: each file unchanged, truncated at every sixteenth,
 * and with single bits flipped at hashed positions. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/core/random.h"
#include "common/io/fs.h"

enum { CUTS = 16, FLIPS = 48 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy of the exact size, so that a sanitizer detects a read past the end. */
static void run(const unsigned char *data, size_t size)
{
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy)
        exit(1);
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void replay_file(const char *path, const struct bytes *file)
{
    run(file->data, file->size);
    for (size_t cut = 0; cut < CUTS; cut++)
        run(file->data, file->size * cut / CUTS);
    for (uint64_t flip = 0; flip < FLIPS && file->size; flip++) {
        uint64_t hash = hash_pair(file->size, flip);
        unsigned char *byte = &file->data[(hash >> 3) % file->size];
        *byte ^= (unsigned char)(1u << (hash & 7));
        run(file->data, file->size);
        *byte ^= (unsigned char)(1u << (hash & 7));
    }
    printf("[       OK ] %s\n", path);
}

struct replay {
    const char *folder;
    int files;
    bool failed;
};

static void visit(void *context, const char *name, bool is_directory)
{
    struct replay *replay = context;
    if (is_directory)
        return;
    char path[4096];
    struct bytes file = {0};
    snprintf(path, sizeof path, "%s/%s", replay->folder, name);
    if (fs_disk()->ops->read(fs_disk(), path, &file) == 0)
        replay_file(path, &file);
    else
        replay->failed = true;
    replay->files++;
    bytes_free(&file);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        struct replay replay = {.folder = argv[i]};
        int error = fs_disk()->ops->list(fs_disk(), argv[i], visit, &replay);
        if (error || replay.failed || !replay.files) {
            printf("[  FAILED  ] %s: no seeds to read\n", argv[i]);
            return 1;
        }
    }
    return 0;
}

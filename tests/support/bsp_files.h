/* BSP files for tests: one of the repository, and those of the corpus. */
#ifndef TESTS_BSP_FILES_H
#define TESTS_BSP_FILES_H

#include <stdio.h>
#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"

/* A small map with areas, occluders, a displacement, brush entities, and LDR and HDR light. */
#define OWN_BSP MAPS_DIR "/../tests/fuzz/seeds/bsp/portal.bsp"

/* Some maps must be refused: only the name of their version is known. */
static inline bool bsp_file_is_known(const struct bytes *file)
{
    struct container container;
    struct diag *quiet = diag_new(NULL, NULL);
    bool known = container_open(file->data, file->size, "map", quiet, &container) == STATUS_OK &&
                 bsp_format_of(&container);
    diag_free(quiet);
    return known;
}

typedef void bsp_file_visit(void *context, const char *path, const struct bytes *file);

struct bsp_file_walk {
    const char *folder;
    bsp_file_visit *visit;
    void *context;
    int depth, *found;
};

static void bsp_file_entry(void *context, const char *name, bool is_directory)
{
    struct bsp_file_walk *walk = context;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", walk->folder, name);
    size_t length = strlen(name);
    if (is_directory && walk->depth) {
        struct bsp_file_walk below = {path, walk->visit, walk->context, walk->depth - 1,
                                      walk->found};
        fs_disk()->ops->list(fs_disk(), path, bsp_file_entry, &below);
    } else if (!is_directory && length > 4 && !strcmp(name + length - 4, ".bsp")) {
        struct bytes file = {0};
        if (fs_disk()->ops->read(fs_disk(), path, &file) == 0 && bsp_file_is_known(&file))
            walk->visit(walk->context, path, &file);
        (*walk->found)++;
        bytes_free(&file);
    }
}

/* Visits the .bsp files of the folder and of its folders; returns their number. */
static inline int bsp_files_visit(const char *folder, bsp_file_visit *visit, void *context)
{
    int found = 0;
    struct bsp_file_walk walk = {folder, visit, context, 1, &found};
    fs_disk()->ops->list(fs_disk(), folder, bsp_file_entry, &walk);
    return found;
}

/* Folders of the corpus with maps of VBSP: 20 in the first three, 19 to 25 in the last. */
static const char *const bsp_corpus[] = {SHARED_DIR "/corpus/vmf", SHARED_DIR "/corpus/generated",
                                         SHARED_DIR "/corpus/refs", SHARED_DIR "/corpus/vbsp"};

enum { BSP_CORPUS = sizeof bsp_corpus / sizeof *bsp_corpus };

static inline void bsp_print_entry(void *context, const struct diag_entry *entry)
{
    (void)context;
    printf("%s: %s %s\n", entry->where.file ? entry->where.file : "", diag_info(entry->code)->code,
           entry->message);
}

#endif

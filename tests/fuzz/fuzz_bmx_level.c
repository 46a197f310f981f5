/* Any bytes as a BM file: refused with a report, or a level whose text reads back, and a BSP to
 * draw. The first byte chooses options; the rest is a file, or its blocks without an archive, as
 * fuzz_bmx has them. */
#include <stdint.h>

#include "ballance/bmx/read.h"
#include "ballance/level/bmx_drawn.h"
#include "ballance/level/bmx_level.h"
#include "common/bsp/engine.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/bmx_files.h"
#include "vbsp/level/write/level_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FACES_MAX = 2000, OBJECTS_MAX = 200 };

static bool is_small(const struct bmx *bmx)
{
    size_t faces = 0;
    for (size_t i = 0; i < arrlenu(bmx->objects); i++)
        if (!bmx->objects[i].is_component)
            faces += arrlenu(bmx->meshes[bmx->objects[i].mesh].faces);
    return faces <= FACES_MAX && arrlen(bmx->objects) <= OBJECTS_MAX;
}

/* The text has as many entities and solids as the level, and is one of a map. */
static void check_text(const struct level *level, enum map_form form)
{
    const struct level_write_options options = {.form = form};
    struct bytes text = {0};
    struct level again;
    struct diag *diag = diag_new(NULL, NULL);
    (void)level_write_map(level, &options, &text);
    check(map_parse((const char *)text.data, text.size, "fuzz.map", diag, &again) == STATUS_OK);
    check(arrlen(again.entities) == arrlen(level->entities));
    level_free(&again);
    bytes_free(&text);
    level_write_vmf(level, &options, &text);
    check(vmf_parse((const char *)text.data, text.size, "fuzz.vmf", diag, &again) == STATUS_OK);
    check(arrlen(again.entities) == arrlen(level->entities));
    level_free(&again);
    bytes_free(&text);
    diag_free(diag);
}

static void make_level(const struct bmx *bmx, unsigned options, struct diag *diag)
{
    const struct bmx_level_options with = {.name = "fuzz",
                                           .prisms = options & 1,
                                           .engine = options & 2 ? &engine_source : &engine_quake3,
                                           .playable = options & 4,
                                           .max_pieces = options & 8 ? 16 : 0};
    struct level level;
    struct bmx_level_files files;
    bmx_level_make(bmx, &with, "fuzz.bmx", diag, &level, &files);
    check_text(&level, (enum map_form)(options / 16 % 3));
    for (size_t i = 0; i < arrlenu(files.list); i++)
        for (size_t k = 0; k < i; k++)
            check(strcmp(files.list[i].path, files.list[k].path) != 0);
    struct fs *fs = bmx_level_files_mount(&files, "folder");
    fs_memory_free(fs);
    bmx_level_files_free(&files);
    level_free(&level);
}

static void draw(const uint8_t *data, size_t size, struct diag *diag)
{
    struct bsp *bsp;
    struct bmx_level_files files;
    if (bmx_drawn_read(data, size, "fuzz", "fuzz.bmx", diag, &bsp, &files) == STATUS_OK)
        check(arrlen(bsp->models) > 0);
    else
        check(diag_count(diag, DIAG_ERROR) > 0);
    bsp_free(bsp);
    bmx_level_files_free(&files);
}

/* The first 8 bytes are the sizes of four blocks. */
static struct bmx *read_parts(const uint8_t *data, size_t size, struct bmx_findings *findings)
{
    struct bmx_parts parts = {0};
    struct bmx_stats stats;
    struct bmx *bmx = memory_zalloc(1, sizeof *bmx);
    size_t at = size < 8 ? size : 8;
    for (size_t i = 0; i < BMX_ROLE_FILE && size >= 8; i++) {
        size_t length = i < 4 ? load_u16(data + 2 * i) : size - at;
        length = length < size - at ? length : size - at;
        bytes_append(&parts.files[(i + 4) % BMX_ROLE_FILE], data + at, length);
        at += length;
    }
    if (bmx_read_blocks(&parts, bmx, findings))
        bmx_check_model(bmx, findings, &stats);
    for (int role = 0; role < BMX_ROLE_FILE; role++)
        bytes_free(&parts.files[role]);
    return bmx;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct bmx_limits limits = {1 << 20, 1 << 21};
    if (size < 1)
        return 0;
    struct diag *diag = diag_new(NULL, NULL);
    for (int form = 0; form < 2; form++) {
        struct bmx_findings findings = {0};
        struct bmx_stats stats;
        struct bmx *bmx = form ? read_parts(data + 1, size - 1, &findings)
                               : bmx_check(data + 1, size - 1, &limits, &findings, &stats);
        if (bmx && !findings.by_severity[DIAG_ERROR] && is_small(bmx)) {
            make_level(bmx, data[0], diag);
            if (!form)
                draw(data + 1, size - 1, diag);
        }
        bmx_free(bmx);
        bmx_findings_free(&findings);
    }
    diag_free(diag);
    return 0;
}

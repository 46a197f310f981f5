/* Any bytes as a BM file: refused with a finding, or written, unpacked and packed without a change.
 * Also as its blocks without an archive, and as the text of an unpacked one. */
#include <stdint.h>

#include "ballance/bmx/check.h"
#include "ballance/bmx/diff.h"
#include "ballance/bmx/dump.h"
#include "ballance/bmx/read.h"
#include "common/core/array.h"
#include "common/diag/codes/bm_archives.def"
#include "tests/fuzz/fuzz_check.h"
#include "tests/support/bmx_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct bmx_limits limits = {1 << 22, 1 << 23};

static void ignore(void *context, const char *where, const char *text)
{
    (void)context;
    check(where && text);
}

static void check_written(const struct bmx *bmx, struct diag *diag)
{
    struct bytes file = {0};
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    check(bmx_encode(bmx, "fuzz", diag, &file) == STATUS_OK);
    struct bmx *again = bmx_check(file.data, file.size, NULL, &findings, &stats);
    check(again && bmx_same_members(bmx, again));
    const struct bmx_diff_options exact = {0};
    check(bmx_diff(bmx, again, &exact, ignore, NULL) == 0);
    check(!bmx_finding_count(&findings, DIAG_BMX_E_ZIP_STORED) &&
          !bmx_finding_count(&findings, DIAG_BMX_E_ZIP64) &&
          !bmx_finding_count(&findings, DIAG_BMX_E_ZIP_UTF8FLAG) &&
          !bmx_finding_count(&findings, DIAG_BMX_W_ZIP_LEVEL));
    bmx_free(again);
    bmx_findings_free(&findings);
    bytes_free(&file);
}

static void check_dump(const struct bmx *bmx, struct diag *diag)
{
    struct fs *fs = fs_memory_new();
    struct bmx *again;
    check(bmx_unpack(bmx, fs, "folder", false, diag, NULL) == STATUS_OK);
    check(bmx_pack(fs, "folder", diag, &again) == STATUS_OK);
    check(bmx_same_members(bmx, again));
    bmx_free(again);
    fs_memory_free(fs);
}

/* Blocks without the archive, whose checksums few mutations pass: the first 8 bytes are the sizes
 * of four parts. A model that is read gives the same bytes again. */
static void read_parts(const uint8_t *data, size_t size, struct diag *diag)
{
    struct bmx_parts parts = {0};
    struct bmx *model = memory_zalloc(1, sizeof *model);
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    size_t at = size < 8 ? size : 8;
    for (size_t i = 0; i < BMX_ROLE_FILE && size >= 8; i++) {
        size_t length = i < 4 ? load_u16(data + 2 * i) : size - at;
        length = length < size - at ? length : size - at;
        bytes_append(&parts.files[(i + 4) % BMX_ROLE_FILE], data + at, length);
        at += length;
    }
    if (bmx_read_blocks(&parts, model, &findings)) {
        bmx_check_model(model, &findings, &stats);
        for (int role = 0; role < BMX_ROLE_FILE && !model->incomplete; role++) {
            struct bytes out = {0};
            bmx_encode_role(model, (enum bmx_role)role, &out);
            check(out.size == parts.files[role].size);
            check(!out.size || memcmp(out.data, parts.files[role].data, out.size) == 0);
            bytes_free(&out);
        }
        if (!model->incomplete)
            check_dump(model, diag);
    } else {
        check(findings.by_severity[DIAG_ERROR] > 0);
    }
    for (int role = 0; role < BMX_ROLE_FILE; role++)
        bytes_free(&parts.files[role]);
    bmx_findings_free(&findings);
    bmx_free(model);
}

/* The first byte selects the text file that the rest is. */
static void pack_bytes(const uint8_t *data, size_t size, struct diag *diag)
{
    static const char *const files[] = {"d/index.txt", "d/objects.txt", "d/meshes.txt",
                                        "d/materials.txt", "d/textures.txt"};
    struct fs *fs = fs_memory_new();
    struct bmx *bmx;
    for (size_t i = 0; i < 5; i++) {
        bool chosen = size && data[0] % 5 == i;
        const char *plain = i ? "" : "version 14\ncomment \"\"\n";
        check(fs->ops->write(fs, files[i], chosen ? (const void *)(data + 1) : plain,
                             chosen ? size - 1 : strlen(plain)) == 0);
    }
    if (bmx_pack(fs, "d", diag, &bmx) == STATUS_OK) {
        struct bmx_findings findings = {0};
        struct bmx_stats stats;
        bmx_check_model(bmx, &findings, &stats);
        bmx_findings_free(&findings);
        bmx_free(bmx);
    } else {
        check(diag_count(diag, DIAG_ERROR) > 0); /* never without a report */
    }
    fs_memory_free(fs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct bmx_findings findings = {0};
    struct bmx_stats stats;
    struct bmx *bmx = bmx_check(data, size, &limits, &findings, &stats);
    check(bmx || findings.by_severity[DIAG_ERROR]);
    if (bmx && !bmx->incomplete) {
        check_written(bmx, diag);
        check_dump(bmx, diag);
    }
    bmx_free(bmx);
    bmx_findings_free(&findings);
    pack_bytes(data, size, diag);
    read_parts(data, size, diag);
    diag_free(diag);
    return 0;
}

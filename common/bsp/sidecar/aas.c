#include "common/bsp/sidecar/aas.h"
#include "common/diag/codes/sidecars.def"

enum {
    VERSION_PLAIN = 4,
    VERSION_HIDDEN = 5,
    VERSION_AT = 4,
    CHECKSUM_AT = 8, /* the hidden bytes begin here */
    LUMPS = 14,
    HEADER = CHECKSUM_AT + 4 + LUMPS * 8,
    KEY = 119,
};

static enum status check_header(const struct bytes *file, const struct diag_where *where,
                                struct diag *diag)
{
    if (file->size < HEADER || memcmp(file->data, "EAAS", 4) != 0)
        return diag_report(diag, DIAG_AAS, where, "no header of an .aas file");
    uint32_t version = load_u32(file->data + VERSION_AT);
    if (version != VERSION_PLAIN && version != VERSION_HIDDEN)
        return diag_report(diag, DIAG_AAS, where, "version %u; only %d and %d are known", version,
                           VERSION_PLAIN, VERSION_HIDDEN);
    return STATUS_OK;
}

/* The bits by which the checksum is hidden. */
static uint32_t mask_of(const struct bytes *file)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 4 && load_u32(file->data + VERSION_AT) == VERSION_HIDDEN; i++)
        mask |= (i * KEY & 255) << 8 * i;
    return mask;
}

enum status aas_set_checksum(struct bytes *file, uint32_t checksum, const struct diag_where *where,
                             struct diag *diag)
{
    TRY(check_header(file, where, diag));
    store_u32(ORDER_LITTLE, file->data + CHECKSUM_AT, checksum ^ mask_of(file));
    return STATUS_OK;
}

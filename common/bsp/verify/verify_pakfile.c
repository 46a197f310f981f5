/* The archive of packed files: each must unpack to what its checksum says, under a name that the
 * engine's file system can mean. */
#include "common/bsp/verify/verify_internal.h"
#include "common/core/array.h"
#include "common/io/zip.h"

enum { FILE_MAX = 256 << 20 };

static void verify_file(struct verifier *verifier, const struct zip_member *member,
                        const struct diag_where *where, struct diag *quiet)
{
    struct bytes data = {0};
    if (!zip_name_is_safe(member->name))
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL,
                     "the name \"%s\" leads out of the archive", member->name);
    if (zip_unpack(member, FILE_MAX, where, quiet, &data) != STATUS_OK)
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "%s does not unpack: %s", member->name,
                     diag_entry(quiet, diag_entries(quiet) - 1)->message);
    bytes_free(&data);
}

void verify_pakfile(struct verifier *verifier)
{
    const struct bytes *lump = &verifier->bsp->pakfile;
    const struct diag_where where = {.file = verifier->name};
    struct zip zip = {0};
    if (!lump->size)
        return;
    struct diag *quiet = diag_new(NULL, NULL);
    bool sound = zip_read(lump->data, lump->size, &where, quiet, &zip) == STATUS_OK;
    if (!sound)
        verify_fault(verifier, DIAG_VERIFY_PAKFILE, NULL, "%s",
                     diag_entry(quiet, diag_entries(quiet) - 1)->message);
    for (size_t i = 0; sound && i < arrlenu(zip.members); i++)
        verify_file(verifier, &zip.members[i], &where, quiet);
    zip_free(&zip);
    diag_free(quiet);
}

/* Any bytes as a table of BM materials: refused with a report, or a table that is written and read
 * again as the same. */
#include <stdint.h>
#include <string.h>

#include "ballance/bmx/material_table.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_again(const struct material_table *table, struct diag *diag)
{
    struct material_table again = {0};
    struct bytes first = {0}, second = {0};
    material_table_write(table, &first);
    bytes_append(&first, "", 1);
    check(material_table_parse(&again, (const char *)first.data, first.size - 1, "again", diag) ==
          STATUS_OK);
    material_table_write(&again, &second);
    check(second.size == first.size - 1 && memcmp(first.data, second.data, second.size) == 0);
    bytes_free(&second);
    bytes_free(&first);
    material_table_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = diag_new(NULL, NULL);
    struct fs *fs = fs_memory_new();
    struct material_table table = {0};
    material_table_add_stock(&table);
    check(fs->ops->write(fs, "fuzz.materials", data, size) == 0);
    if (material_table_load(&table, fs, "fuzz.materials", diag) == STATUS_OK) {
        for (size_t i = 0; i < arrlenu(table.faces); i++)
            check(material_table_find(&table, table.faces[i].name) >= 0);
        read_again(&table, diag);
    } else {
        check(diag_count(diag, DIAG_ERROR) > 0);
    }
    material_table_free(&table);
    fs_memory_free(fs);
    diag_free(diag);
    return 0;
}

/* Statements of provenance: one that is read is written as one that is read as the same. */
#include <stdint.h>
#include <string.h>

#include "common/cli/statement.h"
#include "common/core/array.h"
#include "tests/fuzz/fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct statement_file *files)
{
    for (size_t i = 0; i < arrlenu(files); i++)
        check(*files[i].name && !strstr(files[i].name, "/../") &&
              strncmp(files[i].name, "../", 3) != 0 && strlen(files[i].sha256) == 64);
}

static void write_and_read(const struct statement *statement)
{
    struct bytes once = {0}, twice = {0};
    struct statement again = {0};
    statement_write(statement, &once);
    check(once.size && statement_read(&once, &again) == NULL);
    statement_write(&again, &twice);
    check(bytes_equal(&once, &twice));
    statement_free(&again);
    bytes_free(&once);
    bytes_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct statement statement = {0};
    struct bytes text = {0};
    if (size)
        bytes_append(&text, data, size);
    const char *fault = statement_read(&text, &statement);
    check(!fault || *fault);
    if (!fault) {
        check_names(statement.outputs);
        check_names(statement.inputs);
        write_and_read(&statement);
    }
    statement_free(&statement);
    bytes_free(&text);
    return 0;
}

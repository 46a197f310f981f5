/* brushwork checksum: the checksum by which servers and clients compare maps. */
#include "brushwork/shared/archive.h"
#include "brushwork/shared/print.h"
#include "brushwork/shared/verb_options.h"
#include "brushwork/verbs.h"
#include "common/bsp/codec/container.h"
#include "common/cli/program.h"
#include "common/core/array.h"

static const char details[] =
    "Prints the checksum of each BSP: the CRC-32 of all lumps except the entities, by which "
    "Source servers reject clients with a different map. Each line has the checksum in "
    "hexadecimal and in decimal, and the file. The checksum does not depend on the entities, "
    "the order of the lumps, or the bytes between them. FILE may be - for standard input.";

struct checksum_values {
    struct standard_options standard;
};

static enum status checksum_file(const struct env *env, const char *path, uint32_t *sum)
{
    struct archive archive;
    enum status status = archive_open(env, path, &archive);
    const struct diag_where where = {.file = path};
    if (status == STATUS_OK && archive.container.family != CONTAINER_VBSP) {
        char title[128];
        container_title(&archive.container, title, sizeof title);
        status = diag_report(env->diag, DIAG_CHECKSUM_NONE, &where, "%s", title);
    }
    if (status == STATUS_OK)
        *sum = bsp_checksum(&archive.container);
    archive_close(&archive);
    return status;
}

static void print_line(const char *path, uint32_t sum)
{
    printf("%08x  %10u  ", sum, sum);
    print_safely(path, stdout);
    putchar('\n');
}

static void add_json(const char *path, uint32_t sum, json_t *files)
{
    char hexadecimal[9];
    snprintf(hexadecimal, sizeof hexadecimal, "%08x", sum);
    json_array_append_new(files, json_pack("{s:o,s:s,s:I}", "file", print_json_text(path), "crc32",
                                           hexadecimal, "checksum", (json_int_t)sum));
}

static enum status checksum_files(const struct program *program)
{
    const struct checksum_values *values = program->values;
    const struct env *env = program->env;
    enum status status = STATUS_OK;
    json_t *files = json_array();
    console_quiet(program->console);
    for (size_t i = 0; i < arrlenu(program->result->operands); i++) {
        const char *path = program_file(program, i, ".bsp");
        uint32_t sum;
        if (checksum_file(env, path, &sum) != STATUS_OK)
            status = STATUS_FAILED;
        else if (values->standard.console.json)
            add_json(path, sum, files);
        else
            print_line(path, sum);
    }
    if (values->standard.console.json) {
        json_t *object = print_json_object();
        json_object_set(object, "files", files);
        print_json(object, stdout);
    }
    json_decref(files);
    TRY(print_flush(env->diag));
    return status;
}

int verb_checksum(int argc, char **argv)
{
    struct checksum_values values = {0};
    const struct option_table table = {
        VERB_PAGE(brushwork_verbs[VERB_checksum]),
        .endings = "bsp",
        .details = details,
        .min_operands = 1,
        .max_operands = SIZE_MAX,
    };
    return program_run(&table, &values, &values.standard, argc, argv, checksum_files);
}

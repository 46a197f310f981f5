#include "brushwork/shared/print.h"

#include <errno.h>
#include <string.h>

#include "common/cli/run_summary.h"
#include "common/core/bytes.h"
#include "common/core/strings.h"
#include "common/diag/diag_json.h"
#include "common/diag/file_report.h"
#include "common/io/stream.h"

void print_safely(const char *text, FILE *out)
{
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 127 ? '?' : *text, out);
}

json_t *print_json_text(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    struct bytes wide = {0};
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c >= 0x80)
            bytes_u8(&wide, (uint8_t)(0xc0 | c >> 6));
        bytes_u8(&wide, c < 0x80 ? c : (uint8_t)(0x80 | (c & 0x3f)));
    }
    value = json_stringn((const char *)wide.data, wide.size);
    bytes_free(&wide);
    return value;
}

json_t *print_json_object(void)
{
    return json_pack("{s:i}", "version", (int)JSON_VERSION);
}

static void dump_json(json_t *object, size_t flags, FILE *out)
{
    json_dumpf(object, out, flags);
    fputc('\n', out);
    json_decref(object);
}

void print_json(json_t *object, FILE *out)
{
    dump_json(object, JSON_INDENT(2), out);
}

void print_json_line(json_t *object, FILE *out)
{
    dump_json(object, 0, out);
}

enum status print_flush(struct diag *diag)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    stream_end_if_closed(errno);
    return file_unwritten(diag, NULL, "standard output: %s", str_error(errno).text);
}

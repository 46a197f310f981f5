#include "common/cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *file)
{
    int descriptor = fileno(file);
    const char *kind = getenv("TERM"); // NOLINT(concurrency-mt-unsafe): before there are threads
    return descriptor >= 0 && isatty(descriptor) && kind && strcmp(kind, "dumb") != 0;
}

int terminal_columns(FILE *file)
{
    struct winsize size;
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

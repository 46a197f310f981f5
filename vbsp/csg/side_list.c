#include "vbsp/csg/side_list.h"

#include <limits.h>
#include <stdlib.h>

#include "common/core/array.h"

int *side_list_read(const char *text)
{
    int *ids = NULL;
    for (char *end; *text; text = end) {
        long id = strtol(text, &end, 10);
        if (end == text)
            break;
        if (id > 0 && id <= INT_MAX)
            arrput(ids, (int)id);
    }
    return ids;
}

#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/core/array.h"
#include "library/bsp.h"

/* The directory of the packed files, which borrows from the lump. */
static enum status need_pakfile(struct call *call, struct brushwork_bsp *bsp)
{
    const struct diag_where where = {.file = bsp->name};
    if (bsp->has_pakfile)
        return STATUS_OK;
    if (bsp->bsp->format->family != CONTAINER_VBSP)
        return diag_report(call->env.diag, DIAG_PAK_NONE, &where, "%s", bsp->bsp->format->title);
    TRY(pakfile_decode(&bsp->bsp->pakfile, &where, call->env.diag, &bsp->pakfile));
    bsp->has_pakfile = true;
    return STATUS_OK;
}

enum brushwork_status brushwork_packed_count(struct brushwork_bsp *bsp, size_t *count)
{
    struct call call;
    call_begin(bsp->session, &call);
    enum status status = need_pakfile(&call, bsp);
    *count = status == STATUS_OK ? arrlenu(bsp->pakfile.files) : 0;
    return call_end(&call, status);
}

const char *brushwork_packed_name(struct brushwork_bsp *bsp, size_t index)
{
    size_t count;
    if (brushwork_packed_count(bsp, &count) != BRUSHWORK_OK || index >= count)
        return NULL;
    return bsp->pakfile.files[index].name;
}

static enum status extract(struct call *call, struct brushwork_bsp *bsp, const char *name,
                           struct bytes *out)
{
    const struct diag_where where = {.file = bsp->name};
    TRY(need_pakfile(call, bsp));
    const struct pakfile_file *file = pakfile_find(&bsp->pakfile, name);
    if (!file)
        return diag_report(call->env.diag, DIAG_PAK_MISSING, &where, "%s", name);
    return pakfile_extract(file, &where, call->env.diag, out);
}

enum brushwork_status brushwork_packed_get(struct brushwork_bsp *bsp, const char *name, void **data,
                                           size_t *size)
{
    struct call call;
    struct bytes file = {0};
    *data = NULL;
    *size = 0;
    call_begin(bsp->session, &call);
    enum status status = extract(&call, bsp, name, &file);
    if (status == STATUS_OK) {
        *data = memory_alloc(file.size);
        *size = file.size;
        if (file.size)
            memcpy(*data, file.data, file.size);
    }
    bytes_free(&file);
    return call_end(&call, status);
}

enum brushwork_status brushwork_packed_put(struct brushwork_bsp *bsp, const char *name,
                                           const void *data, size_t size)
{
    const struct diag_where where = {.file = bsp->name};
    struct call call;
    call_begin(bsp->session, &call);
    enum status status = need_pakfile(&call, bsp);
    if (status == STATUS_OK && !zip_name_is_safe(name))
        status = diag_report(call.env.diag, DIAG_PAK_NAME, &where, "\"%s\"", name);
    if (status == STATUS_OK) {
        pakfile_put(&bsp->pakfile, name, data, size);
        bsp->pakfile_changed = true;
    }
    return call_end(&call, status);
}

enum brushwork_status brushwork_packed_remove(struct brushwork_bsp *bsp, const char *name)
{
    const struct diag_where where = {.file = bsp->name};
    struct call call;
    call_begin(bsp->session, &call);
    enum status status = need_pakfile(&call, bsp);
    if (status == STATUS_OK && !pakfile_remove(&bsp->pakfile, name))
        status = diag_report(call.env.diag, DIAG_PAK_MISSING, &where, "%s", name);
    bsp->pakfile_changed |= status == STATUS_OK;
    return call_end(&call, status);
}

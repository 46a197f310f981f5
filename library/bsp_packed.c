#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/engine_content.h"
#include "common/core/array.h"
#include "common/diag/codes/packed_files.def"
#include "library/bsp.h"

/* The directory of the packed files, which borrows from the lump. */
static enum status need_pakfile(struct call *call, struct brushwork_bsp *bsp)
{
    const struct diag_where where = {.file = bsp->name};
    if (bsp->has_pakfile)
        return STATUS_OK;
    if (bsp->bsp->engine->content->packs_in_pk3)
        return diag_report(call->env.diag, DIAG_PAK_NONE, &where, "%s", bsp->bsp->format->title);
    TRY(pakfile_decode(&bsp->bsp->pakfile, &where, call->env.diag, &bsp->pakfile));
    bsp->has_pakfile = true;
    return STATUS_OK;
}

static enum status count_packed(struct call *call, struct brushwork_bsp *bsp, size_t *count)
{
    TRY(call_need(call, count, "count"));
    TRY(need_pakfile(call, bsp));
    *count = arrlenu(bsp->pakfile.files);
    return STATUS_OK;
}

enum brushwork_status brushwork_packed_count(struct brushwork_bsp *bsp, size_t *count)
{
    struct call call;
    if (count)
        *count = 0;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, count_packed(&call, bsp, count));
}

const char *brushwork_packed_name(struct brushwork_bsp *bsp, size_t index)
{
    struct call call;
    const char *name = NULL;
    if (bsp_begin(bsp, &call) != BRUSHWORK_OK)
        return NULL;
    enum status status = need_pakfile(&call, bsp);
    if (status == STATUS_OK && index < arrlenu(bsp->pakfile.files))
        name = bsp->pakfile.files[index].name;
    (void)call_end(&call, status);
    return name;
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

static enum status get_packed(struct call *call, struct brushwork_bsp *bsp, const char *name,
                              void **data, size_t *size)
{
    struct bytes file = {0};
    TRY(call_need(call, name, "name"));
    TRY(call_need(call, data, "data"));
    TRY(call_need(call, size, "size"));
    enum status status = extract(call, bsp, name, &file);
    if (status == STATUS_OK) {
        *data = memory_alloc(file.size);
        *size = file.size;
        if (file.size)
            memcpy(*data, file.data, file.size);
    }
    bytes_free(&file);
    return status;
}

enum brushwork_status brushwork_packed_get(struct brushwork_bsp *bsp, const char *name, void **data,
                                           size_t *size)
{
    struct call call;
    if (data)
        *data = NULL;
    if (size)
        *size = 0;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, get_packed(&call, bsp, name, data, size));
}

static enum status put_packed(struct call *call, struct brushwork_bsp *bsp, const char *name,
                              const void *data, size_t size)
{
    const struct diag_where where = {.file = bsp->name};
    TRY(call_need(call, name, "name"));
    TRY(call_need_bytes(call, data, size));
    TRY(need_pakfile(call, bsp));
    if (!zip_name_is_safe(name))
        return diag_report(call->env.diag, DIAG_PAK_NAME, &where, "\"%s\"", name);
    pakfile_put(&bsp->pakfile, name, data, size);
    bsp->pakfile_changed = true;
    return STATUS_OK;
}

enum brushwork_status brushwork_packed_put(struct brushwork_bsp *bsp, const char *name,
                                           const void *data, size_t size)
{
    struct call call;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, put_packed(&call, bsp, name, data, size));
}

static enum status remove_packed(struct call *call, struct brushwork_bsp *bsp, const char *name)
{
    const struct diag_where where = {.file = bsp->name};
    TRY(call_need(call, name, "name"));
    TRY(need_pakfile(call, bsp));
    if (!pakfile_remove(&bsp->pakfile, name))
        return diag_report(call->env.diag, DIAG_PAK_MISSING, &where, "%s", name);
    bsp->pakfile_changed = true;
    return STATUS_OK;
}

enum brushwork_status brushwork_packed_remove(struct brushwork_bsp *bsp, const char *name)
{
    struct call call;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, remove_packed(&call, bsp, name));
}

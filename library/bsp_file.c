#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/strings.h"
#include "library/bsp.h"

/* Takes the BSP. */
static enum status adopt(struct call *call, struct bsp *from, const char *name,
                         struct brushwork_bsp **out)
{
    struct brushwork_bsp *bsp = memory_zalloc(1, sizeof *bsp);
    bsp->session = call->session;
    bsp->name = str_copy_part(name, strlen(name));
    bsp->bsp = from;
    enum status status = entities_parse(from->entities, arrlenu(from->entities), name,
                                        call->env.diag, &bsp->entities);
    if (status == STATUS_OK)
        *out = bsp;
    else
        brushwork_bsp_close(bsp);
    return status;
}

enum brushwork_status brushwork_bsp_open(struct brushwork_session *session, const char *path,
                                         struct brushwork_bsp **out)
{
    struct call call;
    struct bsp *bsp;
    *out = NULL;
    call_begin(session, &call);
    enum status status = bsp_read_file(&call.env, path, &bsp);
    if (status == STATUS_OK)
        status = adopt(&call, bsp, path, out);
    return call_end(&call, status);
}

enum brushwork_status brushwork_bsp_read(struct brushwork_session *session, const void *data,
                                         size_t size, const char *name, struct brushwork_bsp **out)
{
    struct call call;
    struct bytes file = {0};
    struct bsp *bsp;
    *out = NULL;
    call_begin(session, &call);
    bytes_append(&file, data, size);
    enum status status = bsp_decode_file(&file, name, call.env.diag, &bsp);
    if (status == STATUS_OK)
        status = adopt(&call, bsp, name, out);
    return call_end(&call, status);
}

void brushwork_bsp_close(struct brushwork_bsp *bsp)
{
    if (!bsp)
        return;
    bsp_drop_mesh(bsp);
    bsp_drop_lightmaps(bsp);
    pakfile_free(&bsp->pakfile);
    entities_free(&bsp->entities);
    bsp_free(bsp->bsp);
    memory_free(bsp->name);
    memory_free(bsp);
}

static void apply_entities(struct brushwork_bsp *bsp)
{
    struct bytes text = {0};
    entities_format(&bsp->entities, &text);
    arrsetlen(bsp->bsp->entities, text.size);
    if (text.size)
        memcpy(bsp->bsp->entities, text.data, text.size);
    bytes_free(&text);
}

/* The old lump stays as long as the pakfile borrows from it. */
static enum status apply_pakfile(struct brushwork_bsp *bsp, struct diag *diag)
{
    const struct diag_where where = {.file = bsp->name};
    struct bytes lump = {0};
    TRY(pakfile_encode(&bsp->pakfile, ZIP_STORED, &where, diag, &lump));
    pakfile_free(&bsp->pakfile);
    bytes_free(&bsp->bsp->pakfile);
    bsp->bsp->pakfile = lump;
    bsp->pakfile = (struct pakfile){0};
    bsp->has_pakfile = false;
    return STATUS_OK;
}

enum status bsp_apply_changes(struct brushwork_bsp *bsp, struct diag *diag)
{
    if (bsp->entities_changed)
        apply_entities(bsp);
    bsp->entities_changed = false;
    if (bsp->pakfile_changed)
        TRY(apply_pakfile(bsp, diag));
    bsp->pakfile_changed = false;
    return STATUS_OK;
}

enum brushwork_status brushwork_bsp_write(struct brushwork_bsp *bsp, const char *path)
{
    struct call call;
    call_begin(bsp->session, &call);
    enum status status = bsp_apply_changes(bsp, call.env.diag);
    if (status == STATUS_OK)
        status = bsp_write_file(&call.env, bsp->bsp, NULL, path);
    return call_end(&call, status);
}

enum brushwork_status brushwork_bsp_save(struct brushwork_bsp *bsp, void **data, size_t *size)
{
    struct call call;
    struct bytes file = {0};
    *data = NULL;
    *size = 0;
    call_begin(bsp->session, &call);
    enum status status = bsp_apply_changes(bsp, call.env.diag);
    if (status == STATUS_OK)
        status = bsp_encode(bsp->bsp, NULL, bsp->name, call.env.diag, &file);
    if (status == STATUS_OK) {
        *data = memory_alloc(file.size);
        *size = file.size;
        memcpy(*data, file.data, file.size);
    }
    bytes_free(&file);
    return call_end(&call, status);
}

enum brushwork_status brushwork_bsp_verify(struct brushwork_bsp *bsp)
{
    struct call call;
    call_begin(bsp->session, &call);
    enum status status = bsp_apply_changes(bsp, call.env.diag);
    if (status == STATUS_OK)
        status = bsp_verify(bsp->bsp, bsp->name, call.env.diag);
    return call_end(&call, status);
}

enum brushwork_family brushwork_bsp_family(const struct brushwork_bsp *bsp)
{
    return bsp->bsp->format->family == CONTAINER_VBSP ? BRUSHWORK_SOURCE : BRUSHWORK_QUAKE3;
}

int32_t brushwork_bsp_version(const struct brushwork_bsp *bsp)
{
    return bsp->bsp->format->version;
}

const char *brushwork_bsp_target(const struct brushwork_bsp *bsp)
{
    return bsp->bsp->format->target;
}

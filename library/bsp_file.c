#include <string.h>

#include "common/bsp/codec/format.h"
#include "common/bsp/engine.h"
#include "common/bsp/query.h"
#include "common/bsp/verify/verify.h"
#include "common/core/array.h"
#include "common/core/float_mode.h"
#include "common/core/strings.h"
#include "library/bsp.h"

/* --- bsp query --- */

/* These read what no call changes, so that nobody need be in the session. */

int32_t brushwork_leaf_at(const struct brushwork_bsp *bsp, const double point[3])
{
    if (!bsp || !point)
        return -1;
    struct float_mode mode;
    float_mode_begin(&mode);
    int32_t leaf = bsp_leaf_at(bsp->bsp, 0, vec3(point[0], point[1], point[2]));
    float_mode_end(&mode);
    return leaf;
}

int32_t brushwork_leaf_cluster(const struct brushwork_bsp *bsp, int32_t leaf)
{
    bool is_leaf = bsp && leaf >= 0 && leaf < arrlen(bsp->bsp->leaves);
    return is_leaf ? bsp->bsp->leaves[leaf].cluster : -1;
}

uint32_t brushwork_contents_at(const struct brushwork_bsp *bsp, const double point[3])
{
    if (!bsp || !point)
        return 0;
    struct vec3 at = vec3(point[0], point[1], point[2]);
    struct float_mode mode;
    float_mode_begin(&mode);
    int contents = bsp_brush_contents_at(bsp->bsp, bsp_leaf_at(bsp->bsp, 0, at), at);
    float_mode_end(&mode);
    return (uint32_t)contents;
}

int brushwork_cluster_sees(const struct brushwork_bsp *bsp, int32_t from, int32_t to)
{
    return bsp && bsp_vis_sees(bsp->bsp, from, to);
}

/* --- bsp file --- */

enum brushwork_status bsp_enter(struct brushwork_bsp *bsp)
{
    return session_enter(bsp ? bsp->session : NULL);
}

enum brushwork_status bsp_begin(struct brushwork_bsp *bsp, struct call *call)
{
    return call_begin(bsp ? bsp->session : NULL, call);
}

bool bsp_look(const struct brushwork_bsp *bsp)
{
    return bsp && session_look(bsp->session);
}

static void free_bsp(struct brushwork_bsp *bsp)
{
    bsp_drop_mesh(bsp);
    bsp_drop_lightmaps(bsp);
    pakfile_free(&bsp->pakfile);
    entities_free(&bsp->entities);
    bsp_free(bsp->bsp);
    memory_free(bsp->name);
    memory_free(bsp);
}

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
    if (status != STATUS_OK) {
        free_bsp(bsp);
        return status;
    }
    call->session->open_bsps++;
    *out = bsp;
    return STATUS_OK;
}

static enum status open_file(struct call *call, const char *path, struct brushwork_bsp **out)
{
    struct bsp *bsp;
    TRY(call_need(call, path, "path"));
    TRY(call_need(call, out, "out"));
    TRY(bsp_read_file(&call->env, path, &bsp));
    return adopt(call, bsp, path, out);
}

enum brushwork_status brushwork_bsp_open(struct brushwork_session *session, const char *path,
                                         struct brushwork_bsp **out)
{
    struct call call;
    if (out)
        *out = NULL;
    ENTER(call_begin(session, &call));
    return call_end(&call, open_file(&call, path, out));
}

static enum status read_memory(struct call *call, const void *data, size_t size, const char *name,
                               struct brushwork_bsp **out)
{
    struct bytes file = {0};
    struct bsp *bsp;
    TRY(call_need_bytes(call, data, size));
    TRY(call_need(call, name, "name"));
    TRY(call_need(call, out, "out"));
    bytes_append(&file, data, size);
    TRY(bsp_decode_file(&file, name, call->env.diag, &bsp));
    return adopt(call, bsp, name, out);
}

enum brushwork_status brushwork_bsp_read(struct brushwork_session *session, const void *data,
                                         size_t size, const char *name, struct brushwork_bsp **out)
{
    struct call call;
    if (out)
        *out = NULL;
    ENTER(call_begin(session, &call));
    return call_end(&call, read_memory(&call, data, size, name, out));
}

enum brushwork_status brushwork_bsp_close(struct brushwork_bsp *bsp)
{
    if (!bsp)
        return BRUSHWORK_OK;
    struct brushwork_session *session = bsp->session;
    ENTER(session_enter(session));
    free_bsp(bsp);
    session->open_bsps--;
    if (!session->is_ended || session->open_bsps)
        return session_leave(session, BRUSHWORK_OK);
    session_destroy(session);
    return BRUSHWORK_OK;
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

/* Writes changes of entities and packed files into bsp->bsp. */
static enum status bsp_apply_changes(struct brushwork_bsp *bsp, struct diag *diag)
{
    if (bsp->entities_changed)
        apply_entities(bsp);
    bsp->entities_changed = false;
    if (bsp->pakfile_changed)
        TRY(apply_pakfile(bsp, diag));
    bsp->pakfile_changed = false;
    return STATUS_OK;
}

static enum status write_file(struct call *call, struct brushwork_bsp *bsp, const char *path)
{
    TRY(call_need(call, path, "path"));
    TRY(bsp_apply_changes(bsp, call->env.diag));
    return bsp_write_file(&call->env, bsp->bsp, NULL, path);
}

enum brushwork_status brushwork_bsp_write(struct brushwork_bsp *bsp, const char *path)
{
    struct call call;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, write_file(&call, bsp, path));
}

static enum status save(struct call *call, struct brushwork_bsp *bsp, void **data, size_t *size)
{
    struct bytes file = {0};
    TRY(call_need(call, data, "data"));
    TRY(call_need(call, size, "size"));
    TRY(bsp_apply_changes(bsp, call->env.diag));
    enum status status = bsp_encode(bsp->bsp, NULL, bsp->name, call->env.diag, &file);
    if (status == STATUS_OK) {
        *data = memory_alloc(file.size);
        *size = file.size;
        memcpy(*data, file.data, file.size);
    }
    bytes_free(&file);
    return status;
}

enum brushwork_status brushwork_bsp_save(struct brushwork_bsp *bsp, void **data, size_t *size)
{
    struct call call;
    if (data)
        *data = NULL;
    if (size)
        *size = 0;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, save(&call, bsp, data, size));
}

static enum status verify(struct call *call, struct brushwork_bsp *bsp)
{
    TRY(bsp_apply_changes(bsp, call->env.diag));
    return bsp_verify(bsp->bsp, bsp->name, call->env.diag);
}

enum brushwork_status brushwork_bsp_verify(struct brushwork_bsp *bsp)
{
    struct call call;
    ENTER(bsp_begin(bsp, &call));
    return call_end(&call, verify(&call, bsp));
}

/* The format of a BSP never changes, so that nobody need be in the session. */

enum brushwork_family brushwork_bsp_family(const struct brushwork_bsp *bsp)
{
    static const enum brushwork_family families[ENGINE_FAMILIES] = {
        [ENGINE_SOURCE] = BRUSHWORK_SOURCE, [ENGINE_QUAKE3] = BRUSHWORK_QUAKE3};
    return bsp ? families[bsp->bsp->engine->family] : BRUSHWORK_SOURCE;
}

int32_t brushwork_bsp_version(const struct brushwork_bsp *bsp)
{
    return bsp ? bsp->bsp->format->version : 0;
}

const char *brushwork_bsp_target(const struct brushwork_bsp *bsp)
{
    return bsp ? bsp->bsp->format->target : "";
}

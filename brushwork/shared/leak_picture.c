#include "brushwork/shared/leak_picture.h"

#include "brushwork/shared/picture.h"
#include "common/core/memory.h"
#include "common/diag/codes/leaks.def"
#include "common/diag/diag_property.h"
#include "render/pictures/leak.h"

const struct render_options leak_picture_options = {
    .width = 960, .height = 540, .samples = 1, .fov = 90};

static const struct diag_entry *find_leak(const struct diag *diag)
{
    for (size_t i = 0; i < diag_entries(diag); i++)
        if (diag_entry(diag, i)->code == DIAG_LEAK &&
            diag_property(&diag_entry(diag, i)->where, DIAG_OF_WAY))
            return diag_entry(diag, i);
    return NULL;
}

static enum status draw(const struct env *env, const struct render *render,
                        const struct diag_entry *leak, const char *path)
{
    struct canvas picture = leak_draw(render, leak);
    enum status status = picture_store(env, picture.pixels, picture.width, picture.height, path);
    memory_free(picture.pixels);
    return status;
}

enum status leak_picture_write(const struct env *env, struct assets *assets, const struct bsp *bsp,
                               const struct render_options *options, const char *path)
{
    const struct diag_entry *leak = find_leak(env->diag);
    /* That a map which has not been lit is not lit is no news. */
    struct env quiet = *env;
    struct render *render;
    if (!leak)
        return fs_remove_stale(env->fs, env->diag, path);
    quiet.diag = diag_new(NULL, NULL);
    enum status status = render_open(&quiet, assets, bsp, options, &render);
    status = status == STATUS_OK ? draw(env, render, leak, path)
                                 : fs_remove_stale(env->fs, env->diag, path);
    render_close(render);
    diag_free(quiet.diag);
    return status;
}

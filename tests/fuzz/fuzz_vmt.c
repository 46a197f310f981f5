/* Any bytes as a material that includes itself; and as a catalogue and a gameinfo.txt. */
#include <stdint.h>

#include "common/assets/materials/vmt.h"
#include "common/assets/textures/texdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
};

/* A patch is applied to the second half of the input, and that half to itself. */
static bool include(void *context, const char *path, struct bytes *out)
{
    const struct input *input = context;
    bytes_append(out, input->data + input->size / 2, input->size - input->size / 2);
    return *path != 'x';
}

static void check_material(const struct input *input, struct diag *diag)
{
    struct arena arena = {0};
    struct vmt vmt;
    if (vmt_parse((const char *)input->data, input->size, "fuzz", include, (void *)input, &arena,
                  diag, &vmt)) {
        struct material material = {0};
        vmt_compile_meaning(&vmt, &material);
        if (!material.shader || !material.surface_prop)
            __builtin_trap();
    } else if (diag_entries(diag) == 0) {
        __builtin_trap(); /* failed without a report */
    }
    arena_free(&arena);
}

static void check_catalogue(const struct input *input, struct diag *diag)
{
    struct texdata set = {0};
    texdata_parse(&set, (const char *)input->data, input->size, "fuzz", diag);
    texdata_find(&set, "a");
    texdata_free(&set);
}

static void check_game(const struct input *input, struct diag *diag)
{
    struct fs *fs = fs_memory_new();
    struct env env = {.diag = diag, .fs = fs, .threads = 1};
    static const char *const catalogues[] = {"catalogue"};
    static const char plain[] = "GameInfo { FileSystem { SearchPaths { game |gameinfo_path|. } } }";
    static const char own[] = "LightmappedGeneric { $basetexture none }";
    struct assets *assets;
    if (fs->ops->write(fs, "a/b/gameinfo.txt", input->data, input->size) != 0 ||
        fs->ops->write(fs, "c/gameinfo.txt", plain, sizeof plain - 1) != 0 ||
        fs->ops->write(fs, "c/materials/own.vmt", own, sizeof own - 1) != 0 ||
        fs->ops->write(fs, "catalogue", input->data, input->size) != 0 ||
        fs->ops->write(fs, "a/b/materials/X.vmt", input->data, input->size) != 0 ||
        fs->ops->write(fs, "c/materials/X.vmt", input->data, input->size) != 0)
        __builtin_trap();
    for (int i = 0; i < 2; i++) {
        struct assets_options options = {
            .game = i ? "c" : "a/b", .texdata = catalogues, .texdata_count = (size_t)i};
        options.map_catalogue = i ? NULL : catalogues[0];
        if (assets_open(&env, &options, &assets) == STATUS_OK) {
            if (assets_material(assets, "x")->width < 1 ||
                assets_material(assets, "own")->width < 1 ||
                assets_material(assets, "lost/one")->width < 1 ||
                assets_material(assets, "tools/toolsnodraw")->width < 1)
                __builtin_trap();
            assets_free(assets);
        }
    }
    fs_memory_free(fs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct input input = {data, size};
    struct diag *diag = diag_new(NULL, NULL);
    check_material(&input, diag);
    check_catalogue(&input, diag);
    check_game(&input, diag);
    diag_free(diag);
    return 0;
}

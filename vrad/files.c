#include "vrad/files.h"

#include "common/core/paths.h"

const char *vrad_map_rad(const struct env *env, struct arena *arena, const char *path,
                         const char *extension)
{
    const char *rad = path_beside(arena, path, extension, ".rad");
    return env->fs->ops->kind(env->fs, rad) == FS_FILE ? rad : NULL;
}

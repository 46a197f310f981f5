/* Tool textures of Source, and the shaders that do what they do. */
#include <string.h>

#include "common/assets/assets_parts.h"

#define FOLDER "textures/"

const char *shader_of_tool(const char *clean)
{
    /* What blocks bullets blocks bodies too: Quake 3 has nothing for one of them. What is black
     * stays unseen, which looks the same where nothing is behind it; a shader that no game has
     * would be drawn as the engine's grid. */
    static const struct {
        const char *source, *quake3;
    } tools[] = {
        {"tools/toolsareaportal", "textures/common/areaportal"},
        {"tools/toolsblack", "textures/common/caulk"},
        {"tools/toolsblack_noportal", "textures/common/caulk"},
        {"tools/toolsblock_los", "textures/common/nodraw"},
        {"tools/toolsblockbullets", "textures/common/weapclip"},
        {"tools/toolsblocklight", "textures/common/nodraw"},
        {"tools/toolsclip", "textures/common/clip"},
        {"tools/toolscontrolclip", "textures/common/clip"},
        {"tools/toolsfog", "textures/common/nodraw"},
        {"tools/toolshint", "textures/common/hint"},
        {"tools/toolsinvisible", "textures/common/weapclip"},
        {"tools/toolsnodraw", "textures/common/caulk"},
        {"tools/toolsnpcclip", "textures/common/botclip"},
        {"tools/toolsoccluder", "textures/common/nodraw"},
        {"tools/toolsorigin", "textures/common/origin"},
        {"tools/toolsplayerclip", "textures/common/clip"},
        {"tools/toolsskip", "textures/common/skip"},
        {"tools/toolsskybox2d", "textures/tools/toolsskybox"},
        {"tools/toolstrigger", "textures/common/trigger"},
    };
    /* "tools/toolsclip_wood" and the like: what they are made of is told by other means. */
    static const struct {
        const char *start, *quake3;
    } kinds[] = {
        {"tools/toolsclip_", "textures/common/clip"},
        {"tools/toolsnodraw_", "textures/common/caulk"},
    };
    if (strncmp(clean, FOLDER, strlen(FOLDER)) == 0)
        clean += strlen(FOLDER);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(tools[i].source, clean) == 0)
            return tools[i].quake3;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(clean, kinds[i].start, strlen(kinds[i].start)) == 0)
            return kinds[i].quake3;
    return NULL;
}

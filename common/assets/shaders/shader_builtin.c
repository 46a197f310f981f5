/* Tool shaders that every map relies on, for games whose scripts are not available, and the shaders
 * that correspond to tool textures of Source. */
#include <string.h>

#include "common/assets/shaders/shader_meaning.h"
#include "common/assets/shaders/shader_set.h"

#define NAME(name) "textures/common/" name "\n{\n"
#define OWN(name)  "textures/tools/" name "\n{\n"
#define PARM(parm) "surfaceparm " parm "\n"
#define HIDDEN     PARM("nodraw") PARM("nomarks") PARM("nolightmap")
#define AIR        PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("nomarks")
#define STRUCTURAL PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("structural")
#define END        "}\n"

/* Flags and contents are those of compiled maps that use them. Tool textures of Source without a
 * counterpart in `common` have their Quake 3 definition here. */
/* clang-format off */
const char shader_builtin_script[] =
    NAME("caulk") HIDDEN END
    NAME("clip") HIDDEN PARM("nonsolid") PARM("playerclip") PARM("noimpact") END
    NAME("weapclip") PARM("nodraw") PARM("nomarks") PARM("trans") END
    NAME("botclip") AIR PARM("nolightmap") PARM("noimpact") PARM("botclip") END
    NAME("nodraw") AIR END
    NAME("nodrawnonsolid") PARM("nodraw") PARM("nonsolid") END
    NAME("hint") STRUCTURAL PARM("noimpact") PARM("hint") END
    NAME("hintskip") STRUCTURAL PARM("skip") END
    NAME("skip") STRUCTURAL PARM("skip") END
    NAME("areaportal") STRUCTURAL PARM("nomarks") PARM("nolightmap") PARM("areaportal") END
    NAME("clusterportal") AIR PARM("clusterportal") END
    NAME("donotenter") AIR PARM("donotenter") END
    NAME("trigger") PARM("nodraw") END
    NAME("origin") PARM("nodraw") PARM("nonsolid") PARM("origin") END
    NAME("lightgrid") AIR PARM("nolightmap") PARM("lightgrid") END
    NAME("slick") PARM("nodraw") PARM("nomarks") PARM("trans") PARM("slick") END
    NAME("nodrop") AIR PARM("nolightmap") PARM("nodrop") END
    NAME("antiportal") STRUCTURAL PARM("nomarks") PARM("nolightmap") PARM("antiportal") END
    NAME("terrain") HIDDEN "q3map_terrain\n" END
    OWN("toolsskybox") PARM("sky") PARM("nolightmap") PARM("noimpact") PARM("nomarks") END
    OWN("toolsinvisibleladder") AIR PARM("playerclip") PARM("ladder") END;
/* clang-format on */

#define FOLDER "textures/"

const char *shader_of_tool(const char *clean)
{
    /* Bullet clips are plain clips, because Quake 3 cannot block one of the two only. Black
     * textures become nodraw, which looks the same with nothing behind it; an undefined shader
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
    /* "tools/toolsclip_wood" and the like: their surface property has no counterpart. */
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

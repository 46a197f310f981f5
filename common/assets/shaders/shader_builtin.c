/* Tool shaders that every map relies on, for games whose scripts are not at hand. Flags and
 * contents are those of compiled maps that use them. Of those of Source that are nothing in
 * `common`, what they are in Quake 3 stands here. */
#include "common/assets/shaders/shader_meaning.h"

#define NAME(name) "textures/common/" name "\n{\n"
#define OWN(name)  "textures/tools/" name "\n{\n"
#define PARM(parm) "surfaceparm " parm "\n"
#define HIDDEN     PARM("nodraw") PARM("nomarks") PARM("nolightmap")
#define AIR        PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("nomarks")
#define STRUCTURAL PARM("nodraw") PARM("nonsolid") PARM("trans") PARM("structural")
#define END        "}\n"

const char shader_builtin_script[] = NAME("caulk") HIDDEN END NAME("clip") HIDDEN PARM("nonsolid")
    PARM("playerclip") PARM("noimpact") END NAME("weapclip") PARM("nodraw") PARM("nomarks")
        PARM("trans") END NAME("botclip") AIR PARM("nolightmap") PARM("noimpact") PARM("botclip")
            END NAME("nodraw") AIR END NAME("nodrawnonsolid") PARM("nodraw") PARM("nonsolid")
                END NAME("hint") STRUCTURAL PARM("noimpact") PARM("hint") END NAME("hintskip")
                    STRUCTURAL PARM("skip") END NAME("skip") STRUCTURAL PARM("skip")
                        END NAME("areaportal") STRUCTURAL PARM("nomarks") PARM("nolightmap") PARM(
                            "areaportal") END NAME("clusterportal") AIR PARM("clusterportal")
                            END NAME("donotenter") AIR PARM("donotenter") END NAME("trigger")
                                PARM("nodraw") END NAME("origin") PARM("nodraw") PARM("nonsolid")
                                    PARM("origin") END NAME("lightgrid") AIR PARM("nolightmap")
                                        PARM("lightgrid") END NAME("slick") PARM("nodraw")
                                            PARM("nomarks") PARM("trans") PARM("slick")
                                                END NAME("nodrop") AIR PARM("nolightmap")
                                                    PARM("nodrop") END NAME("antiportal")
                                                        STRUCTURAL PARM("nomarks")
                                                            PARM("nolightmap") PARM("antiportal")
                                                                END NAME("terrain") HIDDEN
    "q3map_terrain\n" END OWN("toolsskybox") PARM("sky") PARM("nolightmap") PARM("noimpact")
        PARM("nomarks") END OWN("toolsinvisibleladder") AIR PARM("playerclip") PARM("ladder") END;

/* Compiles a map, lists its lights and names the map.
 *
 *     cc lights.c $(pkg-config --cflags --libs brushwork) -o lights
 *     ./lights two_rooms.vmf "Two rooms with lamps" */
#include <stdio.h>
#include <string.h>

#include <brushwork/brushwork.h>

static void print(void *context, const struct brushwork_message *message)
{
    (void)context;
    fprintf(stderr, "%s: %s: %s\n", message->code, message->title, message->text);
}

static void list_lights(const struct brushwork_bsp *bsp)
{
    for (size_t i = 0; i < brushwork_entity_count(bsp); i++) {
        const char *name = brushwork_entity_get(bsp, i, "classname");
        const char *origin = brushwork_entity_get(bsp, i, "origin");
        if (name && strncmp(name, "light", 5) == 0)
            printf("%s at %s\n", name, origin ? origin : "no place");
    }
}

int main(int argc, char **argv)
{
    const char *const arguments[] = {"-fast", "-o", "out.bsp", argv[1]};
    struct brushwork_session *session = brushwork_session_new();
    struct brushwork_bsp *bsp = NULL;
    brushwork_session_messages(session, print, NULL);
    int status = argc == 3 ? brushwork_run(session, "build", arguments, 4) : BRUSHWORK_USAGE;
    if (status == BRUSHWORK_OK)
        status = brushwork_bsp_open(session, "out.bsp", &bsp);
    if (status == BRUSHWORK_OK) {
        list_lights(bsp);
        brushwork_entity_set(bsp, 0, "message", argv[2]);
        status = brushwork_bsp_write(bsp, "out.bsp");
    }
    brushwork_bsp_close(bsp);
    brushwork_session_free(session);
    return status;
}

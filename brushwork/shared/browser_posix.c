/* A browser is what BROWSER names, as other programs take it: commands with a colon between them,
 * of which the first that can be started is taken; %s in one is the page, which else follows it.
 * Without that it is xdg-open's choice. realpath is of XSI. */
#define _XOPEN_SOURCE 700

#include "brushwork/shared/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/core/array.h"
#include "common/core/strings.h"

enum { NOT_STARTED = 127, LOOKS = 30, LOOK_NANOSECONDS = 100 * 1000 * 1000 };

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* --- the address --- */

static const char *address_of_file(struct arena *arena, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "/._-~";
    char *real = realpath(path, NULL);
    if (!real)
        return NULL;
    char *address = ARENA_ARRAY(arena, char, sizeof "file://" + 3 * strlen(real)), *out = address;
    memcpy(out, "file://", strlen("file://"));
    out += strlen("file://");
    for (const char *c = real; *c; c++) {
        if (strchr(plain, *c)) {
            *out++ = *c;
            continue;
        }
        *out++ = '%';
        *out++ = "0123456789ABCDEF"[(unsigned char)*c >> 4];
        *out++ = "0123456789ABCDEF"[(unsigned char)*c & 15];
    }
    *out = 0;
    free(real);
    return address;
}

/* --- the command --- */

/* Returns the word with the address for each %s in it; sets *has_address when there is one. */
static char *word_with(struct arena *arena, const char *word, const char *address,
                       bool *has_address)
{
    const char *place = strstr(word, "%s");
    *has_address |= place != NULL;
    return place ? arena_printf(arena, "%.*s%s%s", (int)(place - word), word, address,
                                word_with(arena, place + 2, address, has_address))
                 : arena_strdup(arena, word);
}

/* Returns the words of a command, with NULL at their end: an stb_ds array. */
static char **words_of(struct arena *arena, const char *command, const char *address)
{
    char **words = NULL;
    bool has_address = false;
    for (const char *at = command + strspn(command, " "); *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        arrput(words, word_with(arena, arena_strndup(arena, at, length), address, &has_address));
        at += length;
    }
    if (words && !has_address)
        arrput(words, arena_strdup(arena, address));
    arrput(words, NULL);
    return words;
}

/* --- the process --- */

/* In a session of its own: it stays when this program and its terminal end. */
static _Noreturn void become(char *const *words)
{
    int nothing = open("/dev/null", O_RDWR);
    setsid();
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (dup2(nothing, i) < 0)
            _exit(NOT_STARTED);
    (void)signal(SIGINT, SIG_DFL);
    (void)signal(SIGTERM, SIG_DFL);
    (void)signal(SIGHUP, SIG_DFL);
    execvp(words[0], words);
    _exit(NOT_STARTED);
}

/* A browser that was not running goes on; other commands end, and tell by their status. */
static const char *outcome(struct arena *arena, const char *program, pid_t pid)
{
    const struct timespec pause = {.tv_nsec = LOOK_NANOSECONDS};
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; i < LOOKS && ended == 0; i++) {
        ended = waitpid(pid, &status, WNOHANG);
        if (ended == 0)
            nanosleep(&pause, NULL);
    }
    if (ended <= 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return NULL;
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return arena_printf(arena, "%s cannot be started", program);
    if (WIFEXITED(status))
        return arena_printf(arena, "%s failed with exit status %d", program, WEXITSTATUS(status));
    return arena_printf(arena, "%s was ended by signal %d", program, WTERMSIG(status));
}

static const char *start(struct arena *arena, const char *command, const char *address)
{
    char **words = words_of(arena, command, address);
    const char *reason = "BROWSER names no command";
    if (words[0]) {
        pid_t pid = fork();
        if (pid == 0)
            become(words);
        reason =
            pid < 0 ? arena_strdup(arena, str_error(errno).text) : outcome(arena, words[0], pid);
    }
    arrfree(words);
    return reason;
}

const char *browser_start(struct arena *arena, const char *page)
{
    const char *commands = variable("BROWSER"), *reason = NULL;
    const char *address =
        strncmp(page, "http://", strlen("http://")) == 0 ? page : address_of_file(arena, page);
    if (!address)
        return arena_strdup(arena, str_error(errno).text);
    if (!commands && !variable("DISPLAY") && !variable("WAYLAND_DISPLAY"))
        return "there is no display, and BROWSER names no command";
    for (const char *at = commands ? commands : "xdg-open"; *at;) {
        size_t length = strcspn(at, ":");
        const char *command = arena_strndup(arena, at, length);
        reason = start(arena, command, address);
        if (!reason)
            return NULL;
        at += length + (at[length] == ':');
    }
    return reason;
}

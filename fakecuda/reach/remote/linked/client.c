/* The client of a shared machine in C, for processes without Python.

   Its functions fill the slots of the stubs of libcuda.so.1 and libcudart.so until Python fills them. Like an attached Python
   process, each function sends its call to the owner of the machine and meanwhile does the owner's requests. The protocol is
   described in fakecuda.reach.remote. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#include <unwind.h>

#include "versions.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Print why calls do not reach the machine, unless it was the last text printed. */
static void complain(const char *what)
{
    static char said[1024];
    if (strncmp(said, what, sizeof said - 1))
        fprintf(stderr, "fakecuda: %s\n", what);
    snprintf(said, sizeof said, "%s", what);
}

/* Print it with the system error that caused it. */
static void complain_of(const char *what, int error)
{
    char text[1024];
    snprintf(text, sizeof text, "%s (%s)", what, strerror(error));
    complain(text);
}

/* Read a decimal number, and move the text behind it. */
static uint64_t read_number(const char **text)
{
    uint64_t found = 0;
    for (; **text >= '0' && **text <= '9'; ++*text)
        found = found * 10 + (uint64_t)(**text - '0');
    return found;
}

#include "constants.h"
#include "room.c"
#include "values.c"
#include "line.c"
#include "memory.c"
#include "calls.c"
#include "sites.c"

enum { NATIVE = 1, PER_THREAD_STREAM = 2 };
enum { READY_NOW = 1, FOREIGN_PROC = 4 };
enum { VISIBLE_DEVICES = 1, TEAR_DOWN, LAST_ERROR, FOUND = 6, REPORT = 9, PROGRAM = 11, MODULE_LOADING };
enum { INVALID_VALUE = 1, OUT_OF_MEMORY, NOT_INITIALIZED = 3, DEINITIALIZED = 4, NO_DEVICE = 100, NOT_FOUND = 500, NOT_SUPPORTED = 801, UNKNOWN = 999 };
enum { UNINITIALIZED = 1, NVML_NOT_SUPPORTED = 3, DRIVER_NOT_LOADED = 9, NVML_MEMORY = 20 };
#define LEAVING 60 /* seconds that are given to the owner to tear the driver down, as in Python */
#define TAGGED(code) ((uint64_t)TAG << 32 | (uint32_t)(code))

#include "state.c"
#include "requests.c"
#include "attach.c"
#include "invoke.c"
#include "exports.c"

#include "functions.h"

/* Return the address of the newest form of a driver function that suits a version of CUDA. */
static uint64_t find_symbol(const char *base, int version, uint64_t flags)
{
    int asked = version >= 0 ? version : here.driver_version;
    for (size_t place = 0; place < sizeof forms / sizeof *forms; place++) {
        const struct form *form = &forms[place];
        if (strcmp(form->base, base) || form->version > here.driver_version)
            continue;
        int own_stream = form->has_own_stream && flags & PER_THREAD_DEFAULT_STREAM;
        if (form->version > asked || form->own_stream != own_stream)
            continue;
        void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        void *stub = library == NULL ? NULL : dlsym(library, form->name);
        if (library != NULL)
            dlclose(library);
        return (uint64_t)(stub == NULL ? form->function : stub);
    }
    return 0;
}

static void before_fork(void)
{
    pthread_mutex_lock(&here.lock);
    here.forking = (int)syscall(SYS_gettid);
}

static void in_parent(void) { pthread_mutex_unlock(&here.lock); }

/* Continue in a forked child as a new process, which attaches at its first call. */
static void in_child(void)
{
    pthread_mutex_init(&here.lock, NULL);
    pthread_mutex_init(&here.sending, NULL);
    pthread_mutex_init(&space.lock, NULL);
    if (!here.attached)
        return;
    close(here.line);
    if (thread.line >= 0)
        close(thread.line);
    for (int number = 0; number < space.count; number++)
        close(space.files[number]);
    space.count = 0;
    here.line = -1;
    here.attached = 0;
    here.generation++;
    pthread_mutex_init(&program.lock, NULL);
    program.changed = program.count > 0;
}

__attribute__((constructor)) static void begin(void)
{
    pthread_key_create(&here.ending, thread_ends);
    pthread_atfork(before_fork, in_parent, in_child);
    watch_exit();
}

/* Tell the owner that the program's exit handlers have run, and wait until it has torn the driver down. */
__attribute__((destructor)) static void leave(void)
{
    struct frame frame;
    print_at_exit();
    no_room = 0;
    if (here.attached && !here.lost && connected() && tell_text(TEAR_DOWN, NULL) && await(&frame))
        drop(&frame);
    if (no_room)
        complain(NO_ROOM);
    here.left = 1;
    if (was_found && !exit_status)
        exit(1);
}

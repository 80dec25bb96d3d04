/* A program in C that takes part in a machine: each call has to answer 0; the first one that does not ends it, with its name. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*function)(uintptr_t, ...);

static void *library;
static volatile int called;

static function find(const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        printf("%s is not there\n", name);
        exit(2);
    }
    return (function)found;
}

#define A(value) ((uintptr_t)(value))
#define CALL(name, ...)                                                                                                \
    do {                                                                                                               \
        int code = find(#name)(__VA_ARGS__);                                                                           \
        if (code) {                                                                                                    \
            printf(#name " answers %d\n", code);                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define HOLDS(fact)                                                                                                    \
    do {                                                                                                               \
        if (!(fact)) {                                                                                                 \
            printf("it does not hold that " #fact "\n");                                                               \
            exit(2);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void host_function(void *given) { called = (int)(intptr_t)given; }

static void *in_thread(void *unused)
{
    int count = 0;
    (void)unused;
    CALL(cuDeviceGetCount, A(&count));
    return NULL;
}

int main(void)
{
    struct { int type, handles, where, device; void *security; unsigned char flags[8]; } kind = {1, 1, 1, 0, NULL, {0}};
    uintptr_t context, memory, handle, imported, stream;
    char there[64] = "", *pinned;
    static char own[1 << 14] __attribute__((aligned(4096)));
    pthread_t thread;
    int descriptor = -1;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    HOLDS(library != NULL);
    CALL(cuInit, 0);
    CALL(cuDevicePrimaryCtxRetain, A(&context), A(0));
    CALL(cuCtxSetCurrent, context);
    CALL(cuMemAlloc_v2, A(&memory), A(4096));
    CALL(cuMemcpyHtoD_v2, memory, A("bytes of C"), A(11));
    CALL(cuMemcpyDtoH_v2, A(there), memory, A(11));
    HOLDS(!strcmp(there, "bytes of C"));
    CALL(cuMemHostAlloc, A(&pinned), A(4096), A(0));
    strcpy(pinned, "pinned");
    CALL(cuMemcpyHtoD_v2, memory, A(pinned), A(7));
    CALL(cuMemcpyDtoH_v2, A(there), memory, A(7));
    HOLDS(!strcmp(there, "pinned"));
    CALL(cuMemCreate, A(&handle), A(2 << 20), A(&kind), A(0));
    CALL(cuMemExportToShareableHandle, A(&descriptor), handle, A(1), A(0));
    HOLDS(descriptor > 2);
    CALL(cuMemImportFromShareableHandle, A(&imported), A(descriptor), A(1));
    close(descriptor);
    CALL(cuMemHostRegister_v2, A(own), A(sizeof own), A(0));
    CALL(cuStreamCreate, A(&stream), A(1));
    CALL(cuMemcpyHtoDAsync_v2, memory, A(own), A(sizeof there), stream);
    CALL(cuLaunchHostFunc, stream, A(host_function), A(7));
    CALL(cuStreamSynchronize, stream);
    HOLDS(called == 7);
    if (!pthread_create(&thread, NULL, in_thread, NULL))
        pthread_join(thread, NULL);
    puts("well");
    return 0;
}

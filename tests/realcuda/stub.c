/* A driver of a few functions, without a GPU: enough to try how calls travel, crash, hang and fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t u64;
typedef struct { char bytes[64]; } Handle64;
typedef struct { int type, id; } Location;
typedef struct {
    int type, handleTypes;
    Location location;
    void *win32;
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
} Prop;
typedef struct { Location location; int flags; } Access;

enum { OK = 0, INVALID = 1, NOT_INITIALIZED = 3, DEINITIALIZED = 4, NOT_PERMITTED = 800 };
static int ready;
static _Thread_local int inside;
static _Thread_local u64 current;
static Prop props[16];
static int made;
static Access last;

CUresult cuInit(unsigned flags) { return flags ? INVALID : (ready = 1, OK); }
CUresult cuDriverGetVersion(int *version) { return version ? (*version = 13000, OK) : INVALID; }
CUresult cuDeviceGetCount(int *count) {
    if (inside) return NOT_PERMITTED;
    if (ready != 1) return ready < 0 ? DEINITIALIZED : NOT_INITIALIZED;
    return count ? (*count = 2, OK) : INVALID;
}
CUresult cuDeviceGet(int *device, int ordinal) { return ordinal < 2 ? (*device = ordinal, OK) : 101; }
CUresult cuGetErrorName(int code, const char **name) {
    *name = code == 0 ? "CUDA_SUCCESS" : NULL;
    return code == 0 ? OK : INVALID;
}
CUresult cuDeviceGetName(char *name, int length, int device) {
    if (length <= 0) return INVALID;
    strncpy(name, "STUB GPU", length);
    name[length - 1] = 0;
    return OK;
}
CUresult cuDeviceGetUuid_v2(void *uuid, int device) { return memset(uuid, 0xA0 + device, 16), OK; }
CUresult cuDevicePrimaryCtxRetain(u64 *context, int device) { return *context = 0x1000 + device, OK; }
CUresult cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active) { return *flags = 0, *active = 1, OK; }
CUresult cuCtxSetCurrent(u64 context) { return current = context, OK; }
CUresult cuCtxGetCurrent(u64 *context) { return *context = current, OK; }
CUresult cuCtxPushCurrent_v2(u64 context) { return current = context, OK; }
CUresult cuCtxPopCurrent_v2(u64 *context) { return *context = current, current = 0, OK; }
CUresult cuDevicePrimaryCtxRelease_v2(int device) { return OK; }
typedef struct { unsigned char from, to, type, reserved[5]; } Edge;
CUresult cuGraphNodeGetDependencies_v2(u64 node, u64 *nodes, Edge *edges, u64 *count) {
    if (!count) return INVALID;
    for (u64 place = 0; nodes && place < *count; place++) {
        nodes[place] = place < 2 ? 100 + place : 0;
        if (edges) edges[place] = (Edge){place, 0, 1};
    }
    return *count = nodes && *count < 2 ? *count : 2, OK;
}
typedef struct { void (*function)(void *); void *data; } Work;
static void *work(void *given) {
    Work *one = given;
    inside = 1;
    one->function(one->data);
    return free(one), NULL;
}
static pthread_t worker;
CUresult cuLaunchHostFunc(u64 stream, void (*function)(void *), void *data) {
    if (current != 0x1000) return INVALID;
    Work *one = malloc(sizeof *one);
    *one = (Work){function, data};
    return pthread_create(&worker, NULL, work, one) ? INVALID : OK;
}
CUresult cuStreamSynchronize(u64 stream) { return pthread_join(worker, NULL), OK; }
CUresult cuStreamBatchMemOp_v2(u64 stream, unsigned count, const unsigned char *operations, unsigned flags) {
    if (flags) return INVALID;
    for (unsigned i = 0; i < count; i++, operations += 48) {
        if (*(int *)operations != 5) return INVALID;
        **(u64 **)(operations + 8) = *(u64 *)(operations + 16);
    }
    return OK;
}
CUresult cuMemGetInfo_v2(size_t *spare, size_t *total) {
    if (spare) *spare = 5;
    if (total) *total = 1ull << 37;
    return OK;
}
CUresult cuMemAlloc_v2(u64 *ptr, size_t size) { return size ? (*ptr = (u64)calloc(1, size), OK) : INVALID; }
CUresult cuMemFree_v2(u64 ptr) { return free((void *)ptr), OK; }
CUresult cuMemcpyHtoD_v2(u64 to, const void *from, size_t size) {
    return from ? (memcpy((void *)to, from, size), OK) : INVALID;
}
CUresult cuMemcpyDtoH_v2(void *to, u64 from, size_t size) {
    return to ? (memcpy(to, (void *)from, size), OK) : INVALID;
}
CUresult cuMemsetD8_v2(u64 to, unsigned char value, size_t size) { return memset((void *)to, value, size), OK; }
CUresult cuMemCreate(u64 *handle, size_t size, const Prop *prop, unsigned long long flags) {
    if (!prop || flags) return INVALID;
    props[made] = *prop;
    *handle = ++made;
    return OK;
}
CUresult cuMemGetAllocationPropertiesFromHandle(Prop *prop, u64 handle) { return *prop = props[handle - 1], OK; }
CUresult cuMemSetAccess(u64 ptr, size_t size, const Access *access, size_t count) {
    return access && count ? (last = access[count - 1], OK) : INVALID;
}
CUresult cuMemGetAccess(unsigned long long *flags, const Location *location, u64 ptr) {
    return location->id == last.location.id ? (*flags = last.flags, OK) : INVALID;
}
CUresult cuMemExportToShareableHandle(void *out, u64 handle, int type, unsigned long long flags) {
    if (type == 8) return memset(out, 0xFA, 64), OK;
    if (type != 1) return INVALID;
    int file = memfd_create("exported", 0);
    if (write(file, &handle, sizeof handle) != sizeof handle) return INVALID;
    *(int *)out = file;
    return OK;
}
CUresult cuMemImportFromShareableHandle(u64 *handle, void *given, int type) {
    if (type == 8) return *handle = *(unsigned char *)given, OK;
    return pread((int)(intptr_t)given, handle, sizeof *handle, 0) == sizeof *handle ? OK : INVALID;
}
CUresult cuIpcGetMemHandle(Handle64 *handle, u64 ptr) {
    for (int i = 0; i < 64; i++) handle->bytes[i] = i;
    return OK;
}
CUresult cuIpcOpenMemHandle_v2(u64 *ptr, Handle64 handle, unsigned flags) {
    *ptr = flags;
    for (int i = 0; i < 64; i++)
        if (handle.bytes[i] != i) return INVALID;
    return OK;
}
CUresult cuPointerGetAttribute(void *data, int attribute, u64 ptr) {
    if (attribute == 5) return memset(data, 7, 16), OK;          /* P2P_TOKENS */
    if (attribute == 9) return *(int *)data = -2, OK;            /* DEVICE_ORDINAL */
    if (attribute == 3) return *(u64 *)data = ptr, OK;           /* DEVICE_POINTER */
    return *(unsigned char *)data = 1, OK;
}
CUresult cuCtxDestroy_v2(u64 context) { return *(volatile int *)8 = 0; }                      /* crashes */
CUresult cuCtxSynchronize(void) { for (;;) pause(); }                                         /* hangs */
CUresult cuCtxGetDevice(int *device) {                                                        /* forks, then crashes */
    *device = fork();
    if (*device == 0) for (;;) pause();
    return *(volatile int *)8 = 0;
}
CUresult cuCtxResetPersistingL2Cache(void) { return usleep(40000), OK; }                     /* takes its time */
CUresult cuDevicePrimaryCtxReset_v2(int device) { exit(device); }                             /* ends the process */
CUresult cuMulticastCreate(u64 *handle, const void *prop) { return *handle = 1, OK; }
CUresult cuGetProcAddress_v2(const char *name, void **pfn, int version, u64 flags, int *status) {
    char symbol[128];
    void *self = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    for (int v = 4; v; v--) {
        snprintf(symbol, sizeof symbol, v > 1 ? "%s_v%d" : "%s", name, v);
        if ((*pfn = dlsym(self, symbol))) return OK;
    }
    return 500;
}
static void leave(void) {
    ready = -1;
    const char *path = getenv("STUB_LEAVES");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) fprintf(file, "atexit"), fclose(file);
}
__attribute__((constructor)) static void enter(void) { atexit(leave); }

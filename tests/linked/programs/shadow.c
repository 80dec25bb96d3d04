/* Calls of many kinds, for the recording library: the argument says which. Nothing that is printed differs from run to run. */

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include "cuda.h"

int cuCtxSynchronize(void);
int cuDeviceGetAttribute(int *, int, int);
int cuGraphAddNode_v2(void **, void *, const void *, const void *, size_t, void *);
int cuGraphConditionalHandleCreate(uint64_t *, void *, void *, unsigned, unsigned);
int cuGraphCreate(void **, unsigned);
int cuGraphGetNodes(void *, void **, size_t *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long);
int cuGraphLaunch(void *, void *);
int cuIpcGetMemHandle(CUipcMemHandle *, CUdeviceptr);
int cuMemAddressFree(CUdeviceptr, size_t);
int cuMemGetAllocationGranularity(size_t *, const CUmemAllocationProp *, int);
int cuMemRelease(CUmemGenericAllocationHandle);
int cuMemUnmap(CUdeviceptr, size_t);
int cuMemsetD32Async(CUdeviceptr, unsigned, size_t, void *);
int cuMemsetD32_v2(CUdeviceptr, unsigned, size_t);
int cuMemsetD8_v2(CUdeviceptr, unsigned char, size_t);
int cuStreamBeginCapture_v2(void *, int);
int cuStreamDestroy_v2(void *);
int cuEventCreate(void **, unsigned);
int cuEventRecord_ptsz(void *, void *);
int cuMemcpyDtoH_v2_ptds(void *, CUdeviceptr, size_t);
int cuMemsetD8Async_ptsz(CUdeviceptr, unsigned char, size_t, void *);
int cuStreamSynchronize_ptsz(void *);
int cuStreamWaitEvent_ptsz(void *, void *, unsigned);
int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const unsigned *, const unsigned *, int, int, int, int);
int cuTexObjectCreate(unsigned long long *, const void *, const void *, const void *);
int cuTexObjectDestroy(unsigned long long);
int cuTexObjectGetResourceDesc(void *, unsigned long long);
int cuStreamEndCapture(void *, void **);
int cuThreadExchangeStreamCaptureMode(int *);

static void *context;
static CUdeviceptr late;

static void start(void)
{
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
}

static void at_exit(void) { printf("at exit %d\n", cuMemFree_v2(late)); }

static void *work(void *unused)
{
    EXPECT(0, cuCtxSetCurrent(context));
    for (int turn = 0; turn < 50; turn++) {
        CUdeviceptr memory;
        void *stream;
        EXPECT(0, cuMemAlloc_v2(&memory, 1000));
        EXPECT(0, cuStreamCreate(&stream, 0));
        EXPECT(0, cuStreamSynchronize(stream));
        EXPECT(0, cuStreamDestroy_v2(stream));
        EXPECT(0, cuMemFree_v2(memory));
    }
    return unused;
}

static void in_threads(void)
{
    pthread_t threads[4];
    start();
    for (int number = 0; number < 4; number++)
        pthread_create(&threads[number], NULL, work, NULL);
    for (int number = 0; number < 4; number++)
        pthread_join(threads[number], NULL);
}

static int status_of(int child)
{
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

static void fork_later(void)
{
    CUdeviceptr memory;
    start();
    int child = fork();
    if (!child)
        _exit(cuMemAlloc_v2(&memory, 10));
    EXPECT(3, status_of(child));
    EXPECT(0, cuMemAlloc_v2(&memory, 10));
}

static void fork_first(void)
{
    CUdeviceptr memory;
    int child = fork();
    start();
    EXPECT(0, cuMemAlloc_v2(&memory, 10));
    if (!child)
        exit(41);
    EXPECT(41, status_of(child));
}

static void share(void)
{
    int there[2], back[2], found = 0;
    CUipcMemHandle handle;
    CUdeviceptr memory;
    CHECK(!pipe(there) && !pipe(back));
    int child = fork();
    start();
    if (!child) {
        CHECK(read(there[0], &handle, sizeof handle) == sizeof handle);
        EXPECT(0, cuIpcOpenMemHandle_v2(&memory, handle, 1));
        EXPECT(0, cuMemsetD32_v2(memory, 77, 4));
        EXPECT(0, cuIpcCloseMemHandle(memory));
        CHECK(write(back[1], "", 1) == 1);
        exit(42);
    }
    EXPECT(0, cuMemAlloc_v2(&memory, 4096));
    EXPECT(0, cuIpcGetMemHandle(&handle, memory));
    CHECK(write(there[1], &handle, sizeof handle) == sizeof handle);
    CHECK(read(back[0], &handle, 1) == 1);
    EXPECT(0, cuMemcpyDtoH_v2(&found, memory, 4));
    CHECK(found == 77);
    EXPECT(42, status_of(child));
}

static void capture(void)
{
    void *stream, *graph, *executable, *nodes[4];
    CUdeviceptr memory;
    size_t count = 4;
    int out, mode = 2;
    start();
    EXPECT(0, cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == 0);
    EXPECT(0, cuMemAlloc_v2(&memory, 64));
    EXPECT(0, cuStreamCreate(&stream, 1));
    EXPECT(0, cuStreamBeginCapture_v2(stream, 0));
    EXPECT(0, cuMemsetD32Async(memory, 9, 16, stream));
    EXPECT(0, cuStreamEndCapture(stream, &graph));
    EXPECT(0, cuGraphGetNodes(graph, nodes, &count));
    EXPECT(0, cuGraphInstantiateWithFlags(&executable, graph, 0));
    EXPECT(0, cuGraphLaunch(executable, stream));
    EXPECT(0, cuStreamSynchronize(stream));
    EXPECT(0, cuMemcpyDtoH_v2(&out, memory, 4));
    CHECK(count == 1 && out == 9);
}

/* A call makes the graph of a conditional node, or the memory of a node; the parameters have their addresses. */
static void nodes(void)
{
    struct { int type, reserved[3]; uint64_t handle; int kind; unsigned count; void **graphs, *context; uint64_t rest[30]; } choice = {13};
    struct { int type, reserved[3]; CUmemAllocationProp pool; uint64_t rest[31]; } memory = {10};
    void *graph, *node, *body;
    int empty[64] = {5};
    CUdeviceptr *address = (CUdeviceptr *)((char *)&memory + 128);
    start();
    EXPECT(0, cuGraphCreate(&graph, 0));
    EXPECT(0, cuGraphConditionalHandleCreate(&choice.handle, graph, context, 1, 1));
    choice.count = 2, choice.context = context;
    EXPECT(0, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &choice));
    body = choice.graphs[1];
    EXPECT(0, cuGraphAddNode_v2(&node, body, NULL, NULL, 0, empty));
    memory.pool.type = 1, memory.pool.location.type = 1;
    *(size_t *)((char *)&memory + 120) = 64;
    EXPECT(0, cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &memory));
    CHECK(*address != 0);
}

static void map(void)
{
    CUmemAllocationProp wanted = {.type = 1, .location = {1, 0}};
    CUmemAccessDesc access = {{1, 0}, 3};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    size_t size;
    start();
    EXPECT(0, cuMemGetAllocationGranularity(&size, &wanted, 0));
    EXPECT(0, cuMemAddressReserve(&memory, size, 0, 0, 0));
    EXPECT(0, cuMemCreate(&handle, size, &wanted, 0));
    EXPECT(0, cuMemMap(memory, size, 0, handle, 0));
    EXPECT(0, cuMemSetAccess(memory, size, &access, 1));
    EXPECT(0, cuMemsetD8_v2(memory, 1, size));
    EXPECT(0, cuMemUnmap(memory, size));
    EXPECT(0, cuMemRelease(handle));
    EXPECT(0, cuMemAddressFree(memory, size));
}

/* A texture's resource has a union, and the arrays of a tensor map have a member for each dimension. */
static void structs(void)
{
    struct { int type; CUdeviceptr memory; int format; unsigned channels; size_t size; uint64_t rest[14]; } resource = {2}, got;
    unsigned texture[26] = {0}, box[] = {16, 16}, steps[] = {1, 1};
    uint64_t sizes[] = {64, 64}, strides[] = {64};
    unsigned long long object;
    _Alignas(64) char map[128];
    start();
    EXPECT(0, cuMemAlloc_v2(&resource.memory, 4096));
    resource.format = 3, resource.channels = 1, resource.size = 4096;
    EXPECT(0, cuTexObjectCreate(&object, &resource, texture, NULL));
    EXPECT(0, cuTexObjectGetResourceDesc(&got, object));
    CHECK(got.type == 2 && got.memory == resource.memory && got.size == 4096);
    EXPECT(0, cuTexObjectDestroy(object));
    EXPECT(1, cuTexObjectCreate(&object, NULL, texture, NULL));
    EXPECT(0, cuTensorMapEncodeTiled(map, 0, 2, (void *)resource.memory, sizes, strides, box, steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeTiled(map, 0, 9, (void *)resource.memory, sizes, strides, box, steps, 0, 0, 0, 0));
    EXPECT(0, cuMemFree_v2(resource.memory));
}

/* In these functions, 0 is the thread's own default stream. */
static void own_stream(void)
{
    CUdeviceptr memory;
    void *event, *stream;
    char out;
    start();
    EXPECT(0, cuMemAlloc_v2(&memory, 64));
    EXPECT(0, cuEventCreate(&event, 0));
    EXPECT(0, cuStreamCreate(&stream, 1));
    EXPECT(0, cuMemsetD8Async_ptsz(memory, 5, 64, NULL));
    EXPECT(0, cuEventRecord_ptsz(event, NULL));
    EXPECT(0, cuStreamWaitEvent_ptsz(stream, event, 0));
    EXPECT(0, cuMemsetD8Async_ptsz(memory, 6, 64, stream));
    EXPECT(0, cuStreamSynchronize_ptsz(stream));
    EXPECT(0, cuStreamSynchronize_ptsz(NULL));
    EXPECT(0, cuMemcpyDtoH_v2_ptds(&out, memory, 1));
    CHECK(out == 6);
    EXPECT(0, cuStreamDestroy_v2(stream));
    EXPECT(0, cuMemFree_v2(memory));
}

static void refused(void)
{
    CUmemGenericAllocationHandle handle;
    CUmemAllocationProp wanted = {0};
    CUdeviceptr memory;
    int number;
    EXPECT(3, cuMemAlloc_v2(&memory, 1));
    start();
    EXPECT(1, cuMemAlloc_v2(NULL, 1));
    EXPECT(1, cuMemFree_v2(7));
    EXPECT(1, cuDeviceGetCount(NULL));
    EXPECT(1, cuDeviceGetAttribute(&number, 9999, 0));
    EXPECT(1, cuMemCreate(&handle, 7, &wanted, 0));
}

static void look_up(void)
{
    const char *names[] = {"cuInit", "cuMemAlloc", "cuCtxCreate", "cuStreamBeginCapture", "cuGetProcAddress", "cuMemcpyHtoD", "cuNoSuch"};
    int versions[] = {3000, 5000, 10010, 11030, 12000, 13000, 99000}, status, count;
    void *found;
    EXPECT(0, cuInit(0));
    for (int name = 0; name < 7; name++)
        for (int version = 0; version < 7; version++)
            for (int flags = 0; flags < 3; flags++) {
                int code = cuGetProcAddress_v2(names[name], &found, versions[version], flags, &status);
                printf("%s %d %d: %d %d %d\n", names[name], versions[version], flags, code, status, found != NULL);
            }
    EXPECT(0, cuGetProcAddress_v2("cuDeviceGetCount", &found, 12000, 0, &status));
    EXPECT(0, ((int (*)(int *))found)(&count));
    CHECK(count == 2);
}

static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int count;
    CHECK(library != NULL && dlsym(library, "cuNoSuch") == NULL);
    EXPECT(0, ((int (*)(unsigned))dlsym(library, "cuInit"))(0));
    EXPECT(0, ((int (*)(int *))dlsym(library, "cuDeviceGetCount"))(&count));
    CHECK(count == 2);
}

/* Print what ten allocations answer, every other by the address that the driver finds. */
static void allocate(void)
{
    CUdeviceptr memory;
    void *found;
    start();
    EXPECT(0, cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, NULL));
    for (int number = 0; number < 10; number++) {
        int code = number % 2 ? ((int (*)(CUdeviceptr *, size_t))found)(&memory, 4096) : cuMemAlloc_v2(&memory, 4096);
        printf("%d ", code);
        if (!code)
            EXPECT(0, cuMemFree_v2(memory));
    }
}

static void die(int number)
{
    start();
    printf("now\n");
    fflush(stdout);
    raise(number);
}

int main(int count, char **arguments)
{
    const char *what = arguments[1];
    CHECK(count == 2);
    if (!strcmp(what, "exit")) {
        start();
        EXPECT(0, cuMemAlloc_v2(&late, 100));
        atexit(at_exit);
        return 5;
    }
    if (!strcmp(what, "exec")) {
        start();
        execl(arguments[0], arguments[0], "refused", NULL);
    }
    if (!strcmp(what, "threads"))
        in_threads();
    if (!strcmp(what, "fork later"))
        fork_later();
    if (!strcmp(what, "fork first"))
        fork_first();
    if (!strcmp(what, "ipc"))
        share();
    if (!strcmp(what, "graph"))
        capture();
    if (!strcmp(what, "nodes"))
        nodes();
    if (!strcmp(what, "map"))
        map();
    if (!strcmp(what, "structs"))
        structs();
    if (!strcmp(what, "own stream"))
        own_stream();
    if (!strcmp(what, "refused"))
        refused();
    if (!strcmp(what, "look up"))
        look_up();
    if (!strcmp(what, "load"))
        load();
    if (!strcmp(what, "allocate"))
        allocate();
    if (!strcmp(what, "kill"))
        die(SIGKILL);
    if (!strcmp(what, "crash"))
        die(SIGSEGV);
    if (!strcmp(what, "terminate"))
        die(SIGTERM);
    return 0;
}

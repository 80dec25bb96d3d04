/* Programs with a planted bug: the first argument says which. With "fixed" as the second argument they do not have it. With "wait"
   they wait for the end of standard input before they end. */

#include <dlfcn.h>
#include <sys/wait.h>

#include "cuda.h"

int cuCtxGetDevice_v2(int *, void *);
int cuCtxSynchronize(void);
int cuEventCreate(void **, unsigned);
int cuEventDestroy_v2(void *);
int cuEventQuery(void *);
int cuEventRecord(void *, void *);
int cuIpcGetMemHandle(CUipcMemHandle *, CUdeviceptr);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuMemAddressFree(CUdeviceptr, size_t);
int cuMemAllocAsync(CUdeviceptr *, size_t, void *);
int cuMemFreeAsync(CUdeviceptr, void *);
int cuMemRelease(CUmemGenericAllocationHandle);
int cuMemUnmap(CUdeviceptr, size_t);
int cuMemcpyDtoDAsync_v2(CUdeviceptr, CUdeviceptr, size_t, void *);
int cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, void *);
int cuMemsetD8Async_ptsz(CUdeviceptr, unsigned char, size_t, void *);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize_ptsz(void *);

#define SIZE (2ul << 20)

static int fixed;

static void start(void)
{
    void *context;
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
}

static void *stream(void)
{
    void *made;
    EXPECT(0, cuStreamCreate(&made, 1));
    return made;
}

/* Memory is unmapped while a memset uses it. */
static void unmap(void)
{
    CUmemAllocationProp wanted = {.type = 1, .location = {1, 0}};
    CUmemAccessDesc access = {{1, 0}, 3};
    CUmemGenericAllocationHandle handle;
    CUdeviceptr memory;
    void *one = stream();
    EXPECT(0, cuMemAddressReserve(&memory, SIZE, 0, 0, 0));
    EXPECT(0, cuMemCreate(&handle, SIZE, &wanted, 0));
    EXPECT(0, cuMemMap(memory, SIZE, 0, handle, 0));
    EXPECT(0, cuMemSetAccess(memory, SIZE, &access, 1));
    EXPECT(0, cuMemsetD8Async(memory, 1, SIZE, one));
    if (fixed)
        EXPECT(0, cuStreamSynchronize(one));
    EXPECT(0, cuMemUnmap(memory, SIZE));
    EXPECT(0, cuMemRelease(handle));
    EXPECT(0, cuMemAddressFree(memory, SIZE));
    EXPECT(0, cuStreamDestroy_v2(one));
}

/* The last of three allocations is not freed. */
static void leak(void)
{
    CUdeviceptr memory[3];
    for (int number = 0; number < 3; number++)
        EXPECT(0, cuMemAlloc_v2(&memory[number], 1000));
    for (int number = 0; number < 2 + fixed; number++)
        EXPECT(0, cuMemFree_v2(memory[number]));
}

/* A copy in one stream reads what another stream fills. */
static void race(void)
{
    CUdeviceptr from, to;
    void *one = stream(), *two = stream();
    EXPECT(0, cuMemAlloc_v2(&from, 1000));
    EXPECT(0, cuMemAlloc_v2(&to, 1000));
    EXPECT(0, cuMemsetD8Async(from, 1, 1000, one));
    if (fixed)
        EXPECT(0, cuStreamSynchronize(one));
    EXPECT(0, cuMemcpyDtoDAsync_v2(to, from, 1000, two));
    EXPECT(0, cuCtxSynchronize());
    EXPECT(0, cuMemFree_v2(from));
    EXPECT(0, cuMemFree_v2(to));
    EXPECT(0, cuStreamDestroy_v2(one));
    EXPECT(0, cuStreamDestroy_v2(two));
}

/* A stream that waits for the legacy default stream fills what the thread's own default stream fills. */
static void own(void)
{
    CUdeviceptr memory;
    void *one;
    EXPECT(0, cuStreamCreate(&one, 0));
    EXPECT(0, cuMemAlloc_v2(&memory, 1000));
    EXPECT(0, cuMemsetD8Async_ptsz(memory, 1, 1000, NULL));
    if (fixed)
        EXPECT(0, cuStreamSynchronize_ptsz(NULL));
    EXPECT(0, cuMemsetD8Async(memory, 2, 1000, one));
    EXPECT(0, cuCtxSynchronize());
    EXPECT(0, cuMemFree_v2(memory));
    EXPECT(0, cuStreamDestroy_v2(one));
}

/* Memory goes back to its pool in one stream while another stream uses it. */
static void pool(void)
{
    CUdeviceptr memory;
    void *one = stream(), *two = stream();
    EXPECT(0, cuMemAllocAsync(&memory, 1000, one));
    EXPECT(0, cuMemsetD8Async(memory, 1, 1000, one));
    EXPECT(0, cuMemFreeAsync(memory, fixed ? one : two));
    EXPECT(0, cuCtxSynchronize());
    EXPECT(0, cuStreamDestroy_v2(one));
    EXPECT(0, cuStreamDestroy_v2(two));
}

static void twice(void)
{
    CUdeviceptr memory;
    EXPECT(0, cuMemAlloc_v2(&memory, 1000));
    EXPECT(0, cuMemFree_v2(memory));
    if (!fixed)
        EXPECT(1, cuMemFree_v2(memory));
}

/* The same refused call again and again. */
static void again(void)
{
    void *made;
    for (int turn = 0; turn < (fixed ? 1 : 4); turn++)
        EXPECT(1, cuStreamCreate(&made, 99));
}

/* Return a function of the driver itself, so that a call of it has no record. */
static void *unrecorded(const char *name)
{
    char path[4096];
    const char *folders = getenv("LD_LIBRARY_PATH"), *last = strrchr(folders, ':');
    snprintf(path, sizeof path, "%s/libcuda.so.1", last == NULL ? folders : last + 1);
    return dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), name);
}

/* A stream is used after its end, and a second one is left. No recorded call has made them. */
static void past(void)
{
    int (*create)(void **, unsigned) = unrecorded("cuStreamCreate");
    void *one, *two;
    EXPECT(0, create(&one, 1));
    EXPECT(0, create(&two, 1));
    EXPECT(0, cuStreamSynchronize(one));
    EXPECT(0, cuStreamSynchronize(two));
    EXPECT(0, cuStreamDestroy_v2(one));
    if (!fixed)
        EXPECT(201, cuStreamSynchronize(one));
}

/* As a runtime does, the program makes a context current that no recorded call has returned, and retains it then. */
static void tables(void)
{
    int (*retain)(void **, int) = unrecorded("cuDevicePrimaryCtxRetain");
    void *context;
    EXPECT(0, retain(&context, 1));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 1));
    race();
}

/* Memory that no recorded call has allocated is freed twice. */
static void hidden(void)
{
    int (*allocate)(CUdeviceptr *, size_t) = unrecorded("cuMemAlloc_v2");
    CUdeviceptr memory;
    EXPECT(0, allocate(&memory, 1000));
    EXPECT(0, cuMemsetD8Async(memory, 1, 1000, NULL));
    EXPECT(0, cuMemFree_v2(memory));
    if (!fixed)
        EXPECT(1, cuMemFree_v2(memory));
}

/* Launch a kernel in the legacy default stream, as a loop of PyTorch does. */
static void launch(void *kernel, int times)
{
    int device;
    while (times--) {
        EXPECT(0, cuCtxGetDevice_v2(&device, NULL));
        EXPECT(0, cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
    }
}

/* The same calls in each turn: launches order what two blocking streams fill, a query what two others fill. The last turn lacks the
   launches. */
static void loop(void)
{
    CUdeviceptr first, second;
    void *module, *kernel, *event, *waits[2], *others[2] = {stream(), stream()};
    const char *code = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry repeated() { ret; }";
    EXPECT(0, cuModuleLoadData(&module, code));
    EXPECT(0, cuModuleGetFunction(&kernel, module, "repeated"));
    EXPECT(0, cuEventCreate(&event, 2));
    EXPECT(0, cuMemAlloc_v2(&first, 1000));
    EXPECT(0, cuMemAlloc_v2(&second, 1000));
    for (int number = 0; number < 2; number++)
        EXPECT(0, cuStreamCreate(&waits[number], 0));
    for (int turn = 0; turn < 20; turn++)
        for (int number = 0; number < 2; number++) {
            EXPECT(0, cuMemsetD8Async(first, 1, 1000, waits[number]));
            launch(kernel, fixed || turn < 19 ? 3 : 0);
            EXPECT(0, cuMemsetD8Async(second, 1, 1000, others[number]));
            EXPECT(0, cuEventRecord(event, others[number]));
            while (cuEventQuery(event))
                continue;
            EXPECT(0, cuEventQuery(event));
        }
    EXPECT(0, cuCtxSynchronize());
    EXPECT(0, cuMemFree_v2(first));
    EXPECT(0, cuMemFree_v2(second));
    EXPECT(0, cuEventDestroy_v2(event));
    for (int number = 0; number < 2; number++) {
        EXPECT(0, cuStreamDestroy_v2(waits[number]));
        EXPECT(0, cuStreamDestroy_v2(others[number]));
    }
}

/* Memory is freed that another process has open. */
static void share(void)
{
    int there[2], back[2], status;
    CUipcMemHandle handle;
    CUdeviceptr memory;
    CHECK(!pipe(there) && !pipe(back));
    int child = fork();
    start();
    if (!child) {
        CHECK(read(there[0], &handle, sizeof handle) == sizeof handle);
        EXPECT(0, cuIpcOpenMemHandle_v2(&memory, handle, 1));
        if (fixed)
            EXPECT(0, cuIpcCloseMemHandle(memory));
        CHECK(write(back[1], "", 1) == 1 && read(there[0], &handle, 1) == 1);
        if (!fixed)
            EXPECT(0, cuIpcCloseMemHandle(memory));
        exit(0);
    }
    EXPECT(0, cuMemAlloc_v2(&memory, 4096));
    EXPECT(0, cuIpcGetMemHandle(&handle, memory));
    CHECK(write(there[1], &handle, sizeof handle) == sizeof handle && read(back[0], &handle, 1) == 1);
    EXPECT(0, cuMemFree_v2(memory));
    CHECK(write(there[1], "", 1) == 1);
    waitpid(child, &status, 0);
    CHECK(!status);
}

int main(int count, char **arguments)
{
    struct {
        const char *name;
        void (*run)(void);
    } programs[] = {{"unmap", unmap}, {"leak", leak}, {"race", race}, {"pool", pool}, {"twice", twice}, {"again", again}, {"past", past}, {"hidden", hidden}, {"own", own}, {"loop", loop}, {"tables", tables}};
    fixed = count > 2 && !strcmp(arguments[2], "fixed");
    if (!strcmp(arguments[1], "share"))
        share();
    else
        start();
    for (int number = 0; number < 11; number++)
        if (!strcmp(arguments[1], programs[number].name))
            programs[number].run();
    while (count > 2 && !strcmp(arguments[2], "wait") && getchar() != EOF)
        continue;
    return 3;
}

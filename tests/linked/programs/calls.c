/* Calls of each kind: results, texts, structs, descriptors, memory that is pinned, functions of the host, a fork. */
#include "cuda.h"
#include <sys/wait.h>

static volatile int called;

static void function(void *given) { called = *(int *)given; }

static void exchange(void)
{
    char there[64] = "", *pinned;
    CUdeviceptr pointer;
    EXPECT(0, cuMemAlloc_v2(&pointer, 4096));
    EXPECT(0, cuMemcpyHtoD_v2(pointer, "bytes of C", 11));
    EXPECT(0, cuMemcpyDtoH_v2(there, pointer, 11));
    CHECK(!strcmp(there, "bytes of C"));
    EXPECT(0, cuMemHostAlloc((void **)&pinned, 4096, 0));
    EXPECT(0, cuMemcpyDtoHAsync_v2(pinned, pointer, 11, NULL));
    EXPECT(0, cuStreamSynchronize(NULL));
    CHECK(!strcmp(pinned, "bytes of C"));
    pinned[0] = 'B';
    EXPECT(0, cuMemcpyHtoD_v2(pointer, pinned, 11));
    EXPECT(0, cuMemcpyDtoH_v2(there, pointer, 11));
    CHECK(!strcmp(there, "Bytes of C"));
    EXPECT(1, cuMemcpyHtoD_v2(pointer, (void *)16, 11)); /* nothing is mapped there */
    EXPECT(0, cuMemFree_v2(pointer));
}

static void map(void)
{
    CUmemAllocationProp properties = {.type = 1, .requestedHandleTypes = 1, .location = {1, 0}};
    CUmemAccessDesc access = {{1, 0}, 3};
    CUmemGenericAllocationHandle handle, imported;
    CUdeviceptr first, second;
    int descriptor = -1;
    EXPECT(0, cuMemCreate(&handle, 2 << 20, &properties, 0));
    EXPECT(0, cuMemExportToShareableHandle(&descriptor, handle, 1, 0));
    CHECK(descriptor > 2);
    EXPECT(0, cuMemImportFromShareableHandle(&imported, (void *)(intptr_t)descriptor, 1));
    close(descriptor);
    EXPECT(0, cuMemAddressReserve(&first, 2 << 20, 0, 0, 0));
    EXPECT(0, cuMemAddressReserve(&second, 2 << 20, 0, 0, 0));
    EXPECT(0, cuMemMap(first, 2 << 20, 0, handle, 0));
    EXPECT(0, cuMemMap(second, 2 << 20, 0, imported, 0));
    EXPECT(0, cuMemSetAccess(first, 2 << 20, &access, 1));
    EXPECT(0, cuMemSetAccess(second, 2 << 20, &access, 1));
    char there[8] = "";
    EXPECT(0, cuMemcpyHtoD_v2(first, "aliased", 8));
    EXPECT(0, cuMemcpyDtoH_v2(there, second, 8));
    CHECK(!strcmp(there, "aliased"));
}

static void find(void)
{
    int (*alloc)(CUdeviceptr *, size_t) = NULL, status = -1;
    CUdeviceptr pointer;
    EXPECT(0, cuGetProcAddress_v2("cuMemAlloc", (void **)&alloc, 12000, 0, &status));
    CHECK(status == 0 && alloc == cuMemAlloc_v2);
    EXPECT(0, alloc(&pointer, 256));
    EXPECT(0, cuGetProcAddress_v2("cuNothing", (void **)&alloc, 12000, 0, &status));
    CHECK(status == 1 && alloc == NULL);
    EXPECT(0, cuGetProcAddress_v2("cuMemAlloc", (void **)&alloc, 1000, 0, &status));
    CHECK(status == 2 && alloc == NULL);
    EXPECT(1, cuGetProcAddress_v2("cuMemAlloc", (void **)&alloc, 99000, 0, &status));
}

int main(void)
{
    int count = 0, given = 42, status;
    char name[256];
    const char *error = NULL;
    void *context, *stream;
    CUdeviceptr pointer;
    EXPECT(3, cuDeviceGetCount(&count));
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDeviceGetCount(&count));
    EXPECT(1, cuDeviceGetCount(NULL));
    EXPECT(0, cuDeviceGetName(name, sizeof name, 1));
    EXPECT(201, cuMemAlloc_v2(&pointer, 4096));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuGetErrorName(201, &error));
    exchange();
    map();
    find();
    EXPECT(801, cuTexRefCreate());
    EXPECT(801, cuTexRefCreate()); /* which is said once */
    EXPECT(0, cuStreamCreate(&stream, 1));
    EXPECT(0, cuLaunchHostFunc(stream, function, &given));
    EXPECT(0, cuStreamSynchronize(stream));
    CHECK(called == 42);
    printf("%d %s %s\n", count, name, error);
    fflush(stdout);
    if (!fork()) {
        EXPECT(3, cuMemAlloc_v2(&pointer, 4096)); /* a driver does not work in a fork */
        exit(0);
    }
    wait(&status);
    CHECK(status == 0);
    EXPECT(0, cuMemAlloc_v2(&pointer, 4096));
    return 0;
}

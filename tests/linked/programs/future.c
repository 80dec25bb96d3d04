/* Calls of the stand-in driver. */

#include "cuda.h"

double cuOfTheFuture(int, double, long, float, int, int, int, int, double, long, double, double, double, double, double);
int cuGetExportTable(const uint64_t **, const void *);
int cuCtxSynchronize(void);
int cuOccupancyMaxActiveClusters(int *, void *, const void *);
int cuTensorMapEncodeTiled(void *, int, unsigned, void *, const void *, const void *, const void *, const void *, int, int, int, int);
int cuTexObjectCreate(unsigned long long *, const void *, const void *, const void *);

/* Structs and arrays that cannot be read are refused, and an array of too many dimensions, too. */
static void point(void)
{
    const void *bad = (void *)64;
    unsigned steps[] = {3, 4};
    uint64_t sizes[] = {1, 2};
    unsigned long long object;
    EXPECT(1, cuTexObjectCreate(&object, bad, NULL, NULL));
    EXPECT(1, cuTensorMapEncodeTiled(&object, 0, 2, NULL, sizes, NULL, bad, steps, 0, 0, 0, 0));
    EXPECT(1, cuTensorMapEncodeTiled(&object, 0, 9, NULL, bad, NULL, bad, bad, 0, 0, 0, 0));
}

/* A launch of the function 0x30000 in the stream 0x50000 with a cluster; no function, and addresses that cannot be read, are refused. */
static void launch(void)
{
    int (*call)(const void *, void *, void **, void **) = (void *)cuLaunchKernelEx;
    uint64_t attributes[9] = {4, 2 | 1ull << 32, 1};
    struct { unsigned numbers[7]; void *stream; const void *attributes; unsigned count; } config = {
        {1, 2, 3, 4, 5, 6, 7}, (void *)0x50000, attributes, 1};
    int clusters;
    EXPECT(0, call(&config, (void *)0x30000, NULL, NULL));
    EXPECT(0, cuOccupancyMaxActiveClusters(&clusters, (void *)0x30000, &config));
    CHECK(clusters == 5);
    EXPECT(1, call((void *)64, NULL, NULL, NULL));
    config.attributes = (void *)64;
    EXPECT(1, call(&config, NULL, NULL, NULL));
}

int main(int count, char **arguments)
{
    CUdeviceptr memory;
    const uint64_t *table;
    void *found;
    int status;
    EXPECT(0, cuInit(0));
    EXPECT(1, cuInit(2));
    CHECK(cuOfTheFuture(1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6) == 654321987654321);
    EXPECT(9, cuGetExportTable(&table, "\011"));
    CHECK(table[0] == 16 && table[1] == 5);
    EXPECT(0, cuGetProcAddress_v2("cuMemAlloc", &found, 12000, 0, &status));
    EXPECT(0, ((int (*)(CUdeviceptr *, size_t))found)(&memory, 3));
    CHECK(memory == 0x20003);
    EXPECT(0, cuMemAlloc_v2(&memory, 4));
    CHECK(memory == 0x10004);
    EXPECT(0, cuGetProcAddress_v2("cuInit", &found, 12000, 0, &status));
    EXPECT(1, ((int (*)(unsigned))found)(3));
    EXPECT(0, cuGetProcAddress_v2("cuSecret", &found, 12000, 0, &status));
    EXPECT(7, ((int (*)(void))found)());
    EXPECT(500, cuGetProcAddress_v2("cuNoSuch", &found, 12000, 0, &status));
    CHECK(found == NULL && status == 1);
    CUmemAllocationProp wanted = {.type = 5};
    CUmemGenericAllocationHandle handle;
    EXPECT(1, cuMemCreate(&handle, 7, (void *)64, 0));
    EXPECT(1, cuMemCreate(&handle, 8, &wanted, 0));
    EXPECT(1, cuModuleGetFunction(&found, NULL, (void *)64));
    EXPECT(1, cuModuleGetFunction(&found, NULL, "a function"));
    launch();
    point();
    if (count > 1 && !strcmp(arguments[1], "wait")) {
        printf("waits\n");
        fflush(stdout);
        cuCtxSynchronize();
    }
    for (int turn = 0; count > 1 && turn < atoi(arguments[1]); turn++)
        EXPECT(0, cuMemAlloc_v2(&memory, (size_t)turn));
    return 0;
}

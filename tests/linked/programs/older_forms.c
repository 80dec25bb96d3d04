/* Calls of older forms, as tests/linked/older_forms.py makes them: both print a line for each, with its code and results. */
#include "cuda.h"

int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxCreate_v3(void **, void *, int, unsigned, int);
int cuCtxPushCurrent(void *);
int cuCtxSynchronize(void);
int cuDevicePrimaryCtxRelease(int);
int cuStreamBeginCapture(void *);
int cuStreamGetCaptureInfo(void *, int *, uint64_t *);
int cuStreamGetCaptureInfo_v2(void *, int *, uint64_t *, void **, void **, size_t *);
int cuStreamGetCaptureInfo_v3(void *, int *, uint64_t *, void **, void **, void **, size_t *);
int cuStreamEndCapture(void *, void **);
int cuStreamDestroy(void *);
int cuMemsetD8Async(CUdeviceptr, unsigned char, size_t, void *);
int cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
int cuMemAdvise(CUdeviceptr, size_t, int, int);
int cuMemPrefetchAsync(CUdeviceptr, size_t, int, void *);
int cuMemcpyBatchAsync(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, void *, size_t *, size_t, size_t *, void *);
int cuIpcOpenMemHandle(CUdeviceptr *, CUipcMemHandle, unsigned);
int cuGraphCreate(void **, unsigned);
int cuGraphAddNode(void **, void *, void *, size_t, void *);
int cuGraphInstantiate(void **, void *, void **, char *, size_t);
int cuGraphExecUpdate(void *, void *, void **, int *);
int cuEventCreate(void **, unsigned);
int cuEventRecord(void *, void *);
int cuEventElapsedTime(float *, void *, void *);
int cuEventDestroy(void *);
int cuMemAlloc(unsigned *, unsigned);
int cuGetProcAddress(const char *, void **, int, uint64_t);

static void contexts(void)
{
    void *context = NULL;
    printf("cuCtxCreate_v2 %d\n", cuCtxCreate_v2(&context, 256, 0));
    int code = cuCtxCreate_v2(&context, 0, 0);
    printf("cuCtxCreate_v2 %d %d\n", code, context != NULL);
    printf("cuCtxCreate_v3 %d\n", cuCtxCreate_v3(&context, NULL, 1, 0, 0));
    code = cuCtxCreate_v3(&context, NULL, 0, 0, 0);
    printf("cuCtxCreate_v3 %d %d\n", code, context != NULL);
    printf("cuCtxPushCurrent %d\n", cuCtxPushCurrent(context));
    printf("cuDevicePrimaryCtxRelease %d\n", cuDevicePrimaryCtxRelease(0));
}

static void captures(void)
{
    void *stream, *graph;
    CUdeviceptr pointer;
    EXPECT(0, cuMemAlloc_v2(&pointer, 4096));
    EXPECT(0, cuStreamCreate(&stream, 1));
    printf("cuStreamBeginCapture %d\n", cuStreamBeginCapture(stream));
    for (int round = 0; round < 2; round++) {
        int status = -1;
        uint64_t number = 0;
        void *nodes = &status, *edges = &status;
        size_t count = 9;
        int code = cuStreamGetCaptureInfo(stream, &status, &number);
        printf("cuStreamGetCaptureInfo %d %d %d\n", code, status, number != 0);
        code = cuStreamGetCaptureInfo_v2(stream, &status, &number, &graph, &nodes, &count);
        printf("cuStreamGetCaptureInfo_v2 %d %d %d %zu\n", code, status, nodes != NULL, count);
        code = cuStreamGetCaptureInfo_v3(stream, &status, &number, &graph, &nodes, &edges, &count);
        printf("cuStreamGetCaptureInfo_v3 %d %d %d %zu\n", code, nodes != NULL, edges != NULL, count);
        EXPECT(0, cuMemsetD8Async(pointer, 7, 4096, stream));
    }
    int code = cuStreamEndCapture(stream, &graph);
    printf("cuStreamEndCapture %d %d\n", code, graph != NULL);
    printf("cuStreamDestroy %d\n", cuStreamDestroy(stream));
}

static void memory(const char *text)
{
    int devices[] = {0, -1, 99}, attributes[6] = {1};
    CUdeviceptr pointer, opened = 0, first[2], second[2];
    size_t at = 9, sizes[2] = {16, 16}, indices[1] = {0};
    CUipcMemHandle handle;
    void *stream;
    EXPECT(0, cuStreamCreate(&stream, 1));
    EXPECT(0, cuMemAllocManaged(&pointer, 4096, 1));
    for (int number = 0; number < 3; number++) {
        printf("cuMemAdvise %d\n", cuMemAdvise(pointer, 4096, 3, devices[number]));
        printf("cuMemPrefetchAsync %d\n", cuMemPrefetchAsync(pointer, 4096, devices[number], stream));
    }
    for (int copy = 0; copy < 2; copy++) {
        EXPECT(0, cuMemAlloc_v2(&first[copy], 4096));
        EXPECT(0, cuMemAlloc_v2(&second[copy], 4096));
    }
    for (int round = 0; round < 2; round++) {
        int code = cuMemcpyBatchAsync(first, second, sizes, 2, attributes, indices, 1, &at, stream);
        printf("cuMemcpyBatchAsync %d %zu\n", code, at);
        second[1] = 0;
    }
    for (int place = 0; place < 64; place++)
        sscanf(text + 2 * place, "%2hhx", (unsigned char *)&handle.reserved[place]);
    for (int round = 0; round < 2; round++) {
        int code = cuIpcOpenMemHandle(&opened, handle, 1);
        printf("cuIpcOpenMemHandle %d %d\n", code, opened != 0);
    }
}

static void graphs(void)
{
    void *both[2], *node = NULL, *executable = NULL, *wrong = &node;
    int parameters[64] = {5}, why = -1;
    char log[] = "xxxxxxx";
    for (int one = 0; one < 2; one++) {
        EXPECT(0, cuGraphCreate(&both[one], 0));
        for (int number = 0; number <= one; number++) {
            int code = cuGraphAddNode(&node, both[one], NULL, 0, parameters);
            printf("cuGraphAddNode %d %d\n", code, node != NULL);
        }
    }
    int code = cuGraphInstantiate(&executable, both[0], &wrong, log, 8);
    printf("cuGraphInstantiate %d %d %d %d %d\n", code, executable != NULL, wrong != NULL, log[0], log[1]);
    for (int one = 0; one < 2; one++) {
        code = cuGraphExecUpdate(executable, both[one], &wrong, &why);
        printf("cuGraphExecUpdate %d %d %d\n", code, wrong != NULL, why);
    }
}

static void others(void)
{
    void *start, *end, *found = NULL;
    float milliseconds = -1;
    unsigned pointer = 9;
    const char *names[] = {"cuCtxCreate", "cuNothing"};
    EXPECT(0, cuEventCreate(&start, 0));
    EXPECT(0, cuEventCreate(&end, 0));
    for (int round = 0; round < 2; round++) {
        int code = cuEventElapsedTime(&milliseconds, start, end);
        printf("cuEventElapsedTime %d %d\n", code, milliseconds >= 0);
        EXPECT(0, cuEventRecord(start, NULL));
        EXPECT(0, cuEventRecord(end, NULL));
        EXPECT(0, cuCtxSynchronize());
    }
    printf("cuEventDestroy %d\n", cuEventDestroy(start));
    int code = cuMemAlloc(&pointer, 64);
    printf("cuMemAlloc %d %u\n", code, pointer);
    for (int number = 0; number < 2; number++) {
        code = cuGetProcAddress(names[number], &found, 11000, 0);
        printf("cuGetProcAddress %d %d\n", code, found == (void *)cuCtxCreate_v2);
    }
}

int main(int count, char **arguments)
{
    CHECK(count == 2);
    EXPECT(0, cuInit(0));
    contexts();
    captures();
    memory(arguments[1]);
    graphs();
    others();
    return 0;
}

/* What a program that was built for CUDA 12 calls in the forms of that release. */
#include "cuda_runtime.h"

struct cudaDeviceProp { char bytes[1032]; };

int cudaGetDeviceProperties_v2(struct cudaDeviceProp *, int);
int cudaChooseDevice(int *, const struct cudaDeviceProp *);
int cudaMemAdvise(const void *, size_t, int, int);
int cudaMemPrefetchAsync(const void *, size_t, int, void *);
int cudaStreamGetCaptureInfo(void *, int *, unsigned long long *);
int cudaStreamGetCaptureInfo_v2(void *, int *, unsigned long long *, void **, void *const **, size_t *);
int cudaStreamUpdateCaptureDependencies(void *, void **, size_t, unsigned);
int cudaGraphAddEmptyNode(void **, void *, void *const *, size_t);
int cudaGraphAddDependencies(void *, void *const *, void *const *, size_t);
int cudaGraphRemoveDependencies(void *, void *const *, void *const *, size_t);
int cudaGraphGetEdges(void *, void **, void **, size_t *);
int cudaGraphNodeGetDependencies(void *, void **, size_t *);
int cudaGraphNodeGetDependentNodes(void *, void **, size_t *);
int cudaThreadSynchronize(void);
int cudaThreadExit(void);

static int member(const struct cudaDeviceProp *properties, size_t place)
{
    int value;
    memcpy(&value, properties->bytes + place, sizeof value);
    return value;
}

static void edges(void)
{
    void *graph, *one, *other, *from[2], *to[2];
    size_t count = 2;
    EXPECT(0, cudaGraphCreate(&graph, 0));
    EXPECT(0, cudaGraphAddEmptyNode(&one, graph, NULL, 0));
    EXPECT(0, cudaGraphAddEmptyNode(&other, graph, NULL, 0));
    EXPECT(0, cudaGraphAddDependencies(graph, &one, &other, 1));
    EXPECT(0, cudaGraphGetEdges(graph, from, to, &count));
    CHECK(count == 1 && from[0] == one && to[0] == other);
    count = 2;
    EXPECT(0, cudaGraphNodeGetDependencies(other, from, &count));
    CHECK(count == 1 && from[0] == one);
    count = 2;
    EXPECT(0, cudaGraphNodeGetDependentNodes(one, to, &count));
    CHECK(count == 1 && to[0] == other);
    EXPECT(0, cudaGraphRemoveDependencies(graph, &one, &other, 1));
    EXPECT(1, cudaGraphRemoveDependencies(graph, &one, &other, 1));
}

static void captures(void)
{
    void *stream, *graph, *node, *const *nodes;
    int status = 7;
    unsigned long long id;
    size_t count;
    EXPECT(0, cudaStreamCreateWithFlags(&stream, 1));
    EXPECT(0, cudaStreamGetCaptureInfo(stream, &status, &id));
    CHECK(status == 0);
    EXPECT(0, cudaStreamBeginCapture(stream, 2));
    EXPECT(0, cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &count));
    CHECK(status == 1 && count == 0);
    EXPECT(0, cudaGraphAddEmptyNode(&node, graph, NULL, 0));
    EXPECT(0, cudaStreamUpdateCaptureDependencies(stream, &node, 1, 1));
    EXPECT(0, cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, &nodes, &count));
    CHECK(count == 1 && nodes[0] == node);
    EXPECT(0, cudaStreamEndCapture(stream, &graph));
}

int main(void)
{
    static struct cudaDeviceProp properties;
    int device = 7;
    void *memory;
    EXPECT(101, cudaGetDeviceProperties_v2(&properties, 99));
    EXPECT(0, cudaGetDeviceProperties_v2(&properties, 0));
    CHECK(strcmp(properties.bytes, "NVIDIA H200") == 0);
    CHECK(member(&properties, 348) == 1980000 && member(&properties, 360) == 9 && member(&properties, 388) == 132);
    CHECK(member(&properties, 608) == 3201000 && member(&properties, 624) == 2048 && member(&properties, 768) == 1);
    EXPECT(0, cudaChooseDevice(&device, &properties));
    CHECK(device == 0);
    EXPECT(0, cudaMallocManaged(&memory, 4096, 1));
    EXPECT(0, cudaMemAdvise(memory, 4096, 3, 0));
    EXPECT(101, cudaMemAdvise(memory, 4096, 3, 99));
    EXPECT(0, cudaMemPrefetchAsync(memory, 4096, -1, NULL));
    edges();
    captures();
    EXPECT(0, cudaThreadSynchronize());
    EXPECT(0, cudaThreadExit());
    return 0;
}

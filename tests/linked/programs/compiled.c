/* What nvcc makes of a program with kernels and variables: a host function stands for each kernel, and an address for each
   variable. IMAGE is the bytes of a fatbin. */
#include "cuda_runtime.h"

int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaGetSymbolSize(size_t *, const void *);
int cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, void *);
int cudaLaunchKernelExC(const void *, const void *, void **);
int cudaGetKernel(void **, const void *);
int cudaGetFuncBySymbol(void **, const void *);
int cudaFuncSetAttribute(const void *, int, int);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
int cudaDeviceSynchronize(void);
int cudaFuncGetName(const char **, const void *);
int cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
int cudaOccupancyMaxPotentialClusterSize(int *, const void *, const void *);
int cudaGraphAddMemcpyNodeToSymbol(void **, void *, void *const *, size_t, const void *, const void *, size_t, size_t, int);
int cudaGraphExecMemcpyNodeSetParamsToSymbol(void *, void *, const void *, const void *, size_t, size_t, int);
int __cudaGetKernel(void **, const void *);
int __cudaLaunchKernel(void *, dim3, dim3, void **, size_t, void *);
void __cudaRegisterManagedVar(void **, void **, char *, const char *, int, size_t, int, int);
char __cudaInitModule(void **);

static const unsigned char image[] = {IMAGE};
static struct { int magic, version; const void *image, *others; } wrapper = {0x466243b1, 1, image, NULL};
static const unsigned char nothing[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0}; /* an empty fatbin */
static const void *const parts[] = {image, NULL};
static struct { int magic, version; const void *image; const void *const *parts; } linked_wrapper = {
    0x466243b1, 2, nothing, parts};
static void **handle, **linked_handle;
static int counter, *shared;

void scale(float *values, float factor)
{
    static void *kernel;
    dim3 grid, block;
    size_t bytes;
    void *stream, *arguments[] = {&values, &factor};
    if (kernel == NULL)
        EXPECT(0, __cudaGetKernel(&kernel, (void *)scale));
    EXPECT(0, __cudaPopCallConfiguration(&grid, &block, &bytes, &stream));
    EXPECT(0, __cudaLaunchKernel(kernel, grid, block, arguments, bytes, stream));
}

static void lacked(void) {}
static void linked(void) {}

__attribute__((constructor)) static void begin(void)
{
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, (const char *)scale, "scale", "scale", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, (const char *)lacked, "lacked", "lacked", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, (char *)&counter, "counter", "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)&shared, "shared", "shared", 0, 8, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    linked_handle = __cudaRegisterFatBinary(&linked_wrapper);
    __cudaRegisterFunction(linked_handle, (const char *)linked, "scale", "scale", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(linked_handle);
}

__attribute__((destructor)) static void end(void)
{
    __cudaUnregisterFatBinary(handle);
    __cudaUnregisterFatBinary(linked_handle);
}

static void ask(const void *how)
{
    const char *name;
    size_t offset, size;
    int clusters = 0;
    EXPECT(0, cudaFuncGetName(&name, (void *)scale));
    CHECK(!strcmp(name, "scale"));
    EXPECT(0, cudaFuncGetParamInfo((void *)scale, 1, &offset, &size));
    CHECK(offset == 8 && size == 4);
    EXPECT(1, cudaFuncGetParamInfo((void *)scale, 2, &offset, &size));
    EXPECT(0, cudaOccupancyMaxPotentialClusterSize(&clusters, (void *)scale, how));
    CHECK(clusters == 8);
}

static void copy_in_a_graph(void)
{
    void *graph, *node, *executable;
    int number = 11, later = 12;
    EXPECT(0, cudaGraphCreate(&graph, 0));
    EXPECT(13, cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, &number, &number, 4, 0, 1));
    EXPECT(0, cudaGraphAddMemcpyNodeToSymbol(&node, graph, NULL, 0, &counter, &number, 4, 0, 1));
    EXPECT(0, cudaGraphInstantiate(&executable, graph, 0));
    EXPECT(1, cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, &counter, &later, 4, 0, 4));
    EXPECT(0, cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, node, &counter, &later, 4, 0, 1));
    EXPECT(0, cudaGraphLaunch(executable, NULL));
    EXPECT(0, cudaDeviceSynchronize());
    EXPECT(0, cudaMemcpyFromSymbol(&number, &counter, 4, 0, 2));
    CHECK(number == 12);
}

int compiled_program(void)
{
    dim3 one = {1, 1, 1}, four = {4, 1, 1}, none = {0, 1, 1};
    struct { dim3 grid, block; size_t bytes; void *stream, *attributes; unsigned count; } how = {one, four, 0, NULL, NULL, 0};
    float back[4] = {1, 2, 3, 4}, *values, factor = 2;
    void *arguments[] = {&values, &factor}, *kernel, *place;
    int number = 0, blocks;
    size_t size;
    EXPECT(52, __cudaPopCallConfiguration(&one, &one, &size, &place));
    EXPECT(98, __cudaGetKernel(&kernel, (void *)compiled_program));
    EXPECT(0, cudaMalloc((void **)&values, sizeof back));
    EXPECT(0, cudaMemcpy(values, back, sizeof back, 1));
    EXPECT(0, (int)__cudaPushCallConfiguration(one, four, 0, NULL));
    scale(values, factor);
    EXPECT(0, cudaLaunchKernel((void *)scale, one, four, arguments, 0, NULL));
    EXPECT(0, cudaLaunchCooperativeKernel((void *)scale, one, four, arguments, 0, NULL));
    EXPECT(0, cudaLaunchKernelExC(&how, (void *)scale, arguments));
    EXPECT(0, cudaMemcpy(back, values, sizeof back, 2));
    CHECK(back[0] == 16 && back[3] == 64);
    EXPECT(0, cudaLaunchKernel((void *)linked, one, four, arguments, 0, NULL)); /* which the driver links first */
    EXPECT(0, cudaMemcpy(back, values, sizeof back, 2));
    CHECK(back[0] == 32);
    EXPECT(0, cudaGetKernel(&kernel, (void *)scale));
    EXPECT(0, cudaLaunchKernel(kernel, one, four, arguments, 0, NULL));
    EXPECT(0, cudaGetFuncBySymbol(&place, (void *)scale));
    EXPECT(0, cudaFuncSetAttribute((void *)scale, 8, 60000));
    EXPECT(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)scale, 128, 0));
    CHECK(blocks > 0);
    EXPECT(1, cudaLaunchKernel((void *)scale, none, four, arguments, 0, NULL));
    EXPECT(98, cudaLaunchKernel((void *)lacked, one, four, NULL, 0, NULL));
    EXPECT(400, cudaLaunchKernel((void *)compiled_program, one, four, NULL, 0, NULL));
    EXPECT(13, cudaGetSymbolAddress(&place, &number));
    EXPECT(0, cudaMemcpyFromSymbol(&number, &counter, 4, 0, 2));
    CHECK(number == 5);
    number = 9;
    EXPECT(0, cudaMemcpyToSymbol(&counter, &number, 4, 0, 1));
    EXPECT(0, cudaGetSymbolAddress(&place, &counter));
    EXPECT(0, cudaGetSymbolSize(&size, &counter));
    CHECK(size == 4);
    number = 0;
    EXPECT(0, cudaMemcpy(&number, place, 4, 2));
    CHECK(number == 9);
    __cudaInitModule(handle);
    CHECK(*shared == 0);
    *shared = 7;
    EXPECT(0, cudaGetSymbolAddress(&place, &shared));
    CHECK(place == shared);
    EXPECT(0, cudaGetSymbolAddress(&place, shared)); /* nvcc passes the variable itself, which lies there */
    CHECK(place == shared);
    EXPECT(13, cudaGetSymbolAddress(&place, shared + 1));
    ask(&how);
    copy_in_a_graph();
    EXPECT(0, cudaDeviceSynchronize());
    return 0;
}

/* Launch a kernel without a Python function, and ask for the error as programs do: as a number, or as a text. */
int launch_and_ask(int text)
{
    dim3 one = {1, 1, 1};
    float *values = NULL, factor = 2;
    void *arguments[] = {&values, &factor};
    cudaLaunchKernel((void *)scale, one, one, arguments, 0, NULL);
    return text ? *cudaGetErrorString(cudaGetLastError()) : cudaGetLastError();
}

int main(void) { return compiled_program(); }

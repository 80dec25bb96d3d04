/* What a compiled program does that is linked to the runtime library: it registers its kernels, and calls. */
#include "cuda_runtime.h"

static int kernel;
static void **registered;

__attribute__((constructor)) static void begin(void)
{
    static char binary[64];
    registered = __cudaRegisterFatBinary(binary);
    __cudaRegisterFunction(registered, (const char *)&kernel, "kernel", "kernel", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(registered, (char *)&kernel, "variable", "variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(registered);
}

__attribute__((destructor)) static void end(void) { __cudaUnregisterFatBinary(registered); }

static void launch(void)
{
    dim3 grid = {1, 1, 1}, block = {32, 1, 1};
    size_t shared;
    void *stream;
    EXPECT(0, (int)__cudaPushCallConfiguration(grid, block, 0, NULL));
    EXPECT(0, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    EXPECT(200, cudaLaunchKernel(&kernel, grid, block, NULL, 0, NULL)); /* what was registered is no image */
    EXPECT(400, cudaLaunchKernel(&shared, grid, block, NULL, 0, NULL));
    EXPECT(400, cudaGetLastError());
    EXPECT(0, cudaGetLastError());
}

static void capture(char *memory)
{
    void *stream, *graph = NULL, *executable = NULL, *first = NULL, *second = NULL;
    struct cudaMemsetParams nines = {memory + 1024, 0, 9, 1, 16, 1};
    char back[32] = "";
    EXPECT(0, cudaStreamCreateWithFlags(&stream, 1));
    EXPECT(0, cudaStreamBeginCapture(stream, 2));
    EXPECT(0, cudaMemsetAsync(memory, 7, 16, stream));
    EXPECT(0, cudaStreamEndCapture(stream, &graph));
    EXPECT(1, cudaGraphAddMemsetNode(&first, graph, NULL, 1, &nines));
    EXPECT(1, cudaGetLastError());
    EXPECT(0, cudaGraphAddMemsetNode(&first, graph, NULL, 0, &nines));
    EXPECT(0, cudaGraphAddMemcpyNode1D(&second, graph, &first, 1, memory + 16, memory + 1024, 16, 4));
    EXPECT(0, cudaGraphInstantiate(&executable, graph, 0));
    EXPECT(0, cudaGraphLaunch(executable, stream));
    EXPECT(0, cudaStreamSynchronize(stream));
    EXPECT(0, cudaMemcpy(back, memory, 32, 2));
    CHECK(back[0] == 7 && back[15] == 7 && back[16] == 9 && back[31] == 9);
}

static void choose(char *memory)
{
    void *graph = NULL, *executable = NULL, *node = NULL;
    struct cudaGraphNodeParams choice = {13}, room = {10};
    struct cudaMemsetParams fours = {memory, 0, 4, 1, 16, 1};
    char back[16] = "";
    EXPECT(0, cudaGraphCreate(&graph, 0));
    EXPECT(0, cudaGraphConditionalHandleCreate(&choice.conditional.handle, graph, 1, 1));
    choice.conditional.type = 2;
    choice.conditional.size = 2;
    EXPECT(0, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &choice));
    CHECK(choice.conditional.graphs[0] != choice.conditional.graphs[1]);
    EXPECT(0, cudaGraphAddMemsetNode(&node, choice.conditional.graphs[1], NULL, 0, &fours));
    room.alloc.type = room.alloc.location = 1;
    room.alloc.size = 64;
    EXPECT(0, cudaGraphAddNode(&node, graph, NULL, NULL, 0, &room));
    CHECK(room.alloc.memory != NULL);
    EXPECT(0, cudaGraphInstantiate(&executable, graph, 0));
    EXPECT(0, cudaGraphLaunch(executable, NULL));
    EXPECT(0, cudaMemcpy(back, memory, 16, 2));
    CHECK(back[0] == 4 && back[15] == 4);
    EXPECT(0, cudaMemset(memory, 7, 16));
}

static void arrange(void *memory)
{
    struct cudaChannelFormatDesc pairs = {16, 16, 0, 0, 0}, told;
    struct cudaExtent extent;
    unsigned flags = 99;
    void *array = NULL;
    char back[16] = "";
    EXPECT(0, cudaMallocArray(&array, &pairs, 4, 2, 0));
    EXPECT(0, cudaArrayGetInfo(&told, &extent, &flags, array));
    CHECK(!memcmp(&told, &pairs, sizeof told) && extent.width == 4 && extent.height == 2 && !extent.depth && !flags);
    EXPECT(0, cudaMemcpyToArray(array, 12, 0, memory, 20, 3));
    EXPECT(0, cudaMemcpy2DFromArray(back, 8, array, 8, 0, 8, 2, 2));
    CHECK(back[4] == 7 && back[7] == 7 && back[8] == 7 && back[15] == 9);
    EXPECT(0, cudaFreeArray(array));
    EXPECT(0, cudaFreeArray(NULL));
}

static void describe(void *memory)
{
    struct {
        struct cudaPointerAttributes told;
        char behind[64];
    } attributes;
    int version;
    EXPECT(0, cudaRuntimeGetVersion(&version));
    memset(&attributes, 0x55, sizeof attributes);
    EXPECT(0, cudaPointerGetAttributes(&attributes.told, memory));
    CHECK(attributes.told.type == 2 && attributes.told.device == 1 && attributes.told.devicePointer == memory);
    CHECK(attributes.told.reserved[1] == (EXPECTED_MAJOR == 12 ? 0x5555555555555555 : 0));
    CHECK(attributes.behind[0] == 0x55);
    struct cudaChannelFormatDesc made = cudaCreateChannelDesc(1, 2, 3, 4, 5);
    CHECK(made.x == 1 && made.w == 4 && made.f == 5);
}

int runtime_program(void)
{
    int count = 0;
    char back[64] = "", *managed;
    void *memory = NULL, *pinned, *found = NULL;
    struct cudaPitchedPtr pitched;
    struct cudaExtent extent = {64, 2, 2};
    CHECK(registered != NULL);
    EXPECT(0, cudaGetDeviceCount(&count));
    CHECK(count == 2);
    EXPECT(101, cudaSetDevice(2));
    EXPECT(101, cudaPeekAtLastError());
    EXPECT(101, cudaGetLastError());
    EXPECT(0, cudaSetDevice(1));
    EXPECT(0, cudaMalloc(&memory, 4096));
    EXPECT(0, cudaMemcpy(memory, "linked", 7, 1));
    EXPECT(0, cudaMallocHost(&pinned, 4096));
    EXPECT(0, cudaMemcpyAsync_ptsz(pinned, memory, 7, 2, NULL));
    EXPECT(0, cudaStreamSynchronize_ptsz(NULL));
    CHECK(!strcmp(pinned, "linked"));
    EXPECT(0, cudaMallocManaged((void **)&managed, 4096, 1));
    strcpy(managed, "managed");
    EXPECT(0, cudaMemcpy(back, managed, 8, 4));
    CHECK(!strcmp(back, "managed"));
    EXPECT(0, cudaMalloc3D(&pitched, extent));
    EXPECT(0, cudaMemset3D(pitched, 7, extent));
    EXPECT(0, cudaMemcpy(back, pitched.ptr, 64, 2));
    CHECK(back[0] == 7 && back[63] == 7);
    describe(memory);
    capture(memory);
    choose(memory);
    arrange(memory);
    launch();
    CHECK(!strcmp(cudaGetErrorName(101), "cudaErrorInvalidDevice"));
    CHECK(!strcmp(cudaGetErrorString(101), "invalid device ordinal"));
    EXPECT(0, cudaGetDriverEntryPointByVersion("cuMemAlloc", &found, 12000, 0, NULL));
    CHECK(found != NULL);
    EXPECT(0, cudaFree(memory));
    EXPECT(1, cudaFree(memory));
    EXPECT(1, cudaGetLastError());
    return 0;
}

int main(void) { return runtime_program(); }

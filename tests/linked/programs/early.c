/* A program that writes page-locked memory before a copy from there is done, or reads it before a copy to it is. */
#include "cuda.h"

int cuMemAllocHost_v2(void **, size_t);

int main(int count, char **arguments)
{
    void *context, *stream, *host;
    char bytes[64];
    CUdeviceptr memory;
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuStreamCreate(&stream, 1));
    EXPECT(0, cuMemAlloc_v2(&memory, 64));
    EXPECT(0, cuMemAllocHost_v2(&host, 64));
    CHECK(count == 2);
    if (!strcmp(arguments[1], "writes")) {
        EXPECT(0, cuMemcpyHtoDAsync_v2(memory, host, 64, stream));
        memset(host, 7, 64);
    } else {
        EXPECT(0, cuMemcpyDtoHAsync_v2(host, memory, 64, stream));
        memcpy(bytes, host, 64);
    }
    EXPECT(0, cuStreamSynchronize(stream));
    return 0;
}

/* Open memory that another process exports, copy through it, and wait. */
#include "cuda.h"

#define SIZE 100000

int main(void)
{
    char text[256];
    CUipcMemHandle handle;
    CUdeviceptr there = 0, own = 0;
    void *context, *pinned;
    unsigned char *bytes = malloc(SIZE);
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
    CHECK(fgets(text, sizeof text, stdin) != NULL);
    for (int place = 0; place < 64; place++) {
        unsigned byte;
        sscanf(text + 2 * place, "%2x", &byte);
        handle.reserved[place] = (char)byte;
    }
    EXPECT(0, cuIpcOpenMemHandle_v2(&there, handle, 1));
    EXPECT(0, cuMemcpyDtoH_v2(bytes, there, SIZE));
    for (int place = 0; place < SIZE; place++)
        CHECK(bytes[place] == (unsigned char)(place % 251));
    for (int place = 0; place < SIZE; place++)
        bytes[place] = (unsigned char)(place % 241);
    EXPECT(0, cuMemcpyHtoD_v2(there, bytes, SIZE));
    EXPECT(0, cuMemAlloc_v2(&own, 64 << 20));
    EXPECT(0, cuMemHostAlloc(&pinned, 4096, 0));
    printf("open\n");
    fflush(stdout);
    CHECK(fgets(text, sizeof text, stdin) != NULL);
    EXPECT(0, cuIpcCloseMemHandle(there));
    EXPECT(0, cuMemFree_v2(own));
    printf("closed\n");
    return 0;
}

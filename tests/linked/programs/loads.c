/* A program that loads the driver itself, leaves memory and returns from main. */
#include <dlfcn.h>
#include <stdlib.h>

#include "cuda.h"

#define CALL(name, types) ((int (*) types)dlsym(driver, #name))

int main(int count, char **arguments)
{
    void *context, *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    CUdeviceptr memory;
    CHECK(driver != NULL);
    EXPECT(0, CALL(cuInit, (unsigned))(0));
    EXPECT(0, CALL(cuDevicePrimaryCtxRetain, (void **, int))(&context, 0));
    EXPECT(0, CALL(cuCtxSetCurrent, (void *))(context));
    EXPECT(0, CALL(cuMemAlloc_v2, (CUdeviceptr *, size_t))(&memory, 64));
    return count > 1 ? atoi(arguments[1]) : 0;
}

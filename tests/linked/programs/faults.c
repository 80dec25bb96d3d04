/* A program that is swept: its argument says how it handles a call that fails. */

#include <signal.h>

#include "cuda.h"

static int failed = 1;

static void must(int code)
{
    if (code)
        exit(failed);
}

int main(int count, char **arguments)
{
    const char *how = arguments[1];
    void *context, *stream;
    CUdeviceptr first, second = 7;
    CHECK(count == 2);
    if (!strcmp(how, "ends by -1"))
        failed = -1;
    must(cuInit(0));
    if (!strcmp(how, "always crashes"))
        raise(SIGSEGV);
    must(cuDevicePrimaryCtxRetain(&context, 0));
    must(cuCtxSetCurrent(context));
    must(cuMemAlloc_v2(&first, 4096));
    if (cuMemAlloc_v2(&second, 4096)) {
        if (!strcmp(how, "leaks"))
            return 0;
        if (!strcmp(how, "crashes"))
            raise(SIGSEGV);
        if (!strcmp(how, "frees"))
            cuMemFree_v2(second);
        must(1);
    }
    if (cuStreamCreate(&stream, 1) && strcmp(how, "swallows"))
        must(1);
    must(cuMemFree_v2(second));
    must(cuMemFree_v2(first));
    return 0;
}

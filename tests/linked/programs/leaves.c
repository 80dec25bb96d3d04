/* A program that leaves memory, is refused, and breaks a rule, as its arguments say; then it ends. */
#include "cuda.h"

#include <fakecuda.h>
#include <pthread.h>

static CUdeviceptr memory;

static void free_memory(void) { cuMemFree_v2(memory); }

int main(int count, char **arguments)
{
    void *context;
    CHECK(!*fakecuda_report(FAKECUDA_FINDINGS | FAKECUDA_LEAKS | FAKECUDA_ERRORS)); /* no machine yet */
    for (int place = 1; place < count; place++) {
        const char *what = arguments[place];
        if (!strcmp(what, "init")) {
            EXPECT(0, cuInit(0));
            EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
            EXPECT(0, cuCtxSetCurrent(context));
        } else if (!strcmp(what, "leaks")) {
            EXPECT(0, cuMemAlloc_v2(&memory, 64));
        } else if (!strcmp(what, "findings")) {
            cuMemcpyHtoD_v2(memory, (void *)16, 8);
        } else if (!strcmp(what, "errors")) {
            EXPECT(1, cuMemAlloc_v2(&memory, 0));
        } else if (!strcmp(what, "atexit")) {
            atexit(free_memory);
        } else if (!strcmp(what, "ask")) {
            printf("%s|", fakecuda_report(FAKECUDA_LEAKS));
        } else {
            return atoi(what);
        }
    }
    return 0;
}

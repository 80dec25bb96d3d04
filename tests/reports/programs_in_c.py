"""C programs and libraries with marked lines that reports name."""

DRIVER = """
#include <stddef.h>
int cuInit(unsigned); int cuDevicePrimaryCtxRetain(void **, int); int cuCtxSetCurrent(void *);
int cuStreamCreate(void **, unsigned); int cuStreamDestroy_v2(void *); int cuEventCreate(void **, unsigned);
int cuMemAlloc_v2(unsigned long *, unsigned long); int cuMemsetD8_v2(unsigned long, unsigned char, unsigned long);
int cuStreamSynchronize(void *); int cuStreamWaitValue32_v2(void *, unsigned long, unsigned, unsigned);
#define ALONE __attribute__((noinline, noclone))
static void begin(void) { void *context; cuInit(0); cuDevicePrimaryCtxRetain(&context, 0); cuCtxSetCurrent(context); }
"""
THREAD = """
#include <pthread.h>
static ALONE int end(void *stream)
{
    return cuStreamDestroy_v2(stream) | cuStreamDestroy_v2(stream); // twice
}
static void *work(void *unused)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    return (void *)(size_t)(end(stream) + 1); // calls
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
RUNTIME_THREAD = """
#include <pthread.h>
int cudaStreamCreate(void **); int cudaStreamDestroy(void *);
static void *work(void *unused)
{
    void *stream;
    cudaStreamCreate(&stream);
    return (void *)(size_t)(cudaStreamDestroy(stream) | cudaStreamDestroy(stream)); // twice
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
RUNTIME_PROGRAM = """
import ctypes
from fakecuda import simulate
from fakecuda.reach.native.runtime import load_cudart
with simulate():
    load_cudart(13)
    ctypes.CDLL({library!r}).run()
"""
WAITING_THREAD = """
#include <pthread.h>
static void *work(void *unused)
{
    unsigned long memory;
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    cuMemAlloc_v2(&memory, 64); cuMemsetD8_v2(memory, 0, 64); cuStreamWaitValue32_v2(stream, memory, 1, 0);
    return (void *)(size_t)(cuStreamSynchronize(stream) + 1); // waits
}
void run(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}
"""
CALLERS = """
static ALONE int make(void **stream)
{
    return cuStreamCreate(stream, 0) + 1; // makes
}
static ALONE int one(void **stream)
{
    return make(stream) + 1; // one
}
static ALONE int two(void **stream)
{
    return make(stream) + 2; // two
}
static ALONE int end(void *stream)
{
    return cuStreamDestroy_v2(stream) + 1; // ends
}
{entry}
{
    void *streams[2];
    begin();
    for (int number = 0; number < 3; number++) {
        one(&streams[0]); // first
        two(&streams[1]); // second
        if (number < 2) { end(streams[0]); end(streams[1]); }
    }
    end(streams[1]); // once
    end(streams[1]); // again
    RETURN(0);
}
"""
IN_MAIN = "#define RETURN(code) return (int)(code)\nint main(void)"
IN_WORK = "#include <pthread.h>\n#define RETURN(code) return (void *)(code)\nstatic void *work(void *unused)"
RUN = """
int run(void)
{
    void *code;
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, &code);
    return (int)(size_t)code;
}
"""
FORKED = """
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int status = 0;
    for (int number = 0; number < 3; number++) {
        if (number == 2 && fork()) {
            wait(&status);
            return WEXITSTATUS(status);
        }
        if (cuInit(0) != (number == 2 ? 3 : 0)) /* not initialised: a forked process cannot use the driver */
            return 1;
    }
    _exit(7);
}
"""
WRAPPER = """
static ALONE int deep(void *stream, int depth)
{
    if (depth)
        return deep(stream, depth - 1) + 1;
    return cuStreamDestroy_v2(stream) + 1; // wraps
}
int wrapped_end(void *stream) { return deep(stream, 6) + 1; }
"""
WRAPPED = """
int wrapped_end(void *);
int main(void)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    for (int number = 0; number < 2; number++)
        wrapped_end(stream); // user
    return 0;
}
"""
CUT = ("-fomit-frame-pointer", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables")
"""Compiler options without unwind tables and frame pointers."""
WILD = """
int cuStreamQuery(void *); int fakecuda_c_cuStreamQuery(void *);
int wild(void *stream)
{
    size_t local[4] = {1, 2, 3, 4};
    size_t values[] = {0, 8, (size_t)-8, (size_t)1 << 40, (size_t)1 << 63, (size_t)local, (size_t)local | 4, (size_t)local - 999999};
    for (size_t number = 0; number < sizeof values / sizeof *values; number++) {
        size_t code;
        void *first = stream;
        __asm__ volatile(
            "mov %%rbp, %%r12; mov %%rsp, %%rbx; sub $256, %%rsp; and $-16, %%rsp; mov %2, %%rbp\\n"
            "call {name}@PLT\\n"
            "mov %%rbx, %%rsp; mov %%r12, %%rbp; mov %%rax, %0"
            : "=&r"(code), "+D"(first) : "r"(values[number])
            : "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "memory");
        if ((int)code)
            return (int)code;
    }
    cuStreamDestroy_v2(stream);
    return cuStreamDestroy_v2(stream) + 1; // ends
}
"""
AROUND_WILD = """
int wild(void *);
int main(void)
{
    void *stream;
    begin();
    cuStreamCreate(&stream, 0);
    wild(stream);
    return 7;
}
"""
PLUGIN = """
int plug(void *stream) { return cuStreamDestroy_v2(stream) + 1; } // {name}
"""
PLUGGING = """
#include <dlfcn.h>
#include <string.h>
{entry}
{
    void *stream, *before = NULL;
    size_t code = 0;
    begin();
    for (int number = 0; number < 2; number++) {
        void *library = dlopen(number ? "{folder}/b.so" : "{folder}/a.so", RTLD_NOW);
        void *plug = dlsym(library, "plug");
        code |= number && plug != before; /* the loader has put it elsewhere */
        before = plug;
        cuStreamCreate(&stream, 0);
        ((int (*)(void *))plug)(stream);
        if (number)
            ((int (*)(void *))plug)(stream);
        dlclose(library);
    }
    RETURN(code);
}
"""
LAUNCH = """
int cuModuleLoadData(void **, const void *); int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int main(void)
{
    void *module, *function;
    begin();
    cuModuleLoadData(&module, ".version 8.0\\n.target sm_70\\n.address_size 64\\n.visible .entry fill() { ret; }");
    cuModuleGetFunction(&function, module, "fill");
    return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0) + 0; // launches
}
"""

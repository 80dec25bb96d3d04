/* A driver that answers in its own way, for what no model does: unknown functions, other addresses, calls that never return. */

#include <stdint.h>
#include <string.h>
#include <unistd.h>

int cuInit(unsigned flags) { return flags ? 1 : 0; }

int cuMemAlloc_v2(unsigned long long *memory, size_t size)
{
    *memory = 0x10000 + size;
    return 0;
}

/* What cuGetProcAddress finds has another address than what is exported. */
static int other_allocation(unsigned long long *memory, size_t size)
{
    *memory = 0x20000 + size;
    return 0;
}

/* It refuses its arguments before it looks at them. */
int cuMemCreate(void *handle, size_t size, const void *wanted, unsigned long long flags) { return 1; }

int cuModuleGetFunction(void *function, void *module, const char *name) { return 1; }

int cuLaunchKernelEx(const void *config, void *function, void **params, void **extra) { return function == NULL; }

int cuOccupancyMaxActiveClusters(int *clusters, void *function, const void *config)
{
    *clusters = 5;
    return function == NULL;
}

int cuTexObjectCreate(void *object, const void *resource, const void *texture, const void *view) { return 1; }

int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *memory, const void *sizes) { return 1; }

int cuCtxSynchronize(void)
{
    pause();
    return 0;
}

/* No description has this function. */
double cuOfTheFuture(int a, double b, long c, float d, int e, int f, int g, int h, double i, long j, double k, double l, double m, double n, double o)
{
    double reals = 1e10 * k + 1e11 * l + 1e12 * m + 1e13 * n + 1e14 * o;
    return a + 10 * b + 100 * c + 1000 * d + 1e4 * e + 1e5 * f + 1e6 * g + 1e7 * h + 1e8 * i + 1e9 * j + reals;
}

static int nameless(void) { return 7; }

static const uint64_t table[] = {16, 5};

int cuGetExportTable(const void **found, const void *id)
{
    *found = table;
    return *(const char *)id;
}

int cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *status)
{
    void *address = !strcmp(name, "cuMemAlloc") ? (void *)other_allocation
                    : !strcmp(name, "cuInit")   ? (void *)cuInit
                    : !strcmp(name, "cuSecret") ? (void *)nameless
                                                : NULL;
    *found = address;
    *status = address == NULL;
    return address == NULL ? 500 : version < 0 ? (int)flags : 0;
}

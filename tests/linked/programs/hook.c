/* Preloaded: a dlsym that returns its own cuInit, which calls the driver's; or, with NEXT, a cuInit before the driver's. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int function(unsigned);

#ifdef NEXT
int cuInit(unsigned flags)
{
    printf("next %u\n", flags);
    return ((function *)dlsym(RTLD_NEXT, "cuInit"))(flags);
}
#else
static void *system_dlsym(void *library, const char *name)
{
    static void *(*found)(void *, const char *);
    if (found == NULL)
        found = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return found(library, name);
}

static int hooked(unsigned flags)
{
    printf("hook %u\n", flags);
    return ((function *)system_dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuInit"))(flags);
}

void *dlsym(void *library, const char *name) { return strcmp(name, "cuInit") ? system_dlsym(library, name) : (void *)hooked; }
#endif

/* What the loader says of the driver's library: each line is the same without the recording library. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const char *name_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void say_error(const char *when)
{
    const char *text = dlerror();
    printf("%s: %s\n", when, text ? name_of(text) : "no error");
}

static void say_place(const char *what, void *address)
{
    Dl_info found = {0};
    int is_found = dladdr(address, &found);
    printf("%s: %d %s %s %d\n", what, is_found, name_of(found.dli_fname), found.dli_sname, found.dli_saddr == address);
}

int main(void)
{
    int status;
    void *found = NULL;
    say_error("at the begin");
    printf("loaded: %d\n", dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) != NULL);
    say_error("not loaded");
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *again = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    say_error("loaded");
    printf("the same: %d\n", library && library == again);
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
    int (*search)(const char *, void **, int, unsigned long long, int *) = (void *)dlsym(library, "cuGetProcAddress_v2");
    say_error("found");
    printf("missing: %p\n", dlsym(library, "cuNoSuch"));
    say_error("missing");
    say_error("once");
    printf("local: %d %d\n", dlsym(RTLD_DEFAULT, "cuInit") != NULL, dlsym(RTLD_NEXT, "cuInit") != NULL);
    say_error("local");
    say_place("cuInit", (void *)init);
    printf("calls: %d %d\n", init(0), init(2));
    search("cuInit", &found, 12000, 0, &status);
    printf("searched: %d\n", found == (void *)init);
    say_place("searched", found);
    printf("closed: %d %d\n", dlclose(library), dlclose(again));
    say_error("closed");
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    printf("global: %d\n", dlsym(RTLD_DEFAULT, "cuInit") == dlsym(library, "cuInit"));
    return init(2);
}

/* What a simulated machine has found of this process. Include it in C or C++; python -m fakecuda config prints the option
   that finds it. On a real driver, and before the first call of the driver, nothing was found. */

#ifndef FAKECUDA_H
#define FAKECUDA_H

#include <dlfcn.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    FAKECUDA_FINDINGS = 1, /* undefined behaviour */
    FAKECUDA_LEAKS = 2,    /* what this process holds */
    FAKECUDA_ERRORS = 4    /* refused calls; they are counted from the first request on */
};

/* Return what was found of this process and its children since the last request for it, as text.

   what: FAKECUDA_FINDINGS, FAKECUDA_LEAKS and FAKECUDA_ERRORS, combined by |.
   The text is empty if nothing was found. It stays valid until the thread's next request. */
static inline const char *fakecuda_report(unsigned what)
{
    const char *(*report)(unsigned) = 0;
    void *client = dlopen("libfakecuda-client.so", RTLD_NOW | RTLD_NOLOAD);
    if (client != 0) {
        *(void **)&report = dlsym(client, "fakecuda_client_report");
        dlclose(client);
    }
    return report != 0 ? report(what) : "";
}

#ifdef __cplusplus
}
#endif

#endif

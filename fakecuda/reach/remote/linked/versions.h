/* Versions of glibc's functions that glibc 2.17 has, so that a built client also runs with an older glibc than its builder's. */

#if defined(__GLIBC__) && defined(__x86_64__)
#define FIRST "GLIBC_2.2.5"
#define FIRST_OF_DLADDR1 "GLIBC_2.3.3"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define FIRST "GLIBC_2.17"
#define FIRST_OF_DLADDR1 FIRST
#endif

#ifdef FIRST
#define IN_VERSION(name, version) __asm__(".symver " #name ", " #name "@" version);
IN_VERSION(dladdr1, FIRST_OF_DLADDR1)
IN_VERSION(dlclose, FIRST)
IN_VERSION(dlopen, FIRST)
IN_VERSION(dlsym, FIRST)
IN_VERSION(pthread_create, FIRST)
IN_VERSION(pthread_detach, FIRST)
IN_VERSION(pthread_key_create, FIRST)
IN_VERSION(pthread_setspecific, FIRST)
IN_VERSION(pthread_sigmask, FIRST)
#endif

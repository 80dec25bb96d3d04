/* Code that shows the name of a failed launch's code before it returns, as extensions of Python do. */
#include <string.h>

int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuGetErrorName(int, const char **);
int cuGetErrorString(int, const char **);

int right;

void launch_and_name(void *function)
{
    const char *name = "none", *text = "none";
    int code = cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0);
    cuGetErrorName(code, &name);
    cuGetErrorString(code, &text);
    right = !strcmp(name, "CUDA_ERROR_UNKNOWN") && !strcmp(text, "unknown error");
}

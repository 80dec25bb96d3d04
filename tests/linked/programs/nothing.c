/* Calls where there is no machine. */
#include "cuda.h"

int main(void)
{
    int count;
    EXPECT(100, cuInit(0));
    EXPECT(3, cuDeviceGetCount(&count));
    return 0;
}

/* Call again when the machine has ended. */
#include "cuda.h"

int main(void)
{
    char text[64];
    int count;
    EXPECT(0, cuInit(0));
    printf("ready\n");
    fflush(stdout);
    CHECK(fgets(text, sizeof text, stdin) != NULL);
    printf("%d\n", cuDeviceGetCount(&count));
    EXPECT(100, cuInit(0));
    return 0;
}

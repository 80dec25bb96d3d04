/* Code that is linked, and loaded from where it lies: as a cubin, and in a fatbin. */
#include "cuda.h"

static const char *TEXT = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 5;\n.visible .entry empty() { ret; }\n";

static void loaded(const void *image)
{
    void *module, *function;
    CUdeviceptr place;
    size_t size;
    unsigned value = 0;
    EXPECT(0, cuModuleLoadData(&module, image));
    EXPECT(0, cuModuleGetFunction(&function, module, "empty"));
    EXPECT(0, cuModuleGetGlobal_v2(&place, &size, module, "counter"));
    CHECK(size == sizeof value);
    EXPECT(0, cuMemcpyDtoH_v2(&value, place, size));
    CHECK(value == 5);
    EXPECT(0, cuModuleUnload(module));
}

int main(void)
{
    void *context, *state, *image;
    size_t size;
    static char fatbin[1 << 16];
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuLinkCreate_v2(0, NULL, NULL, &state));
    EXPECT(0, cuLinkAddData_v2(state, 1, TEXT, strlen(TEXT) + 1, "text", 0, NULL, NULL));
    EXPECT(0, cuLinkComplete(state, &image, &size));
    CHECK(!memcmp(image, "\177ELF", 4) && size < sizeof fatbin - 80);
    loaded(TEXT);
    loaded(image);
    *(unsigned *)fatbin = 0xBA55ED50, fatbin[4] = 1, fatbin[6] = 16, *(size_t *)(fatbin + 8) = 64 + size;
    fatbin[16] = 2, fatbin[20] = 64, *(size_t *)(fatbin + 24) = size, fatbin[44] = 90;
    memcpy(fatbin + 80, image, size);
    EXPECT(0, cuLinkDestroy(state));
    loaded(fatbin);
    EXPECT(0, cuLinkCreate_v2(0, NULL, NULL, &state));
    EXPECT(209, cuLinkAddData_v2(state, 0, fatbin + 80, size, "cubin", 0, NULL, NULL)); /* linked already; cut, it is 200 */
    EXPECT(209, cuLinkComplete(state, &image, NULL));
    EXPECT(0, cuLinkDestroy(state));
    puts("linked");
    return 0;
}

/* A kernel that prints, between the program's own texts. */
#include "cuda.h"

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
    ".global .align 1 .b8 said[8] = {107, 101, 114, 110, 101, 108, 10, 0};\n"
    ".visible .entry say() { .reg .b64 %d<3>; .param .b64 f; .param .b64 a; .param .b32 r;\n"
    "mov.u64 %d1, said; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0; st.param.b64 [f], %d1; st.param.b64 [a], %d2;\n"
    "call (r), vprintf, (f, a); ret; }\n";

int main(void)
{
    void *context, *module, *function;
    printf("before\n");
    EXPECT(0, cuInit(0));
    EXPECT(0, cuDevicePrimaryCtxRetain(&context, 0));
    EXPECT(0, cuCtxSetCurrent(context));
    EXPECT(0, cuModuleLoadData(&module, text));
    EXPECT(0, cuModuleGetFunction(&function, module, "say"));
    EXPECT(0, cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(0, cuCtxSynchronize());
    printf("after\n");
    return 0;
}

// Tests in GoogleTest with a listener: each of them does what its name says.
#include <cstddef>
#include <cstdlib>

#include <fakecuda/gtest.h>

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(unsigned long long *, size_t);
int cuMemFree_v2(unsigned long long);
int cuMemcpyHtoD_v2(unsigned long long, const void *, size_t);
}

static unsigned long long memory, before;

TEST(Driver, IsClean)
{
    EXPECT_EQ(0, cuMemAlloc_v2(&memory, 64));
    EXPECT_EQ(0, cuMemFree_v2(memory));
}

TEST(Driver, Leaks) { EXPECT_EQ(0, cuMemAlloc_v2(&memory, 64)); }

TEST(Driver, FreesWhatAnotherHasLeaked) { EXPECT_EQ(0, cuMemFree_v2(memory)); }

TEST(Driver, ReadsUnknownMemory) { cuMemcpyHtoD_v2(before, (void *)16, 8); }

TEST(Driver, IsRefused) { EXPECT_EQ(0, cuMemAlloc_v2(&memory, 0)); }

TEST(Driver, ExpectsARefusal) { EXPECT_EQ(1, cuMemAlloc_v2(&memory, 0)); }

int main(int count, char **arguments)
{
    void *context;
    testing::InitGoogleTest(&count, arguments);
    testing::UnitTest::GetInstance()->listeners().Append(count > 1 ? new fakecuda::Listener(atoi(arguments[1])) : new fakecuda::Listener);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuMemAlloc_v2(&before, 64))
        return 2;
    return RUN_ALL_TESTS();
}

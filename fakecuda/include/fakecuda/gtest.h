/* A GoogleTest listener that fails a test with what a simulated machine has found of it: undefined behaviour and leaks. */

#ifndef FAKECUDA_GTEST_H
#define FAKECUDA_GTEST_H

#include <iostream>

#include <fakecuda.h>
#include <gtest/gtest.h>

namespace fakecuda {

/* Fails each test with undefined behaviour, and each that leaves objects of the driver behind.

   What exists when a test starts is not its own: SetUpTestSuite may make objects for all tests of a suite. The refused calls of a
   test that has failed are printed. Append a listener before RUN_ALL_TESTS:

       testing::UnitTest::GetInstance()->listeners().Append(new fakecuda::Listener); */
class Listener : public ::testing::EmptyTestEventListener {
public:
    /* what: FAKECUDA_FINDINGS, FAKECUDA_LEAKS and FAKECUDA_ERRORS, combined by |. These fail a test. */
    explicit Listener(unsigned what = FAKECUDA_FINDINGS | FAKECUDA_LEAKS) : what_(what) {}

    void OnTestStart(const ::testing::TestInfo &) override { fakecuda_report(FAKECUDA_LEAKS | FAKECUDA_ERRORS); }

    void OnTestEnd(const ::testing::TestInfo &info) override
    {
        const char *found = fakecuda_report(what_);
        if (*found)
            ADD_FAILURE() << found;
        if (info.result()->Failed() && *(found = fakecuda_report(FAKECUDA_ERRORS)))
            std::cout << "fakecuda: " << found << std::endl;
    }

private:
    unsigned what_;
};

}

#endif

// The part of GoogleTest's interface that the listener and its test use, for systems without GoogleTest. It is not GoogleTest.
#pragma once

#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace testing {

class TestResult {
public:
    bool Failed() const { return failed; }
    bool failed = false;
};

class TestInfo {
public:
    const TestResult *result() const { return &outcome; }
    std::string name;
    void (*body)();
    TestResult outcome;
};

class TestEventListener {
public:
    virtual ~TestEventListener() {}
    virtual void OnTestStart(const TestInfo &) = 0;
    virtual void OnTestEnd(const TestInfo &) = 0;
};

class EmptyTestEventListener : public TestEventListener {
public:
    void OnTestStart(const TestInfo &) override {}
    void OnTestEnd(const TestInfo &) override {}
};

class TestEventListeners {
public:
    void Append(TestEventListener *listener) { all.emplace_back(listener); }
    std::vector<std::unique_ptr<TestEventListener>> all;
};

class UnitTest {
public:
    static UnitTest *GetInstance()
    {
        static UnitTest one;
        return &one;
    }
    TestEventListeners &listeners() { return appended; }
    int Run()
    {
        int failed = 0;
        for (TestInfo &test : tests) {
            current = &test;
            for (auto &one : appended.all)
                one->OnTestStart(test);
            test.body();
            for (auto &one : appended.all)
                one->OnTestEnd(test);
            std::cout << (test.outcome.failed ? "[  FAILED  ] " : "[       OK ] ") << test.name << " (0 ms)" << std::endl;
            failed |= test.outcome.failed;
        }
        return failed;
    }
    TestEventListeners appended;
    std::vector<TestInfo> tests;
    TestInfo *current = nullptr;
};

struct Failure {
    std::ostringstream text;
    ~Failure()
    {
        std::cout << "Failed\n" << text.str() << std::endl;
        UnitTest::GetInstance()->current->outcome.failed = true;
    }
};

inline void InitGoogleTest(int *, char **) {}

}

#define ADD_FAILURE() testing::Failure().text
#define EXPECT_EQ(left, right) \
    if (!((left) == (right))) \
    ADD_FAILURE() << #left << " and " << #right
#define TEST(suite, name) \
    static void suite##_##name(); \
    static bool suite##_##name##_added = \
        (testing::UnitTest::GetInstance()->tests.push_back({#suite "." #name, suite##_##name, {}}), true); \
    static void suite##_##name()
#define RUN_ALL_TESTS() testing::UnitTest::GetInstance()->Run()

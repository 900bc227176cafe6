#include "xylem/base/process.h"

#include <gtest/gtest.h>

#include "xylem/base/error.h"

namespace xylem {
namespace {

TEST(Process, CapturesOutputAndExitCode) {
  ProcessResult result = run_process({"sh", "-c", "echo $WORD; exit 3"},
                                     {.capture_output = true, .env = {"WORD=hello"}});
  EXPECT_EQ(result.output, "hello\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.reason(), "exit code 3");
  EXPECT_FALSE(result.ok());
}

TEST(Process, TellsTheSignal) {
  ProcessResult result = run_process({"sh", "-c", "kill -ABRT $$"});
  EXPECT_EQ(result.signal, 6);
  EXPECT_EQ(result.reason(), "signal 6 (Aborted)");
}

TEST(Process, AnUnknownProgramIsAnError) {
  try {
    run_process({"no-such-program-xylem"});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kNotFound);
    EXPECT_STREQ(e.what(), "cannot run no-such-program-xylem: No such file or directory");
  }
}

}  // namespace
}  // namespace xylem

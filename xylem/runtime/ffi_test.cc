#include <xla/ffi/api/ffi.h>

#include <atomic>

#include "xylem/runtime/executable.h"
#include "xylem/runtime/ffi_registry.h"
#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

namespace ffi = xla::ffi;

ffi::Error scale(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y, float factor) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = factor * x.typed_data()[i];
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    scale_handler, scale,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<float>(
        "factor"));

// Writes one element of a cache, as decoding does, and reports whether the cache was in place.
std::atomic<int> copies{0};
std::atomic<const void*> last_address{nullptr};

ffi::Error append(ffi::Buffer<ffi::F32> cache, ffi::ResultBuffer<ffi::F32> out, int64_t position) {
  last_address = out->untyped_data();
  if (out->untyped_data() != cache.untyped_data()) {
    ++copies;
    std::copy_n(cache.typed_data(), cache.element_count(), out->typed_data());
  }
  out->typed_data()[position] = static_cast<float>(position);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER(
    append_handler, append,
    ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<int64_t>(
        "position"));

ffi::Error refuse(ffi::Buffer<ffi::F32>, ffi::ResultBuffer<ffi::F32>) {
  return ffi::Error::InvalidArgument("this kernel always refuses");
}
XLA_FFI_DEFINE_HANDLER(refuse_handler, refuse,
                       ffi::Ffi::Bind().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// A handler that says it was built for a far newer FFI.
XLA_FFI_Error* futuristic_handler(XLA_FFI_CallFrame* frame) {
  auto* extension = reinterpret_cast<XLA_FFI_Metadata_Extension*>(frame->extension_start);
  if (extension != nullptr) extension->metadata->api_version.minor_version = 99;
  return nullptr;
}

class FfiTest : public PluginTest {
 protected:
  static std::shared_ptr<Client> client() {
    static bool added = false;
    if (!std::exchange(added, true)) {
      add_ffi_handler("test.scale", scale_handler);
      add_ffi_handler("test.append", append_handler);
      add_ffi_handler("test.refuse", refuse_handler);
    }
    register_ffi_handlers(Plugin::load(GetParam()));  // the shared client may be older
    return PluginTest::client();
  }
};

std::string call(const std::string& target, const std::string& argument, const std::string& config,
                 const std::string& extra = "") {
  return "stablehlo.custom_call @" + target + "(" + argument +
         ") {api_version = 4 : i32, backend_config = {" + config + "}" + extra +
         "} : (tensor<4xf32>) -> tensor<4xf32>\n";
}

TEST_P(FfiTest, HandlersRun) {
  auto program =
      client()->compile(main_program("%a: tensor<4xf32>", "tensor<4xf32>",
                                     "    %0 = " + call("test.scale", "%a", "factor = 2.5 : f32") +
                                         "    return %0 : tensor<4xf32>\n"),
                        {}, false);
  Buffers results = program->execute(std::vector{upload(client(), {1, 2, 3, 4})});
  EXPECT_EQ(download(*results[0]), (std::vector<float>{2.5f, 5, 7.5f, 10}));
}

TEST_P(FfiTest, SerialisedProgramsFindTheirHandlers) {
  auto program =
      client()->compile(main_program("%a: tensor<4xf32>", "tensor<4xf32>",
                                     "    %0 = " + call("test.scale", "%a", "factor = 3.0 : f32") +
                                         "    return %0 : tensor<4xf32>\n"),
                        {}, false);
  auto again = client()->deserialize(program->serialize());
  Buffers results = again->execute(std::vector{upload(client(), {1, 2, 3, 4})});
  EXPECT_EQ(download(*results[0])[3], 12.0f);
}

TEST_P(FfiTest, AliasedCallsKeepADonatedBufferInPlace) {
  std::string alias =
      ", output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], "
      "operand_index = 0, operand_tuple_indices = []>]";
  std::string body, value = "%a";
  for (int i = 0; i < 4; ++i) {
    std::string next = "%" + std::to_string(i);
    body += "    " + next + " = " +
            call("test.append", value, "position = " + std::to_string(i) + " : i64", alias);
    value = next;
  }
  auto program = client()->compile(
      main_program("%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}", "tensor<4xf32>",
                   body + "    return " + value + " : tensor<4xf32>\n"),
      {}, false);
  auto cache = upload(client(), {9, 9, 9, 9});
  cache->ready().wait();
  const void* address = cache->unsafe_pointer();
  copies = 0;
  cache = program->execute(std::vector{cache})[0];
  EXPECT_EQ(download(*cache), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(copies, 0);
  EXPECT_EQ(last_address, address);
  EXPECT_EQ(cache->unsafe_pointer(), address);
}

TEST_P(FfiTest, AHandlersErrorReachesTheCaller) {
  auto program = client()->compile(
      main_program("%a: tensor<4xf32>", "tensor<4xf32>",
                   "    %0 = " + call("test.refuse", "%a", "") + "    return %0 : tensor<4xf32>\n"),
      {}, false);
  auto x = upload(client(), {1, 2, 3, 4});
  Error through_result = error_of([&] { program->execute(std::vector{x})[0]->ready().wait(); });
  EXPECT_TRUE(contains(through_result.what(), "this kernel always refuses"));
  EXPECT_EQ(through_result.code(), ErrorCode::kInvalidArgument);
  Error through_event = error_of([&] {
    Future done;
    Buffers results = program->execute(std::vector{x}, {}, &done);
    done.wait();
  });
  EXPECT_TRUE(contains(through_event.what(), "this kernel always refuses"));
  Error through_copy = error_of([&] { download(*program->execute(std::vector{x})[0]); });
  EXPECT_TRUE(contains(through_copy.what(), "this kernel always refuses"));
}

TEST_P(FfiTest, NamesAreUnique) {
  client();
  EXPECT_TRUE(contains(error_of([] { add_ffi_handler("test.scale", scale_handler); }).what(),
                       "test.scale is registered twice"));
}

TEST_P(FfiTest, AHandlerForANewerFfiIsRefusedWithWords) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        add_ffi_handler("test.future", futuristic_handler);
        try {
          Client::create(Plugin::load(GetParam()), {});
        } catch (const Error& error) {
          fmt::print(stderr, "{}\n", error.what());
          std::_Exit(error.code() == ErrorCode::kUnimplemented ? 3 : 4);
        }
        std::_Exit(0);
      },
      ::testing::ExitedWithCode(3),
      "the kernel test.future was built for FFI 0.99, but the plugin");
}

XYLEM_FOR_EACH_PLUGIN(FfiTest);

}  // namespace
}  // namespace xylem::runtime

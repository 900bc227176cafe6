#include "xylem/models/llama.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "xylem/base/error.h"
#include "xylem/core/ops.h"
#include "xylem/models/rope_config.h"

namespace xylem::models {
namespace {

struct LlamaConfig {
  std::string name;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_hidden_layers = 0;
  int64_t num_attention_heads = 0;
  int64_t num_key_value_heads = 0;
  int64_t head_dim = 0;
  int64_t vocab_size = 0;
  int64_t max_position_embeddings = 0;
  int64_t sliding_window = 0;  // 0: none
  float rms_norm_eps = 0;
  bool tie_word_embeddings = false;
  nn::RopeConfig rope;
  std::vector<bool> rope_layers;  // empty: every layer rotates
};

struct LlamaLayer {
  nn::RmsNorm input_layernorm;
  nn::Linear qkv_proj;
  nn::Linear o_proj;
  nn::RmsNorm post_attention_layernorm;
  nn::GatedMlp mlp;
  XYLEM_FIELDS(input_layernorm, qkv_proj, o_proj, post_attention_layernorm, mlp)
};

struct LlamaTree {
  nn::Embedding embed_tokens;
  std::vector<LlamaLayer> layers;
  nn::RmsNorm norm;
  nn::Linear lm_head;
  kernels::RopeTables rope;
  XYLEM_FIELDS(embed_tokens, layers, norm, lm_head, rope)
};

class LlamaModel : public ModelBase<LlamaModel> {
 public:
  LlamaModel(LlamaConfig config, LlamaTree weights)
      : ModelBase(describe(config)), tree(std::move(weights)), config_(std::move(config)) {}

  Array forward(const Array& tokens, const Array&, nn::AttentionContext& context) const override {
    Array x = tree.embed_tokens(tokens);
    for (size_t i = 0; i < tree.layers.size(); ++i) {
      const LlamaLayer& layer = tree.layers[i];
      std::optional<kernels::RopeTables> rope;
      if (config_.rope_layers.empty() || config_.rope_layers[i]) rope = tree.rope;
      Array attended =
          context.attend(attention_spec(i), layer.qkv_proj.pieces(layer.input_layernorm(x)), rope);
      x = layer.o_proj(attended, x);
      x = layer.mlp(layer.post_attention_layernorm(x), x);
    }
    return tree.norm(x);
  }

  Array logits(const Array& hidden) const override { return tree.lm_head(hidden); }

  LlamaTree tree;

 private:
  static ModelInfo describe(const LlamaConfig& c) {
    return {"llama",    c.name,        c.num_hidden_layers, c.num_key_value_heads,
            c.head_dim, c.hidden_size, c.vocab_size,        c.max_position_embeddings};
  }

  kernels::AttentionSpec attention_spec(size_t layer) const {
    kernels::AttentionSpec spec;
    spec.layer = static_cast<int64_t>(layer);
    spec.heads = config_.num_attention_heads;
    spec.kv_heads = config_.num_key_value_heads;
    spec.head_dim = config_.head_dim;
    spec.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(config_.head_dim)));
    spec.sliding_window = config_.sliding_window;
    return spec;
  }

  LlamaConfig config_;
};

// How the tensors of a layer are called in either kind of file.
struct Names {
  bool gguf;
  std::string layer(int64_t i, const char* hf, const char* gg) const {
    return gguf ? fmt::format("blk.{}.{}.weight", i, gg)
                : fmt::format("model.layers.{}.{}.weight", i, hf);
  }
  const char* top(const char* hf, const char* gg) const { return gguf ? gg : hf; }
};

// GGUF files of this family hold the rows of q and k re-ordered so that a rotation turns
// neighbours; ours (Hugging Face's) turns halves. Row i of a head's first half is row 2i there.
std::vector<int32_t> unpermuted_rows(int64_t heads, int64_t head_dim) {
  std::vector<int32_t> order;
  for (int64_t head = 0; head < heads; ++head) {
    for (int64_t half = 0; half < 2; ++half) {
      for (int64_t i = 0; i < head_dim / 2; ++i) {
        order.push_back(static_cast<int32_t>(head * head_dim + 2 * i + half));
      }
    }
  }
  return order;
}

LlamaLayer load_layer(const LlamaConfig& c, const Names& names, int64_t i, WeightLoader& loader) {
  LlamaLayer layer;
  int64_t q_rows = c.num_attention_heads * c.head_dim, kv_rows = c.num_key_value_heads * c.head_dim;
  std::vector<int32_t> q_order, k_order;
  if (names.gguf) {
    q_order = unpermuted_rows(c.num_attention_heads, c.head_dim);
    k_order = unpermuted_rows(c.num_key_value_heads, c.head_dim);
  }
  layer.input_layernorm =
      loader.norm(names.layer(i, "input_layernorm", "attn_norm"), c.hidden_size, c.rms_norm_eps);
  layer.qkv_proj = loader.linear({{names.layer(i, "self_attn.q_proj", "attn_q"), q_rows, q_order},
                                  {names.layer(i, "self_attn.k_proj", "attn_k"), kv_rows, k_order},
                                  {names.layer(i, "self_attn.v_proj", "attn_v"), kv_rows}},
                                 c.hidden_size);
  layer.o_proj =
      loader.linear({{names.layer(i, "self_attn.o_proj", "attn_output"), c.hidden_size}}, q_rows);
  layer.post_attention_layernorm = loader.norm(
      names.layer(i, "post_attention_layernorm", "ffn_norm"), c.hidden_size, c.rms_norm_eps);
  layer.mlp = loader.gated_mlp(
      names.layer(i, "mlp.gate_proj", "ffn_gate"), names.layer(i, "mlp.up_proj", "ffn_up"),
      names.layer(i, "mlp.down_proj", "ffn_down"), c.hidden_size, c.intermediate_size);
  return layer;
}

std::shared_ptr<const Model> load(const LlamaConfig& c, const Names& names, WeightLoader& loader) {
  LlamaTree tree;
  std::string embedding = names.top("model.embed_tokens.weight", "token_embd.weight");
  std::string head = names.top("lm_head.weight", "output.weight");
  tree.embed_tokens = loader.embedding(embedding, c.vocab_size, c.hidden_size);
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
    tree.layers.push_back(load_layer(c, names, i, loader));
  }
  tree.norm = loader.norm(names.top("model.norm.weight", "output_norm.weight"), c.hidden_size,
                          c.rms_norm_eps);
  if (c.tie_word_embeddings) {
    tree.lm_head.parts = {tree.embed_tokens.table};
    tree.lm_head.precision = loader.options().precision;
  } else {
    tree.lm_head = loader.linear({{head, c.vocab_size}}, c.hidden_size);
  }
  LlamaConfig served = c;
  if (loader.options().max_positions > 0) {
    served.max_position_embeddings =
        std::min(c.max_position_embeddings, loader.options().max_positions);
  }
  tree.rope = nn::rope_tables(c.rope, served.max_position_embeddings);
  return std::make_shared<LlamaModel>(std::move(served), std::move(tree));
}

constexpr io::HfConfig::Range kSize = {1, 1 << 24};

void check_heads(const LlamaConfig& c, const std::string& file) {
  if (c.num_attention_heads % c.num_key_value_heads != 0 || c.head_dim % 8 != 0) {
    fail(ErrorCode::kInvalidArgument,
         "{}: {} attention heads of size {} over {} key-value heads; expected a multiple, and a "
         "size that is a multiple of 8",
         file, c.num_attention_heads, c.head_dim, c.num_key_value_heads);
  }
}

std::shared_ptr<const Model> from_hf(const io::HfConfig& config, WeightLoader& loader) {
  LlamaConfig c;
  std::string type = config.string_key("model_type");
  c.name = config.string_key_or("_name_or_path", type);
  c.hidden_size = config.int_key("hidden_size", kSize);
  c.intermediate_size = config.int_key("intermediate_size", kSize);
  c.num_hidden_layers = config.int_key("num_hidden_layers", {1, 4096});
  c.num_attention_heads = config.int_key("num_attention_heads", {1, 65536});
  c.num_key_value_heads =
      config.int_key_or("num_key_value_heads", c.num_attention_heads, {1, 65536});
  c.head_dim = config.int_key_or("head_dim", c.hidden_size / c.num_attention_heads, {8, 4096});
  c.vocab_size = config.int_key("vocab_size", kSize);
  c.max_position_embeddings = config.int_key_or("max_position_embeddings", 2048, kSize);
  c.rms_norm_eps = static_cast<float>(config.float_key_or("rms_norm_eps", 1e-6));
  // transformers' defaults: SmolLM3 ties its embeddings, the others do not.
  c.tie_word_embeddings = config.bool_key_or("tie_word_embeddings", type == "smollm3");
  bool windowed = type == "mistral" || config.bool_key_or("use_sliding_window", false);
  if (windowed) c.sliding_window = config.int_key_or("sliding_window", 0, {0, 1 << 30});
  c.rope = rope_from_hf(config, c.head_dim, c.max_position_embeddings,
                        type == "smollm3" ? 2000000.0 : 10000.0);
  if (type == "smollm3") {
    int64_t interval = config.int_key_or("no_rope_layer_interval", 4, {1, 4096});
    for (int64_t i = 0; i < c.num_hidden_layers; ++i) {
      c.rope_layers.push_back((i + 1) % interval != 0);
    }
    if (config.has("no_rope_layers")) {
      std::vector<int64_t> flags = config.ints_key("no_rope_layers", {0, 1});
      if (static_cast<int64_t>(flags.size()) != c.num_hidden_layers) {
        fail(ErrorCode::kInvalidArgument, "{}: no_rope_layers has {} entries for {} layers",
             config.name(), flags.size(), c.num_hidden_layers);
      }
      // The key's name notwithstanding, 1 means that the layer rotates.
      c.rope_layers.assign(flags.begin(), flags.end());
    }
  }
  check_heads(c, config.name());
  return load(c, {false}, loader);
}

std::shared_ptr<const Model> from_gguf(const io::GgufFile& file, WeightLoader& loader) {
  std::string arch(file.get_string("general.architecture"));
  auto key = [&](const char* name) { return arch + "." + name; };
  auto size = [&](const std::string& name, int64_t value) {
    if (value < 1 || value > kSize.most) {
      fail(ErrorCode::kInvalidArgument, "{}: {} is {}, expected 1 to {}", file.name(), name, value,
           kSize.most);
    }
    return value;
  };
  auto required = [&](const char* name) { return size(key(name), file.get_i64(key(name))); };
  LlamaConfig c;
  c.name = std::string(file.get_string("general.name", arch));
  c.hidden_size = required("embedding_length");
  c.intermediate_size = required("feed_forward_length");
  c.num_hidden_layers = required("block_count");
  c.num_attention_heads = required("attention.head_count");
  c.num_key_value_heads = size(key("attention.head_count_kv"),
                               file.get_i64(key("attention.head_count_kv"), c.num_attention_heads));
  c.head_dim =
      size(key("attention.key_length"),
           file.get_i64(key("attention.key_length"), c.hidden_size / c.num_attention_heads));
  c.vocab_size = loader.source().tensor("token_embd.weight").shape[0];
  c.max_position_embeddings = required("context_length");
  c.rms_norm_eps = file.get_f32(key("attention.layer_norm_rms_epsilon"));
  c.tie_word_embeddings = !loader.has("output.weight");
  c.sliding_window = file.get_i64(key("attention.sliding_window"), 0);
  c.rope = rope_from_gguf(file, arch, c.head_dim, c.max_position_embeddings);
  if (arch == "smollm3") {
    for (int64_t i = 0; i < c.num_hidden_layers; ++i) c.rope_layers.push_back((i + 1) % 4 != 0);
  }
  check_heads(c, file.name());
  return load(c, {true}, loader);
}

}  // namespace

Family llama_family() {
  return {"llama", {"llama", "smollm3", "mistral"}, {"llama", "smollm3"}, from_hf, from_gguf};
}

}  // namespace xylem::models

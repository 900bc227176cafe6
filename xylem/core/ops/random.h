// Random numbers from explicit keys: the numbers that jax.random gives for the same key and shape
// (threefry2x32 in JAX's "partitionable" layout, its default). The bits are the same on every
// device and under every sharding.
//
//   Array key = random::key(0);
//   std::vector<Array> keys = split(random::split(key, 2), 2);   // or random::fold_in(key, step)
//   Array noise = random::normal(keys[0], {2, 3});
#pragma once

#include "xylem/core/array.h"

namespace xylem::random {

// A key: uint32(2).
Array key(int64_t seed, Loc loc = Loc::current());
// n fresh keys: uint32(n,2).
Array split(const Array& key, int64_t n = 2, Loc loc = Loc::current());
// A fresh key for a number, which may be computed: an integer scalar, taken modulo 2^32.
Array fold_in(const Array& key, const Array& data, Loc loc = Loc::current());
Array fold_in(const Array& key, int64_t data, Loc loc = Loc::current());

// Random bits in uint8, uint16, uint32 or uint64.
Array bits(const Array& key, const Shape& shape, DType dtype = DType::kU32,
           Loc loc = Loc::current());
// [low, high) in f16, bf16, f32 or f64.
Array uniform(const Array& key, const Shape& shape, DType dtype = DType::kF32, double low = 0,
              double high = 1, Loc loc = Loc::current());
// Mean 0, deviation 1.
Array normal(const Array& key, const Shape& shape, DType dtype = DType::kF32,
             Loc loc = Loc::current());
Array gumbel(const Array& key, const Shape& shape, DType dtype = DType::kF32,
             Loc loc = Loc::current());
// True with probability p.
Array bernoulli(const Array& key, double p, const Shape& shape, Loc loc = Loc::current());
// An index of the last axis of the logits, drawn by softmax(logits), for each row.
Array categorical(const Array& key, const Array& logits, Loc loc = Loc::current());
// Integers of [low, high), int32.
Array randint(const Array& key, const Shape& shape, int32_t low, int32_t high,
              Loc loc = Loc::current());

}  // namespace xylem::random

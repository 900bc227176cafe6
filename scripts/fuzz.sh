#!/usr/bin/env bash
# Runs every fuzz target of build/fuzz for some seconds each and stops with the path of the input
# that broke one.
#
#   scripts/fuzz.sh [SECONDS] [TARGET ...]     60 seconds and all targets by default
#
# Build them first: cmake --preset fuzz && cmake --build --preset fuzz. The corpora stay in
# build/fuzz/corpus; they begin with the files of tests/data that suit the target.
# XYLEM_FUZZ_BIN names another folder that holds the programs.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
case $seconds in
  ''|*[!0-9]*) echo "fuzz: SECONDS is '$seconds', expected a whole number" >&2; exit 2 ;;
esac
bin=${XYLEM_FUZZ_BIN:-build/fuzz/fuzz}
max_bytes=65536

# add_seeds TARGET FOLDER: copies the committed files that such a target reads.
add_seeds() {
  local pattern
  case $1 in
    gguf_fuzz) pattern='*.gguf' ;;
    safetensors_fuzz) pattern='*.safetensors' ;;
    template_fuzz) pattern='*.jinja' ;;
    tokenizer_fuzz) python3 scripts/tokenizer_seeds.py "$2"; return ;;
    *) pattern='*.json' ;;
  esac
  find tests/data -type f -name "$pattern" -size -"$((max_bytes / 1024 + 1))"k | while read -r file; do
    cp --no-preserve=mode "$file" "$2/seed-$(echo "$file" | tr / -)"
  done
}

targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then
  for source in fuzz/*_fuzz.cc; do targets+=("$(basename "$source" .cc)"); done
fi
for target in "${targets[@]}"; do
  program=$bin/$target
  if [ ! -x "$program" ]; then
    echo "fuzz: $program is not built: cmake --preset fuzz && cmake --build --preset fuzz" >&2
    exit 2
  fi
  corpus=build/fuzz/corpus/$target
  findings=build/fuzz/findings/$target
  mkdir -p "$corpus" "$findings"
  add_seeds "$target" "$corpus"
  dictionary=()
  [ -f "fuzz/$target.dict" ] && dictionary=(-dict="fuzz/$target.dict")
  echo "fuzz: $target for $seconds s"
  if ! "$program" "${dictionary[@]}" -max_total_time="$seconds" -max_len=$max_bytes -timeout=10 \
      -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$findings/" "$corpus" \
      >"$findings/log" 2>&1; then
    tail -n 40 "$findings/log" >&2
    echo "fuzz: $target failed; the input is $(ls -t "$findings"/*-* 2>/dev/null | head -1)" >&2
    exit 1
  fi
  grep -E 'number_of_executed_units|peak_rss' "$findings/log" || true
done

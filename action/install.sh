#!/usr/bin/env bash
# Puts `cyclescope` and `cargo-cyclescope` of this version where later steps find them.
#
#   install.sh prebuilt   from ARCHIVE (a file or a URL), or else from the release that the action was taken from
#   install.sh compile    from the sources of the action, unless an earlier run has left what it compiled
#
# Says in GITHUB_OUTPUT whether it found the programs, where they are, and by which key a cache keeps them.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$top/Cargo.toml" | head -n 1)
folder=${CYCLESCOPE_HOME:-$HOME/.cache/cyclescope}/$version

# The target whose archive of a release runs here.
target() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64) echo x86_64-unknown-linux-musl ;;
    Linux-aarch64) echo aarch64-unknown-linux-musl ;;
    Darwin-arm64) echo aarch64-apple-darwin ;;
    MINGW*-x86_64 | MSYS*-x86_64) echo x86_64-pc-windows-msvc ;;
  esac
}

# The archive of the release at which the action was pinned. A branch or a commit has none: its sources may be others.
released() {
  local path=${GITHUB_ACTION_PATH:-$top} ref rest
  path=${path//\\//}
  case $path in */_actions/*/*/*) rest=${path##*/_actions/} ;; *) return 0 ;; esac
  ref=${rest#*/*/}
  case "v$version." in "$ref".*) ;; *) return 0 ;; esac
  [ -n "$(target)" ] || return 0
  echo "${GITHUB_SERVER_URL:-https://github.com}/${rest%"/$ref"}/releases/download/v$version/cyclescope-$version-$(target).tar.gz"
}

# Unpacks an archive or a wheel into the folder.
unpack() {
  local from=$1 work
  work=$(mktemp -d)
  case $from in
    http://* | https://* | file://*) curl -fsSL --retry 3 -o "$work/${from##*/}" "$from" || return 1; from=$work/${from##*/} ;;
  esac
  mkdir -p "$work/out" "$folder/bin"
  case $from in
    *.whl) python3 -m zipfile -e "$from" "$work/out" ;;
    *) tar -C "$work/out" -xzf "$from" ;;
  esac || return 1
  find "$work/out" -type f \( -name 'cyclescope*' -o -name 'cargo-cyclescope*' \) -exec cp {} "$folder/bin" \;
  chmod +x "$folder"/bin/*
  rm -rf "$work"
}

# Whether the folder has programs of this version that run here.
works() {
  [ "$("$folder/bin/cyclescope" --version 2>/dev/null)" = "cyclescope $version" ]
}

say() { echo "$1" >>"${GITHUB_OUTPUT:-/dev/stdout}"; }

case $1 in
  prebuilt)
    from=${ARCHIVE:-$(released)}
    if [ -n "$from" ] && unpack "$from" && works; then
      say found=true
      echo "$folder/bin" >>"$GITHUB_PATH"
    elif [ -n "${ARCHIVE:-}" ]; then
      echo "::error::$ARCHIVE has no cyclescope $version that runs here" >&2
      exit 1
    else
      sum=$(find "$top" -path "$top/target" -prune -o \( -name '*.rs' -o -name 'Cargo.*' \) -print0 | LC_ALL=C sort -z | xargs -0 cat | cksum)
      say found=false
      say "folder=$folder"
      say "key=cyclescope-$version-$(uname -s)-$(uname -m)-${sum%% *}"
    fi
    ;;
  compile)
    works || cargo install --locked --force --path "$top/measure/cli" --root "$folder"
    echo "$folder/bin" >>"$GITHUB_PATH"
    ;;
esac

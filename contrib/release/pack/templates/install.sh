#!/bin/sh
# Installs kukla @VERSION@ for the current user: downloads the tarball of this machine's architecture, compares its checksum, and puts the binary,
# manual pages and completions below ~/.local.
#
#   curl -fsSL @DOWNLOADS@/install.sh | sh
#
# KUKLA_PREFIX: another place than ~/.local. KUKLA_DOWNLOADS: another place to download from. KUKLA_PUBLIC_KEY: a minisign key to verify the
# signature of the checksums with.
set -eu

prefix=${KUKLA_PREFIX:-$HOME/.local}
downloads=${KUKLA_DOWNLOADS:-@DOWNLOADS@}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}
[ "$(uname -s)" = Linux ] || fail "there is no binary for $(uname -s) yet; build it from source"
machine=$(uname -m)
case $machine in
  x86_64 | aarch64) ;;
  arm64) machine=aarch64 ;;
  *) fail "there is no binary for $machine; build it from source" ;;
esac
name=kukla-@VERSION@-$machine-unknown-linux-gnu
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

get() {
  if command -v curl > /dev/null; then curl -fsSL -o "$room/$1" "$downloads/$1"
  elif command -v wget > /dev/null; then wget -q -O "$room/$1" "$downloads/$1"
  else fail 'curl or wget is required'; fi || fail "cannot download $downloads/$1"
}
get "$name.tar.gz"
get SHA256SUMS
if [ -n "${KUKLA_PUBLIC_KEY:-}" ]; then
  get SHA256SUMS.minisig
  minisign -V -q -p "$KUKLA_PUBLIC_KEY" -m "$room/SHA256SUMS" || fail 'the signature of the checksums is wrong'
fi
(cd "$room" && grep " $name.tar.gz\$" SHA256SUMS > wanted && sha256sum -c wanted > /dev/null 2>&1) || fail "the checksum of $name.tar.gz is wrong"

tar -xzf "$room/$name.tar.gz" -C "$room"
mkdir -p "$prefix/bin" "$prefix/share/man/man1" "$prefix/share/bash-completion/completions"
# Under another name first, so that a kukla that runs is replaced and not changed.
cp "$room/$name/kukla" "$prefix/bin/.kukla.new"
chmod 755 "$prefix/bin/.kukla.new"
mv "$prefix/bin/.kukla.new" "$prefix/bin/kukla"
cp "$room/$name/kukla-ci" "$prefix/bin/kukla-ci"
cp "$room/$name"/man/*.1 "$prefix/share/man/man1/"
cp "$room/$name/completions/kukla.bash" "$prefix/share/bash-completion/completions/kukla"
"$prefix/bin/kukla" --version
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "Add $prefix/bin to your PATH to run it as 'kukla'." ;;
esac

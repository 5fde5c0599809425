#!/bin/sh
# Puts into a folder what Node needs of a system and nothing else: the program, its shared libraries and their loader, names for
# the user that it runs as, and a place for temporary files. No shell, no package manager, nothing to be patched for its own sake.
# usage: system.sh FOLDER
set -eu
into=$1
node=$(command -v node)
mkdir -p "$into/usr/local/bin" "$into/etc" "$into/tmp"
cp -L "$node" "$into/usr/local/bin/node"
chmod 1777 "$into/tmp"
# Names after "=>", and the loader, which stands alone.
ldd "$node" | sed -n 's/.*=> \(\/[^ ]*\).*/\1/p; s/^[[:space:]]*\(\/[^ ]*\).*/\1/p' | sort -u | while read -r library; do
  mkdir -p "$into$(dirname "$library")"
  cp -L "$library" "$into$library"
done
echo "nobody:x:65532:65532:nobody:/:/none" >"$into/etc/passwd"
echo "nobody:x:65532:" >"$into/etc/group"
echo "hosts: files dns" >"$into/etc/nsswitch.conf"

#!/usr/bin/env bash
# make-base.sh TAG SOURCES: builds a replacement for debian:bookworm-slim from Debian's packages, for machines that cannot
# reach a container registry. SOURCES is an apt sources.list; an empty one means Debian's own servers.
set -euo pipefail
tag=$1
sources=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# If it is empty, the argument is omitted.
mirror=$([ -s "$sources" ] && echo "$sources" || true)

# Like Debian's slim images: no manuals, no translations, no package lists.
mmdebstrap --quiet --variant=minbase --mode=root --format=tar \
  --dpkgopt='path-exclude=/usr/share/man/*' \
  --dpkgopt='path-exclude=/usr/share/info/*' \
  --dpkgopt='path-exclude=/usr/share/locale/*' \
  --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --aptopt='Acquire::Languages "none"' \
  --customize-hook='printf "#!/bin/sh\nexit 101\n" > "$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"' \
  bookworm "$work/base.tar" ${mirror:+"$mirror"}

container=$(buildah from scratch)
trap 'rm -rf "$work"; buildah rm "$container" > /dev/null' EXIT
buildah add --quiet "$container" "$work/base.tar" / > /dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$container"
buildah commit --quiet "$container" "$tag" > /dev/null

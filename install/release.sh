#!/bin/sh
# Pack a release for this machine: reproducible, with its sha256 in the installer that goes with it.
#
#   sh install/release.sh OUT [--quick]
#
# Writes OUT/ah-VERSION-SYSTEM-MACHINE.tar.gz and OUT/install.sh. An OUT/install.sh of the same version, from another
# machine, keeps its pins and gets this one's beside them. The same tree and tools give the same bytes. Needs cargo and
# GNU tar. Exit 0 when done, 1 when not, 64 on wrong usage, 69 when something is missing, 73 when OUT cannot be written.
set -eu

die() {
	echo "release.sh: $2" >&2
	exit "$1"
}

find_tar() {
	for tar in tar gtar; do
		if "$tar" --version 2>/dev/null | grep -q 'GNU tar'; then return; fi
	done
	die 69 'GNU tar is needed: others cannot order names and drop owners'
}

# pack FOLDER FILE: names in order, no owner, one time for all; gzip without a name or time of its own.
pack() {
	"$tar" -C "$1" --sort=name --format=ustar --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --mode='u+rw,go+r,go-w' \
		-cf "$2.tar" bin lib share || return 1
	gzip -9 -n <"$2.tar" >"$2" && rm -f "$2.tar"
}

# Puts NAME with its sha256 into the installer, in the order of names.
pin() {
	from=$source/install/install.sh
	[ ! -f "$out/install.sh" ] || sed -n "/^# BEGIN PINS/,/^# END PINS/s/^\(PINS='\)\{0,1\}\([0-9a-f]\{64\}  .*[^']\)'\{0,1\}\$/\2/p" "$out/install.sh" >"$work/pins"
	touch "$work/pins"
	{
		grep -e "  ah-$version-" "$work/pins" | grep -v -e "  $1\$" || :
		printf '%s  %s\n' "$(sum <"$out/$1")" "$1"
	} | LC_ALL=C sort -k 2 >"$work/all"
	awk -v pins="$work/all" '
		/^# BEGIN PINS/ { print; inside = 1; printf "PINS='\''"; sep = ""; while ((getline line < pins) > 0) { printf "%s%s", sep, line; sep = "\n" }; print "'\''"; next }
		/^# END PINS/ { inside = 0 }
		!inside { print }' "$from" >"$work/install.sh"
	chmod 755 "$work/install.sh"
	mv -f "$work/install.sh" "$out/install.sh" || die 73 "cannot write $out/install.sh"
}

sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum | cut -d ' ' -f 1
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 | cut -d ' ' -f 1
	else
		openssl dgst -sha256 -r | cut -d ' ' -f 1
	fi
}

main() {
	source=$(cd "$(dirname "$0")/.." && pwd)
	out='' quick=''
	for word; do
		case $word in
		--quick) quick=--quick ;;
		-*) sed -n '4p' "$0" >&2 && exit 64 ;;
		*) [ -z "$out" ] || exit 64; out=$word ;;
		esac
	done
	[ -n "$out" ] || { sed -n '4s/^# *//p' "$0" >&2; exit 64; }
	find_tar
	mkdir -p "$out" || die 73 "cannot make $out"
	out=$(cd "$out" && pwd)
	version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$source/Cargo.toml" | sed 1q)
	epoch=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct 2>/dev/null || echo 0)}
	work=$out/.work.$$
	mkdir "$work" || die 73 "cannot write to $out"
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM HUP
	# A release is what an installation puts into an empty place.
	sh "$source/install/install.sh" --prefix "$work/tree" ${quick:+"$quick"} >"$work/log" || die 1 'it could not be built'
	grep -v '^# made ' "$work/tree/lib/ah/installed" >"$work/list"
	cat "$work/list" >"$work/tree/lib/ah/installed"
	system=$(uname -s | tr '[:upper:]' '[:lower:]') machine=$(uname -m)
	case $machine in
	amd64) machine=x86_64 ;;
	arm64) machine=aarch64 ;;
	esac
	name=ah-$version-$system-$machine.tar.gz
	pack "$work/tree" "$work/$name" || die 1 "cannot pack $name"
	mv -f "$work/$name" "$out/$name" || die 73 "cannot write $out/$name"
	pin "$name"
	printf '%s  %s\n' "$(sum <"$out/$name")" "$out/$name"
}

main "$@"

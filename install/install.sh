#!/bin/sh
# Install ah, from a release or built from this source tree; try it; take it out again.
#
#   sh install.sh [--prefix DIR] [--from DIR|URL]   put programs, manual and completions below DIR (default ~/.local)
#   sh install.sh --try                             play the guard in a temporary folder; nothing outside is changed
#   sh install.sh --uninstall [--purge]             unregister the hooks and remove what was installed
#
# Exit 0 when done (or all went as expected), 1 when not, 64 on wrong usage, 65 when something is not what it should be,
# 66 when something to work on is not there, 69 when a tool is missing, 73 when a file cannot be put in its place, 75
# while another installation runs (which is waited for, AH_WAIT seconds at most, default 60), 77 when it may not.
set -eu

# What a release holds: sha256, two spaces, name. Written by release.sh; empty in the source tree.
# BEGIN PINS
PINS=''
# END PINS

usage() {
	cat <<'EOF'
usage: sh install.sh [--prefix DIR] [--from DIR|URL] [--dry-run] [--quick] [--dynamic]
       sh install.sh --try [--mine] [--from DIR|URL]
       sh install.sh --uninstall [--purge] [--prefix DIR] [--dry-run]

  --prefix DIR   install below DIR: bin, share/man, completions (default: ~/.local).
                 No hook is registered and no shell file changed: see ah-bootstrap.
  --from PLACE   install the release in this folder, or at this URL (https), instead
                 of building it; its sha256 must be the one in this script. Proxies
                 are taken from the environment, a CA file from SSL_CERT_FILE.
  --dry-run      say what would be done
  --quick        build faster; the programs are larger and a little slower
  --dynamic      link the system's C library as usual. Without it the programs that
                 use no network stand alone where that works, and start faster.
  --try          play the guard in a temporary folder: a real repository, real losses,
                 nothing else touched. The folder is removed at the end.
  --mine         with --try: also play your own past sessions, and say what would have
                 been stopped; nothing is run and nothing written
  --uninstall    unregister the hooks, then remove what was installed
  --purge        with --uninstall: also drop snapshots, records and lessons
  --help         this text
EOF
}

wrong() {
	usage >&2
	exit 64
}

die() {
	echo "install.sh: $2" >&2
	exit "$1"
}

have() { command -v "$1" >/dev/null 2>&1; }

# ---- digests

# The first of three tools that is here; without one nothing can be verified, so nothing is installed.
find_digest() {
	if have sha256sum; then
		digest_tool=sha256sum
	elif have shasum; then
		digest_tool=shasum
	elif have openssl; then
		digest_tool=openssl
	else
		die 69 'no tool for sha256 is here: sha256sum, shasum or openssl is needed'
	fi
}

# digest FILE: its sha256 in hex.
digest() {
	case $digest_tool in
	sha256sum) sum=$(sha256sum <"$1") ;;
	shasum) sum=$(shasum -a 256 <"$1") ;;
	openssl) sum=$(openssl dgst -sha256 -r <"$1") ;;
	esac
	sum=${sum%% *}
	case $sum in
	*[!0-9a-f]*) die 69 "$digest_tool does not work" ;;
	esac
	[ ${#sum} -eq 64 ] || die 69 "$digest_tool does not work"
	printf '%s\n' "$sum"
}

# ---- building

# built FILE ARG...: cargo makes FILE; what it says is shown as it goes on a terminal, else only when it fails.
built() {
	file=$1
	shift
	have cargo || die 69 'cargo is missing; get it from https://rustup.rs, or say --from with a release'
	if [ -t 2 ]; then
		cargo_build "$@" || return 1
	else
		log=$(cargo_build "$@" 2>&1) || return 1
	fi
	[ -x "$file" ]
}

cargo_build() {
	(cd "$source" && cargo build --locked "$@")
}

failed() {
	[ -z "${log-}" ] || printf '%s\n' "$log" >&2
	die 1 "cargo could not build $1"
}

# The programs and the features that each needs, one a line: `ah-judge net`.
bins() {
	awk -F'"' '
		/^\[/ { if (name != "") print name, features; name = features = ""; bin = $0 == "[[bin]]" }
		bin && /^name *=/ { name = $2 }
		bin && /^required-features *=/ { for (i = 2; i <= NF; i += 2) features = features (features == "" ? "" : ",") $i }
		END { if (name != "") print name, features }' "$source/Cargo.toml"
}

# One cargo run for the programs that need the same features: what one needs must not weigh on another.
build_release() {
	bins >"$stage/bins"
	[ -s "$stage/bins" ] || die 65 "no programs in $source/Cargo.toml"
	host=$(cargo -vV 2>/dev/null | sed -n 's/^host: //p')
	profile=release
	[ -z "$quick" ] || profile=try
	# What was built before must not show in what is built now.
	CARGO_INCREMENTAL=0
	export CARGO_INCREMENTAL
	# No program says where it was built. Flags are parted by a character that no path has.
	unit=$(printf '\037')
	remap="--remap-path-prefix=$source=ah$unit--remap-path-prefix=${CARGO_HOME:-${HOME-}/.cargo}=cargo"
	awk '{ print ($2 == "" ? "-" : $2) }' "$stage/bins" | LC_ALL=C sort -u >"$stage/groups"
	: >"$stage/built"
	while read -r features; do
		awk -v wanted="$features" '($2 == "" ? "-" : $2) == wanted { print $1 }' "$stage/bins" >"$stage/names"
		set --
		while read -r name; do set -- "$@" --bin "$name"; done <"$stage/names"
		[ "$features" = - ] || set -- "$@" --features "$features"
		first=$(sed 1q "$stage/names")
		echo "building $(awk '{ printf "%s%s", sep, $0; sep = ", " }' "$stage/names") with cargo"
		if stands_alone "$features" "$first" "$@"; then
			folder=$source/target/alone/$host/$profile how='stands alone'
		else
			folder=$source/target/$profile how="needs this system's C library"
			CARGO_ENCODED_RUSTFLAGS=$remap
			export CARGO_ENCODED_RUSTFLAGS
			built "$folder/$first" --profile "$profile" --no-default-features --target-dir "$source/target" "$@" || failed "$first"
			unset CARGO_ENCODED_RUSTFLAGS
		fi
		while read -r name; do echo "$name $how|$folder/$name" >>"$stage/built"; done <"$stage/names"
	done <"$stage/groups"
}

# Without a loader a program starts in three quarters of the time. What asks for addresses of hosts cannot be linked so
# with glibc, which looks for its own libraries then.
stands_alone() {
	case $1:$host in
	*net*:*-linux-musl*) ;;
	*net*) return 1 ;;
	*:*-linux-*) ;;
	*) return 1 ;;
	esac
	[ -z "$dynamic" ] || return 1
	program=$source/target/alone/$host/$profile/$2
	shift 2
	# A target is named so that what runs while building (build.rs, proc macros) is built as usual.
	(
		CARGO_ENCODED_RUSTFLAGS="$remap$unit-Ctarget-feature=+crt-static$unit-Crelocation-model=static"
		export CARGO_ENCODED_RUSTFLAGS
		built "$program" --profile "$profile" --no-default-features --target "$host" --target-dir "$source/target/alone" "$@"
	) && runs "$program"
}

runs() { "$1" --version >/dev/null 2>&1; }

# What was built, laid out as it is to be installed.
lay_out_build() {
	tree=$stage/tree
	mkdir "$tree"
	while IFS='|' read -r name file; do
		put "$file" 755 "$tree/bin/${name%% *}"
	done <"$stage/built"
	for page in "$source"/man/*.[1-8]; do
		put "$page" 644 "$tree/share/man/man${page##*.}/${page##*/}"
	done
	for program in "$tree"/bin/*; do
		name=${program##*/}
		completions "$program" bash "share/bash-completion/completions/$name"
		completions "$program" fish "share/fish/vendor_completions.d/$name.fish"
		completions "$program" zsh "share/zsh/site-functions/_$name"
	done
}

completions() {
	"$1" --completions "$2" >"$stage/completion" 2>/dev/null || die 1 "${1##*/} --completions $2 failed"
	put "$stage/completion" 644 "$tree/$3"
}

# put FILE MODE PLACE: below the stage, with its folders.
put() {
	{ mkdir -p "${3%/*}" && cp "$1" "$3" && chmod "$2" "$3"; } || die 73 "cannot write $3"
}

# ---- releases

# The name that a release for this machine ends with.
this_target() {
	system=$(uname -s) machine=$(uname -m)
	case $machine in
	amd64) machine=x86_64 ;;
	arm64) machine=aarch64 ;;
	esac
	case $system in
	Darwin) system=darwin ;;
	Linux) system=linux ;;
	*) die 69 "no release for $system; build it: install/install.sh in the source tree" ;;
	esac
	echo "$system-$machine"
}

# The name and digest of the release for this machine, as $name and $pin.
find_release() {
	target=$(this_target)
	line=$(printf '%s\n' "$PINS" | grep -e "-$target\.tar\.gz\$" | sed 1q) || :
	[ -n "$line" ] || die 65 "this script knows no release for $target; use the install.sh that belongs to the release"
	pin=${line%% *} name=${line#*  }
}

# Puts the release for this machine, verified, into $stage/tree.
lay_out_release() {
	for tool in gzip tar; do have "$tool" || die 69 "$tool is missing"; done
	find_release
	archive=$stage/$name
	case $from in
	https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) fetch "${from%/}/$name" "$archive" ;;
	*://*) die 64 "--from: only https: $from" ;;
	*)
		[ -f "$from/$name" ] || die 66 "not in $from: $name"
		cp "$from/$name" "$archive" || die 73 "cannot copy $name"
		;;
	esac
	[ "$(digest "$archive")" = "$pin" ] || die 65 "$name is not the release that this script was made for: its sha256 is another"
	tree=$stage/tree
	mkdir "$tree"
	# The pin vouches for the archive; that nothing lands outside costs one look more.
	gzip -dc "$archive" >"$stage/release.tar" 2>/dev/null || die 65 "$name cannot be unpacked"
	tar -tf "$stage/release.tar" >"$stage/there" || die 65 "$name cannot be unpacked"
	if grep -q -e '^/' -e '^\.\.$' -e '^\.\./' -e '/\.\./' -e '/\.\.$' "$stage/there"; then
		die 65 "$name has files that belong elsewhere"
	fi
	(cd "$tree" && tar -xf "$stage/release.tar") || die 73 "cannot unpack $name"
	rm -f "$archive" "$stage/release.tar"
	verify_tree
}

# fetch URL FILE
fetch() {
	if have curl; then
		if [ -n "${SSL_CERT_FILE-}" ]; then
			curl -fsSL --retry 2 --connect-timeout 20 --cacert "$SSL_CERT_FILE" -o "$2" "$1" && return
		else
			curl -fsSL --retry 2 --connect-timeout 20 -o "$2" "$1" && return
		fi
	elif have wget; then
		if [ -n "${SSL_CERT_FILE-}" ]; then
			wget -q --ca-certificate="$SSL_CERT_FILE" -O "$2" "$1" && return
		else
			wget -q -O "$2" "$1" && return
		fi
	else
		die 69 'curl or wget is needed for a URL; or fetch the release yourself and say --from DIR'
	fi
	die 69 "cannot fetch $1 (behind a proxy? HTTPS_PROXY; a CA of its own? SSL_CERT_FILE; else --from DIR)"
}

# Each file of the release is the one that its list names, and the list names each.
verify_tree() {
	list=$tree/lib/ah/installed
	[ -f "$list" ] || die 65 'the release has no list of its files'
	find_files
	files_of "$list" | LC_ALL=C sort >"$stage/listed"
	cmp -s "$stage/there" "$stage/listed" || die 65 'the release has other files than its list names'
	while read -r name; do
		[ "$(digest "$tree/$name")" = "$(listed_digest "$list" "$name")" ] || die 65 "not as listed: $name"
	done <"$stage/listed"
}

# ---- the list of installed files: sha256, two spaces, path from the prefix; and `# made FOLDER`

files_of() { sed -n 's/^[0-9a-f]\{64\}  //p' "$1"; }
folders_of() { sed -n 's/^# made //p' "$1"; }
listed_digest() { awk -v name="$2" 'substr($0, 67) == name { print substr($0, 1, 64); exit }' "$1"; }
find_files() { (cd "$tree" && find . ! -type d ! -path ./lib/ah/installed) | sed 's|^\./||' | LC_ALL=C sort >"$stage/there"; }

write_list() {
	mkdir -p "$tree/lib/ah"
	find_files
	while read -r name; do
		printf '%s  %s\n' "$(digest "$tree/$name")" "$name"
	done <"$stage/there" >"$tree/lib/ah/installed"
	chmod 644 "$tree/lib/ah/installed"
}

# ---- putting it in place

place_prefix() {
	if [ -z "$prefix" ]; then
		[ -n "${HOME-}" ] || die 64 'HOME is not set; say --prefix DIR'
		prefix=$HOME/.local
		# shellcheck disable=SC2012
		owner=$(ls -ldn "$HOME" 2>/dev/null | awk '{ print $3 }')
		[ "$owner" = "$(id -u)" ] || die 77 "HOME is $HOME, which belongs to somebody else (sudo?); say --prefix DIR"
	fi
	case $prefix in
	/*) ;;
	*) prefix=$PWD/$prefix ;;
	esac
	prefix=${prefix%/}
}

# A folder of its own in the destination: what is put in place from there is renamed, and nothing runs in /tmp.
open_stage() {
	made=
	folder=$prefix
	while [ ! -d "$folder" ]; do
		made="$made$folder
"
		folder=${folder%/*}
		[ -n "$folder" ] || folder=/
	done
	mkdir -p "$prefix" 2>/dev/null || die 73 "cannot make $prefix (read-only, or somebody else's?); say --prefix DIR"
	[ -w "$prefix" ] || die 73 "cannot write to $prefix (read-only, or somebody else's?); say --prefix DIR"
	take_lock
	heal
	stage=$prefix/.ah-install.$$
	mkdir "$stage" || die 73 "cannot make $stage"
	printf '%s' "$made" >"$stage/folders"
}

# One installation at a time; a lock whose owner is dead is nobody's.
take_lock() {
	lock=$prefix/.ah-install.lock
	tries=0
	while ! (set -C && echo $$ >"$lock") 2>/dev/null; do
		holder=$(cat "$lock" 2>/dev/null || :)
		if [ -n "$holder" ] && ! kill -0 "$holder" 2>/dev/null; then
			# Of two that see a dead owner, one gets to rename it.
			! mv "$lock" "$lock.$$" 2>/dev/null || rm -f "$lock.$$"
			continue
		fi
		tries=$((tries + 1))
		[ "$tries" -le "${AH_WAIT:-60}" ] || die 75 "another installation runs here (process ${holder:-unknown}); if not: rm $lock"
		sleep 1
	done
	trap 'close_stage' EXIT
	trap 'exit 130' INT TERM HUP
}

# What was made for nothing goes again.
close_stage() {
	[ -z "${stage-}" ] || rm -rf "$stage"
	rm -f "$lock"
	printf '%s\n' "${made-}" | while read -r folder; do rmdir "$folder" 2>/dev/null || :; done
}

# What a run left that was killed: finished where all of it had been verified, else taken away.
heal() {
	for old in "$prefix"/.ah-install.[0-9]*; do
		[ -d "$old" ] || continue
		process=${old##*.}
		[ "$process" = $$ ] || ! kill -0 "$process" 2>/dev/null || continue
		if [ -f "$old/ready" ]; then
			echo 'finishing an installation that was cut short'
			stage=$old tree=$old/tree
			settle
			stage=
		fi
		[ ! -f "$old/leaving" ] || [ -f "$prefix/lib/ah/installed" ] || {
			stage=$old
			leave_folders
			stage=
		}
		rm -rf "$old"
	done
	for old in "$prefix"/.ah-install.lock.[0-9]*; do
		[ ! -f "$old" ] || kill -0 "${old##*.}" 2>/dev/null || rm -f "$old"
	done
}

# From `ready` on a run that is cut short is finished by the next.
commit() {
	for program in "$tree"/bin/*; do
		# What is written in large pieces is mapped in large pieces: hooks start in a fifth less time until the system
		# lets go of the file.
		{ cp -p "$program" "$stage/copy" && mv -f "$stage/copy" "$program"; } || die 73 "cannot write to $prefix"
		runs "$program" || die 1 "${program##*/} does not run from $prefix; is that mounted noexec, or the release for another machine?"
	done
	flush "$tree"
	: >"$stage/ready"
	flush "$stage/ready"
	settle
}

# On the disk before it is renamed: sync(1) of some systems takes no names.
flush() { find "$1" -type f -exec sync {} + 2>/dev/null || sync; }

# Puts each file in its place, the list last, and removes what only the former list names. It can be done again from
# wherever it was cut short.
settle() {
	list=$prefix/lib/ah/installed
	fresh=$tree/lib/ah/installed
	[ -f "$fresh" ] || return 0
	[ ! -f "$list" ] || folders_of "$list" >>"$stage/folders"
	files_of "$fresh" >"$stage/names"
	while read -r name; do
		make_folder "${name%/*}"
		[ ! -e "$tree/$name" ] || mv -f "$tree/$name" "$prefix/$name" || die 73 "cannot put $prefix/$name in its place"
	done <"$stage/names"
	make_folder lib/ah
	if [ -f "$list" ]; then
		files_of "$list" >"$stage/former"
		while read -r name; do
			[ -n "$(listed_digest "$fresh" "$name")" ] || remove_as_listed "$name"
		done <"$stage/former"
	fi
	{
		cat "$fresh"
		LC_ALL=C sort -u "$stage/folders" | sed 's/^/# made /'
	} >"$stage/list"
	chmod 644 "$stage/list"
	flush "$stage/list"
	mv -f "$stage/list" "$list"
}

# make_folder FOLDER: below the prefix; each that is new is noted first.
make_folder() {
	[ ! -d "$prefix/$1" ] || return 0
	case $1 in
	*/*) make_folder "${1%/*}" ;;
	esac
	echo "$1" >>"$stage/folders"
	mkdir "$prefix/$1" || die 73 "cannot make $prefix/$1"
}

# remove_as_listed NAME: a file that somebody changed since stays, and is named.
remove_as_listed() {
	[ -e "$prefix/$1" ] || return 0
	if [ "$(digest "$prefix/$1")" = "$(listed_digest "$list" "$1")" ]; then
		rm -f "$prefix/$1"
	else
		echo "left, because it is not as it was installed: $prefix/$1"
	fi
}

install_all() {
	find_digest
	place_prefix
	if [ -n "$dry" ]; then
		dry_run
		return
	fi
	open_stage
	if [ -n "$from" ]; then
		lay_out_release
	else
		in_source || die 64 'this is no source tree: say --from with a release'
		build_release
		lay_out_build
		write_list
	fi
	commit
	made=
	files_of "$prefix/lib/ah/installed" >"$stage/names"
	sed -n 's|^bin/||p' "$stage/names" >"$stage/programs"
	while read -r name; do
		how=
		[ ! -f "$stage/built" ] || how=$(sed -n "s/^$name \(.*\)|.*/, \1/p" "$stage/built")
		echo "$prefix/bin/$name  $("$prefix/bin/$name" --version)$how"
	done <"$stage/programs"
	echo "$prefix/share/man  $(grep -c '^share/man/' "$stage/names") pages"
	case ":$PATH:" in
	*":$prefix/bin:"*) ;;
	*)
		echo 'not on your PATH; this line in the file of your shell puts it there:'
		echo "  export PATH=\"$prefix/bin:\$PATH\""
		;;
	esac
	[ ! -x "$prefix/bin/ah-bootstrap" ] ||
		echo 'Now register the guard in your agents: ah-bootstrap shows what it would write, ah-bootstrap --apply writes it.'
}

in_source() { [ -f "$source/Cargo.toml" ] && [ -d "$source/bins" ]; }

dry_run() {
	if [ -n "$from" ]; then
		find_release
		echo "would take $name from $from, sha256 $pin"
	else
		in_source || die 64 'this is no source tree: say --from with a release'
		echo "would build with cargo: $(bins | awk '{ printf "%s%s", sep, $1; sep = ", " }')"
	fi
	echo "would put below $prefix: bin, share/man, completions for bash, fish and zsh, lib/ah/installed"
	[ ! -f "$prefix/lib/ah/installed" ] || echo "would replace what $prefix/lib/ah/installed lists"
	echo 'Nothing was changed.'
}

# ---- taking it out

uninstall() {
	find_digest
	place_prefix
	list=$prefix/lib/ah/installed
	if [ ! -f "$list" ]; then
		set -- "$prefix"/.ah-install.*
		[ -e "$1" ] || die 66 "nothing is installed below $prefix: no $list"
		take_lock
		heal
		echo "removed from $prefix what a run left that was cut short"
		return
	fi
	bootstrap=$prefix/bin/ah-bootstrap
	if [ -n "$dry" ]; then
		[ ! -x "$bootstrap" ] || "$bootstrap" --remove || :
		files_of "$list" | while read -r name; do echo "would remove $prefix/$name"; done
		echo 'Nothing was changed.'
		return
	fi
	# First what would otherwise lead nowhere.
	if [ -x "$bootstrap" ]; then
		set -- --remove --apply --yes
		[ -z "$purge" ] || set -- "$@" --purge
		"$bootstrap" "$@" || die 1 'the hooks could not be taken out, so the programs stay: see above'
	fi
	take_lock
	heal
	stage=$prefix/.ah-install.$$
	mkdir "$stage"
	folders_of "$list" | LC_ALL=C sort -r >"$stage/folders"
	# The programs last, then the list: until then a run that is cut short can be done again.
	files_of "$list" | sed '/^bin\//d' >"$stage/names"
	files_of "$list" | sed -n '/^bin\//p' >>"$stage/names"
	while read -r name; do remove_as_listed "$name"; done <"$stage/names"
	: >"$stage/leaving"
	rm -f "$list"
	leave_folders
	close_stage
	echo "removed from $prefix"
}

# The folders that were made for it go, if nothing else is in them; the prefix itself once the stage is closed.
leave_folders() {
	made=$(sed "/^\//!s|^|$(printf '%s' "$prefix" | sed 's/[\\&|]/\\&/g')/|" "$stage/folders")
	printf '%s\n' "$made" | while read -r folder; do rmdir "$folder" 2>/dev/null || :; done
}

# ---- trying it

build() {
	have git || die 69 'git is missing'
	if [ -n "$from" ]; then
		find_digest
		stage=$top/stage
		mkdir "$stage"
		lay_out_release
		guard=$tree/bin/ah-git-guard
		runs "$guard" || die 1 "$guard does not run here; is $top mounted noexec? set TMPDIR to another folder"
		return
	fi
	in_source || die 64 'this is no source tree: say --from with a release'
	echo 'building ah-git-guard with cargo; the first time takes a minute or two'
	guard=$source/target/try/ah-git-guard
	built "$guard" --profile try --no-default-features --bin ah-git-guard --target-dir "$source/target" || failed ah-git-guard
}

# A person's repository with a shared origin, and a colleague who pushed meanwhile.
world() {
	work=$top/work
	mkdir "$top/home"
	cat >"$top/home/.gitconfig" <<'EOF'
[user]
	name = You
	email = you@example.test
[init]
	defaultBranch = main
[advice]
	detachedHead = false
EOF
	g init -q --bare "$top/origin.git"
	g clone -q "$top/origin.git" "$work" 2>/dev/null
	printf 'fn main() {\n    println!("hello");\n}\n' >"$work/main.rs"
	g -C "$work" add -A
	g -C "$work" commit -q -m 'Say hello'
	g -C "$work" push -q origin main
}

dirty() {
	for n in 1 2 3 4 5 6 7 8; do
		echo "// thought $n, not saved anywhere" >>"$work/main.rs"
	done
	echo 'what we agreed on in the meeting' >"$work/notes.md"
}

diverge() {
	g clone -q "$top/origin.git" "$top/peer"
	echo '// by a colleague' >>"$top/peer/main.rs"
	g -C "$top/peer" commit -q -a -m 'Work of a colleague'
	g -C "$top/peer" push -q origin main
	g -C "$work" fetch -q
	g -C "$work" stash push -q -u
	g -C "$work" commit -q --allow-empty -m 'Work of yours'
}

# Neither your settings nor your variables decide what is seen here.
clean_env() {
	env -i PATH="$PATH" HOME="$top/home" TMPDIR="$top" LANG=C GIT_CONFIG_NOSYSTEM=1 "$@"
}
g() { clean_env git "$@"; }

escape() { printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g'; }

# The event that Claude Code sends before it runs a shell command; with no command, when a session starts.
event() {
	name=SessionStart tool=
	if [ -n "$1" ]; then
		name=PreToolUse
		tool=$(printf ',"tool_name":"Bash","tool_input":{"command":"%s","description":"Run it"},"tool_use_id":"toolu_01try"' "$(escape "$1")")
	fi
	printf '{"session_id":"9d2c7f6e-try","transcript_path":"%s/none.jsonl","cwd":"%s","permission_mode":"default","hook_event_name":"%s"%s}\n' \
		"$(escape "$top")" "$(escape "$work")" "$name" "$tool"
}

now() { date +%s%N 2>/dev/null; }

# ask COMMAND: what the guard answers to an agent that wants to run COMMAND, as $got.
ask() {
	event "$1" >"$top/event"
	begun=$(now)
	rc=0
	clean_env "$guard" --harness claude <"$top/event" >"$top/answer" 2>"$top/noise" || rc=$?
	ended=$(now)
	if [ "$rc" -ne 0 ] || [ -s "$top/noise" ]; then
		got="broken (exit $rc)"
	elif grep -q '"permissionDecision": *"deny"' "$top/answer"; then
		got=stopped
	elif grep -q '"permissionDecision": *"ask"' "$top/answer"; then
		got='asks you'
	elif [ -s "$top/answer" ]; then
		got='goes on, with a note'
	else
		got=silent
	fi
}

# tell WANT WHO COMMAND SITUATION: one line, and whether $got is what was wanted.
tell() {
	count=$((count + 1))
	note=
	if [ "$got" = "$1" ]; then
		right=$((right + 1))
	else
		note="   NOT as expected: $1"
	fi
	case $begun in
	'' | *[!0-9]*) ;; # no clock finer than a second
	*) [ "$got" != silent ] || note=", $(((ended - begun + 500000) / 1000000)) ms$note" ;;
	esac
	printf '  %-6s %-38s %-30s %s\n' "$2" "$3" "$4" "$got$note"
}

expect() {
	ask "$2"
	tell "$1" agent: "$2" "$3"
}

# What the agent made itself may go, once a snapshot holds it; you bring it back.
own() {
	ask ''
	for command in "printf 'a try\\n' > try.txt" 'rm try.txt'; do
		ask "$command"
		[ "$got" != silent ] || (cd "$work" && clean_env sh -c "$command")
	done
	id=$(clean_env "$guard" snapshots --cwd "$work" | sed -n '1s/ .*//p')
	if [ "$got" = silent ] && [ -n "$id" ]; then
		got="let through, snapshot $id"
	fi
	tell "let through, snapshot ${id:-taken}" agent: 'rm try.txt' 'made by the session'
	clean_env "$guard" undo --yes --cwd "$work" >"$top/undone" 2>&1 || :
	got='not back'
	[ "$(cat "$work/try.txt" 2>/dev/null)" != 'a try' ] || got='back, byte for byte'
	tell 'back, byte for byte' you: 'ah-git-guard undo' 'try.txt'
}

try() {
	top=$(mktemp -d "${TMPDIR:-/tmp}/ah-try.XXXXXX") || die 73 'cannot make a temporary folder'
	top=$(cd "$top" && pwd -P)
	trap 'rm -rf "$top"' EXIT
	trap 'exit 130' INT TERM HUP
	build
	count=0 right=0
	world
	echo "in $top (nothing outside it is touched)"

	expect silent 'git reset --hard' 'clean tree'
	dirty
	lines=$(g -C "$work" diff --numstat | awk '{ n += $1 } END { print n }')
	expect silent 'git status' "1 file, $lines unsaved lines"
	expect stopped 'git reset --hard' "1 file, $lines unsaved lines"
	awk '{ sub(/.*"permissionDecisionReason":"/, ""); sub(/"}}$/, ""); gsub(/\\n/, "\n"); gsub(/\\"/, "\""); print }' "$top/answer" >"$top/shown"
	expect stopped "sh -c 'cd . && git checkout -f main'" "1 file, $lines unsaved lines"
	expect stopped 'rm notes.md' 'never committed'
	own
	expect silent 'git commit -am "Never git reset --hard"' 'only mentions it'
	diverge
	expect stopped 'git push --force' "a colleague's commit on main"

	echo
	echo 'What the agent reads when it is stopped:'
	sed 's/^/  | /' "$top/shown"
	echo
	[ -z "$own_past" ] || mine
	echo "$right of $count as expected"
	[ "$right" -eq "$count" ]
}

# Your own sessions of the past, as events that the guard only judges: it runs nothing and writes nothing.
mine() {
	if [ -n "$from" ]; then
		doctor=$tree/bin/ah-doctor
	else
		echo 'building ah-doctor with cargo'
		doctor=$source/target/try/ah-doctor
		built "$doctor" --profile try --bin ah-doctor --bin ah-git-guard --target-dir "$source/target" || failed ah-doctor
	fi
	[ -x "$doctor" ] || die 69 'this release has no ah-doctor'
	"$doctor" replay
}

main() {
	source=$(cd "$(dirname "$0")/.." && pwd)
	prefix='' dynamic='' trying='' from='' dry='' quick='' removing='' purge='' own_past='' stage=''
	while [ $# -gt 0 ]; do
		case $1 in
		--dry-run) dry=1 ;;
		--dynamic) dynamic=1 ;;
		--from | --prefix)
			[ -n "${2-}" ] || wrong
			case $1 in
			--from) from=$2 ;;
			--prefix) prefix=$2 ;;
			esac
			shift
			;;
		--from=?*) from=${1#*=} ;;
		--mine) own_past=1 ;;
		--prefix=?*) prefix=${1#*=} ;;
		--purge) purge=1 ;;
		--quick) quick=1 ;;
		--try) trying=1 ;;
		--uninstall) removing=1 ;;
		-h | --help) usage && exit 0 ;;
		*) wrong ;;
		esac
		shift
	done
	case $from in
	'' | /* | *://*) ;;
	*) from=$PWD/$from ;;
	esac
	if [ -n "$trying" ]; then
		[ -z "$prefix$dynamic$quick$dry$removing$purge" ] || wrong
		try
		return
	fi
	[ -z "$own_past" ] || wrong
	if [ -n "$removing" ]; then
		[ -z "$dynamic$quick$from" ] || wrong
		uninstall
		return
	fi
	[ -z "$purge" ] || wrong
	install_all
}

main "$@"

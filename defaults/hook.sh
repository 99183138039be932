#!/bin/sh
# ah-bootstrap wrote this; commit it. It runs hooks of ah where ah is installed, and else does nothing.
#
#   .ah/hook PROGRAM[+PROGRAM] HARNESS EVENT < event
#
# Where your own settings run the program at this event already, they do, and this leaves.

find_program() {
	for folder in "${AH_BIN-}" "${HOME-}/.local/bin" "${HOME-}/.cargo/bin" /usr/local/bin /usr/bin; do
		case $folder in
		/*) [ ! -x "$folder/$1" ] || { printf '%s\n' "$folder/$1" && return; } ;;
		esac
	done
	command -v "$1" 2>/dev/null
}

# Only where they mention it at all is it worth a look.
mentioned() {
	case $1 in
	claude) set -- "${CLAUDE_CONFIG_DIR:-${HOME-}/.claude}/settings.json" ;;
	codex) set -- "${CODEX_HOME:-${HOME-}/.codex}/hooks.json" "${CODEX_HOME:-${HOME-}/.codex}/config.toml" ;;
	*) return 1 ;;
	esac
	grep -q -s 'ah-[a-z-]*["'\'' ]' "$@"
}

main() {
	programs=$1 harness=$2 event=$3
	first=${programs%%+*} second=${programs#*+}
	case $first in
	ah-git-guard | ah-judge | ah-mesh | ah-prefilter) ;;
	*) return ;;
	esac
	one=$(find_program "$first") || return
	case $one in
	/*) ;;
	*) return ;;
	esac
	if mentioned "$harness" && bootstrap=$(find_program ah-bootstrap); then
		"$bootstrap" registered "$first" "$harness" "$event" </dev/null >/dev/null 2>&1 && return
	fi
	[ "$second" != "$programs" ] || exec "$one" --harness "$harness"
	two=$(find_program "$second") || return
	"$one" --harness "$harness" --pass | "$two" --harness "$harness"
}

[ $# -ne 3 ] || main "$@"
exit 0

# SPDX-License-Identifier: ISC
# bash completion of assayctl(8).  It completes what --help prints: commands,
# options, and values that --help lists ("a|b|c").
# shellcheck shell=bash

# _assayctl_values NAME: print the words that complete a value of this name.
_assayctl_values() {
	case $1 in
	*'|'*) echo "${1//|/ }" ;;
	EVENT...)
		echo verdict.reached.v1 case.resolved.v1 label.recorded.v1 \
		    alert.anomaly.v1 alert.dead_letter.v1 \
		    alert.drift.v1 alert.rollout.v1 verdict.revised.v1
		;;
	SCOPE) echo decisions labels ;;
	TYPE)
		echo card.authorize card.capture card.refund \
		    payment.authorize wallet.withdraw account.login order.place
		;;
	esac
}

# _assayctl_operand USAGE HELP WORD ...: print the name of the operand that
# follows these words.
_assayctl_operand() {
	local help=$2 names n=0
	read -ra names <<<"$(sed 's/\[[^]]*\]\(\.\.\.\)\{0,1\}//g' <<<"$1")"
	shift 2
	while [[ $# -gt 0 ]]; do
		case $1 in
		-*) grep -q "^  $1 [^ ]" <<<"$help" && shift ;;
		*) ((n++)) ;;
		esac
		shift
	done
	# The last operand may repeat.
	[[ $n -lt ${#names[@]} || ${names[*]} != *... ]] ||
	    n=$((${#names[@]} - 1))
	echo "${names[n]-}"
}

_assayctl() {
	local program=${1/#\~/$HOME} cur=${COMP_WORDS[COMP_CWORD]}
	local prev=${COMP_WORDS[COMP_CWORD - 1]} n=1 value='' words=''
	local commands help usage
	commands=$("$program" --help 2>/dev/null |
	    sed -n 's/^  \([a-z]*\( [a-z-]\{1,\}\)\{0,1\}\)  .*/\1/p')
	# A word may be a command, and also the first word of other commands.
	if grep -qx "${COMP_WORDS[1]} ${COMP_WORDS[2]-}" <<<"$commands" ||
	    ! grep -qx "${COMP_WORDS[1]}" <<<"$commands"; then
		n=2
	fi
	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		words="$(sed 's/ .*//' <<<"$commands") --help --version"
	elif [[ $COMP_CWORD -le $n ]]; then
		words=$(sed -n "s/^${COMP_WORDS[1]} //p" <<<"$commands")
	else
		help=$("$program" "${COMP_WORDS[@]:1:n}" --help 2>/dev/null)
		usage=$(sed -n "1s/^usage: assayctl ${COMP_WORDS[*]:1:n}//p" \
		    <<<"$help")
		[[ $prev != --* ]] || value=$(sed -n \
		    "s/^  $prev \([^ ]\{1,\}\)  .*/\1/p" <<<"$help")
		if [[ -z $value && $cur == -* ]]; then
			words="$(sed -n 's/^  \(--[a-z-]*\).*/\1/p' \
			    <<<"$help") --help"
		else
			[[ -n $value ]] || value=$(_assayctl_operand \
			    "$usage" "$help" \
			    "${COMP_WORDS[@]:n+1:COMP_CWORD-n-1}")
			words=$(_assayctl_values "$value")
			[[ $value != FILE* ]] || compopt -o default
			[[ $value != DIR ]] || compopt -o dirnames
		fi
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur" | sort -u)
}
complete -F _assayctl assayctl

# SPDX-License-Identifier: ISC
# bash completion of assayctl(8).
# shellcheck shell=bash

_assayctl() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words=

	case $prev in
	--scope) words='decisions labels' ;;
	--type)
		words='card.authorize card.capture card.refund
		    payment.authorize wallet.withdraw account.login order.place'
		;;
	--kind) words='block allow watch' ;;
	--subject)
		words='user device fingerprint ip phone bin country'
		;;
	--sql) compopt -o dirnames && return ;;
	esac
	if [[ -z $words && $COMP_CWORD -eq 1 ]]; then
		words='admin key lists migrate replay rules --help --version'
	elif [[ -z $words ]]; then
		case $command in
		admin) words='create --help' ;;
		key)
			words='create list revoke --help'
			[[ ${COMP_WORDS[2]} != create ]] ||
			    words='--scope --expires-in-days --help'
			;;
		lists)
			words='add import remove show --help'
			case ${COMP_WORDS[2]}:$COMP_CWORD in
			add:3 | remove:3)
				words='block allow watch --reason --expires
				    --days --help'
				;;
			add:* | remove:*)
				words='user device fingerprint ip phone bin
				    country --reason --expires --days --help'
				;;
			import:[3-9]*) words='--help' ;;
			show:[3-9]*)
				words='--kind --subject --value --limit
				    --offset --json --help'
				;;
			esac
			;;
		migrate) words='--sql --status --help' ;;
		replay)
			words='--url --key --map --type --currency --id-prefix
			    --offset --limit --jobs --batch --quiet --json
			    --help'
			;;
		rules)
			words='check'
			[[ ${COMP_WORDS[2]} != check ]] ||
			    words='--print --help'
			;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	[[ ${#COMPREPLY[@]} -gt 0 ]] || compopt -o default
}
complete -F _assayctl assayctl

# Completion for bash: commands, their options, sessions after -t. It asks vitrine itself, so it knows
# what the installed program knows.

_vitrine_commands()
{
    vitrine list-commands 2>/dev/null | sed -nE 's/^([a-z-]+) \(([a-z]+)\).*/\1\n\2/p; t; s/^([a-z-]+).*/\1/p'
}

# Options out of a usage line: each letter of [-abc], each --word.
_vitrine_options()
{
    vitrine list-commands "$1" 2>/dev/null | grep -oE '(^|[ [])-{1,2}[A-Za-z-]+' | tr -d ' [' |
        while read -r word; do
            case $word in
            --*) echo "$word" ;;
            *) echo "${word#-}" | grep -o . | sed 's/^/-/' ;;
            esac
        done
}

_vitrine_sessions()
{
    vitrine "$@" list-sessions 2>/dev/null | sed -E 's/: [0-9]+ windows \(.*//'
}

_vitrine()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' i
    local -a where=()

    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        -L | -S) where+=("${COMP_WORDS[i]}" "${COMP_WORDS[++i]}") ;;
        -*) ;;
        *) command=${COMP_WORDS[i]} && break ;;
        esac
    done
    local IFS=$'\n'
    COMPREPLY=()
    if [[ -z $command ]]; then
        case $prev in
        -L) ;;
        -S) compopt -o default 2>/dev/null ;;
        *) COMPREPLY=($(compgen -W "$(_vitrine_commands)"$'\n-h\n-V\n-L\n-S' -- "$cur")) ;;
        esac
    elif [[ $prev == -t || ($prev == -s && $command == detach*) ]]; then
        COMPREPLY=($(compgen -W "$(_vitrine_sessions "${where[@]}")" -- "$cur"))
    elif [[ $prev == -c ]]; then
        COMPREPLY=($(compgen -d -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_vitrine_options "$command")" -- "$cur"))
    elif [[ $command == help || $command == list-commands || $command == lscm ]]; then
        COMPREPLY=($(compgen -W "$(_vitrine_commands)" -- "$cur"))
    else
        compopt -o default 2>/dev/null
    fi
}

complete -F _vitrine vitrine

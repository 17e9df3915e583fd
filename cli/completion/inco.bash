# Completion of inco for bash: commands, options and choices from the program's own help, else files.
_inco() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} choices
    if [ "$COMP_CWORD" -eq 1 ] || [ "$before" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(inco --help | sed -n 's/^  \([a-z]*\)  .*/\1/p') --help --version" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(inco help "$command" 2>/dev/null |
            sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')" -- "$word")
    elif [[ $before == --* ]]; then
        choices=$(inco help "$command" 2>/dev/null | sed -n "s/^  $before \([a-z0-9]*|[a-z0-9|]*\).*/\1/p")
        [ -z "$choices" ] || mapfile -t COMPREPLY < <(compgen -W "${choices//|/ }" -- "$word")
    fi
}
complete -o default -F _inco inco

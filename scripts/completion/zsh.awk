# zsh: one file with a function for each command, which hands its options to _arguments.
function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}
# Text within a specification of _arguments.
function escaped(text) {
    gsub(/[\[\]:]/, "\\\\&", text)
    return text
}
function function_of(command) {
    gsub(/ /, "_", command)
    return command ~ /^brushwork/ ? "_" command : "_brushwork_" command
}
function files(endings) {
    if (endings == "")
        return "_files"
    gsub(/ /, "|", endings)
    return "_files -g \"(#i)*.(" endings ")(-.)\""
}
function action(kind, values) {
    if (kind == "words")
        return "(" values ")"
    if (kind == "files")
        return files(values)
    return kind == "folders" ? "_files -/" : " "
}
# Ends the function of a command.
function end_command(i) {
    if (command == "")
        return
    printf "%s() {\n", function_of(command)
    if (verbs) {
        printf "    local curcontext=$curcontext state line\n"
        printf "    local -a verbs=(%s\n    )\n", verbs
        printf "    _arguments -C '(- *)--help[print help]' '(- *)--version[print the version]' \\\n"
        printf "        '(- *)--man[print the manual page]' \\\n"
        printf "        '1: :->verb' '*:: :->rest'\n"
        printf "    case $state in\n    verb) _describe -t verbs verb verbs ;;\n"
        printf "    rest)\n        case $line[1] in\n%s        esac\n        ;;\n    esac\n", calls
    } else
        printf "    _arguments \\\n%s        %s\n", options, quoted("*:" operand ":" files(endings))
    printf "}\n\n"
}
NR == 1 {
    print "#compdef brushwork q3map2 vbsp vrad vvis"
    print "# zsh completion. Generated from the tables of options by scripts/completions.\n"
}
$1 == "command" {
    end_command()
    command = $2
    verbs = calls = options = operand = endings = ""
}
$1 == "verb" {
    verbs = verbs "\n        " quoted($2 ":" $3)
    calls = calls "        " $2 ") " function_of(command " " $2) " ;;\n"
}
$1 == "option" && $7 != "" {
    spec = "*" $2 ($3 == 1 ? "=" : "") "[" escaped($7) "]"
    split($6, names, " ")
    for (i = 1; i <= $3; i++)
        spec = spec ":" escaped(i in names && $3 > 1 ? names[i] : $6) ":" (i == 1 ? action($4, $5) : " ")
    options = options "        " quoted(spec) " \\\n"
}
$1 == "operand" {
    operand = escaped($2)
    endings = $3
}
END {
    end_command()
    print "case $service in\nbrushwork) _brushwork \"$@\" ;;\n*) _brushwork_$service \"$@\" ;;\nesac"
}

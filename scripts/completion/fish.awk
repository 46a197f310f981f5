# fish: the functions of fish.in, and a line for each option of each verb.
function quoted(text) {
    gsub(/\\/, "\\\\", text)
    gsub(/'/, "\\'", text)
    return "'" text "'"
}
function files(endings) {
    return endings == "" ? "-F" : "-f -a " quoted("(__brushwork_files " endings ")")
}
function value(kind, values) {
    if (kind == "words")
        return " -x -a " quoted(values)
    if (kind == "files")
        return " -r " files(values)
    if (kind == "folders")
        return " -x -a '(__fish_complete_directories (commandline -ct))'"
    return kind == "text" ? " -x" : ""
}
FILENAME != "-" {
    gsub(/@PROGRAM@/, program)
    print
    next
}
FNR == 1 {
    printf "\ncomplete -c %s -f\n", program
}
$1 == "command" {
    verb = $2
    sub(/^[^ ]* ?/, "", verb)
    when = "complete -c " program (verb == "" ? "" : " -n " quoted("__brushwork_verb " verb))
}
$1 == "verb" {
    printf "complete -c %s -n %s -a %s -d %s\n", program, \
        quoted("__brushwork_needs_verb" (verb == "" ? "" : " " verb)), $2, quoted($3)
}
$1 == "option" && $7 != "" {
    name = $2
    sub(/^-+/, "", name)
    form = $2 ~ /^--/ ? "-l" : "-o"
    printf "%s %s %s%s -d %s\n", when, form, name, value($4, $5), quoted($7)
}
$1 == "operand" {
    printf "%s %s\n", when, files($3)
}

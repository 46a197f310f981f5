# bash: the engine of bash.in, and a function with the table of each command.
function quoted(text) {
    gsub(/'/, "'\\''", text)
    return "'" text "'"
}
function end_list() {
    if (open)
        print "        )"
    open = 0
}
FILENAME != "-" { # the engine
    gsub(/@PROGRAM@/, program)
    engine = engine $0 "\n"
    next
}
FNR == 1 {
    printf "%s\n_brushwork_%s_table() {\n    case $1 in\n", engine, program
}
$1 == "command" {
    end_list()
    if (commands++)
        print "        ;;"
    printf "    %s)\n", quoted($2)
}
$1 == "verb" {
    if (!open)
        print "        verbs=("
    open = 1
    print "            " $2
}
$1 == "option" {
    if (!open)
        print "        options=("
    open = 1
    print "            " quoted($2 "|" $3 "|" $4 "|" $5 "|" ($7 != "" ? "shown" : ""))
}
$1 == "operand" {
    end_list()
    printf "        endings=%s\n", quoted($3)
}
END {
    end_list()
    printf "        ;;\n    esac\n}\n\ncomplete -F _brushwork_%s %s\n", program, program
}

# Joins the pages of vbsp, vvis and vrad with the table of Valve's options, the last file.

FNR == 1 {
    program = FILENAME
    gsub(/.*\/|\.md$/, "", program)
    section = ""
}

FILENAME !~ /\.tsv$/ {
    if (/^## /)
        section = substr($0, 4)
    if (!/^\| `-/)
        next
    split($0, cells, / \| /)
    reason = cells[2]
    sub(/ \|$/, "", reason)
    state = section ~ /^Without effect/ ? "noted: " reason : section == "Always so" ? "done: always so, " reason : "done"
    names = cells[1]
    while (match(names, /`-[^` ]*/)) {
        name = tolower(substr(names, RSTART + 1, RLENGTH - 1))
        sub(/^--/, "-", name)
        if (!((program, name) in states))
            states[program, name] = state
        names = substr(names, RSTART + RLENGTH)
    }
    next
}

FNR > 1 && !seen[$1, $2]++ {
    if (!(($1, tolower($2)) in states)) {
        print $1 " does not know " $2 > "/dev/stderr"
        exit 1
    }
    branches = $4
    gsub(/ /, ", ", branches)
    printf "| `%s` | %s | %s | %s |\n", $2, $1, branches, states[$1, tolower($2)]
}

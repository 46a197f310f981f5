# Shared by the jobs.

# Sets map, out (its output without .bsp) and options from a line of a plan, which brushwork build --print-maps
# has written: words quoted for a shell.
take_map() { # LINE
    local words
    eval "words=($1)"
    map=${words[0]} out=${words[1]%.bsp}
    options=("${words[@]:2}")
}

# Sets build_options to those of every build in a job: it goes on from a checkpoint that an earlier run has left,
# and stops with a message before Slurm kills it for its memory. The messages of the stages that a run has
# finished are not repeated when it goes on, so each run has its own SARIF.
set_build_options() { # OUTPUT-WITHOUT-ENDING
    local megabytes=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * ${SLURM_CPUS_PER_TASK:-1}))} # of a process
    # shellcheck disable=SC2206 # words
    build_options=($OPTIONS -o "$1.bsp" --quiet --log "$1.log"
        --diagnostics sarif --diagnostics-file "$1.${SLURM_RESTART_COUNT:-0}.sarif")
    [[ -z ${SLURM_CPUS_PER_TASK:-} ]] || build_options+=(-threads "$SLURM_CPUS_PER_TASK")
    [[ $megabytes -lt 256 ]] || build_options+=(--max-memory "$((megabytes - 100))M")
    ! compgen -G "$(pattern "$1").*checkpoint" >/dev/null || build_options+=(--resume)
}

# A name as a pattern that stands for it alone.
pattern() { # NAME
    sed 's/[][*?\\]/\\&/g' <<<"$1"
}

# Runs a build to its end, whoever ends it, and keeps its exit status in OUTPUT.status.
#   TERM  Slurm ends the job (preemption, requeue, scancel). The build has got the signal too: it writes its
#         checkpoint and ends. Slurm waits KillWait seconds for that, usually 30. After a requeue or a
#         preemption, Slurm itself puts the job into the queue again.
#   USR1  The time is nearly over (--signal=B:USR1@60). It comes to this script alone, which ends the build and
#         puts the job into the queue again.
run_build() { # OUTPUT-WITHOUT-ENDING COMMAND...
    local out=$1 late='' begin=$SECONDS status build
    shift
    rm -f "$out.status"
    trap : TERM
    trap 'late=1; end_build "$build"' USR1
    "$@" &
    build=$!
    wait "$build"
    status=$?
    while kill -0 "$build" 2>/dev/null; do # a trap has ended the wait
        wait "$build"
        status=$?
    done
    if [[ $late && ${SLURM_RESTART_COUNT:-0} -lt $RESTARTS ]] && compgen -G "$(pattern "$out").*checkpoint" >/dev/null; then
        scontrol requeue "$SLURM_JOB_ID"
        return 0
    fi
    echo "$status $((SECONDS - begin)) ${SLURM_RESTART_COUNT:-0} $(hostname)" >"$out.status"
    return "$status"
}

end_build() { kill -TERM "$1"; } # PROCESS

# Shared by the jobs.

# The path of a map's outputs, without ending.
output() { # MAP
    local name=${1#/}
    echo "$OUT/${name%.*}"
}

# The options of every build in a job: it goes on from a checkpoint that an earlier run has left, and stops
# with a message before Slurm kills it for its memory. The messages of the stages that a run has finished
# are not repeated when it goes on, so each run has its own SARIF.
build_options() { # OUTPUT-WITHOUT-ENDING
    local megabytes=${SLURM_MEM_PER_NODE:-$((${SLURM_MEM_PER_CPU:-0} * ${SLURM_CPUS_PER_TASK:-1}))} # of a process
    echo "$OPTIONS -o $1.bsp --quiet --log $1.log"
    echo "--diagnostics sarif --diagnostics-file $1.${SLURM_RESTART_COUNT:-0}.sarif"
    [[ -z ${SLURM_CPUS_PER_TASK:-} ]] || echo "-threads $SLURM_CPUS_PER_TASK"
    [[ $megabytes -lt 256 ]] || echo "--max-memory $((megabytes - 100))M"
    ! compgen -G "$1.*checkpoint" >/dev/null || echo --resume
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
    if [[ $late && ${SLURM_RESTART_COUNT:-0} -lt $RESTARTS ]] && compgen -G "$out.*checkpoint" >/dev/null; then
        scontrol requeue "$SLURM_JOB_ID"
        return 0
    fi
    echo "$status $((SECONDS - begin)) ${SLURM_RESTART_COUNT:-0} $(hostname)" >"$out.status"
    return "$status"
}

end_build() { kill -TERM "$1"; } # PROCESS

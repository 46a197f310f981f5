# What differs from cluster to cluster; submit and all jobs read it. FARM is the folder of this file. What
# the environment has set already stays.

# The programs: a folder that all nodes see, or a module.
#module load brushwork openmpi
#PATH=/shared/brushwork/bin:$PATH

# What is made goes to OUT, which all nodes must see, as the maps: with the BSPs there are the checkpoints from
# which another node goes on. Folders below it are those of the maps below the folder of the list.
OUT=${OUT:-$PWD/out}

# A cache that all nodes share: what an earlier job has made of the same input is taken from there.
#export BRUSHWORK_CACHE=/shared/brushwork-cache

# Options of every build. --checkpoint-every is the work in seconds that the end of a node can cost.
OPTIONS=${OPTIONS:---preset final --checkpoint-every 10}

# What a map gets, from what `brushwork info --cost` estimates: so many CPUs at most, one for so many seconds of
# CPU time; and so many times the seconds and the memory, rounded up. docs/farm.md has the measurements.
CPUS=${CPUS:-8}
SECONDS_A_CPU=${SECONDS_A_CPU:-60}
TIME_MARGIN=${TIME_MARGIN:-4}
MEMORY_MARGIN=${MEMORY_MARGIN:-2}
# Options of the estimate: -game DIR and the like.
COST_OPTIONS=${COST_OPTIONS:-}

# Elements of an array that run at a time, and how often a build goes on after its time is over.
AT_A_TIME=${AT_A_TIME:-50}
RESTARTS=${RESTARTS:-5}

# What starts the ranks of a job over MPI: Slurm with PMIx, or mpirun of Open MPI ("mpirun --bind-to none").
RANKS=${RANKS:-srun --mpi=pmix}

# More options of sbatch: --partition, --account, --qos.
SBATCH_OPTIONS=${SBATCH_OPTIONS:-}

export OUT OPTIONS RESTARTS

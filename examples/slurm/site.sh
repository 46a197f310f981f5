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

# What each map of a list gets: a share of a node, the same for all. docs/farm.md says how much maps have needed.
CPUS=${CPUS:-4}
MEMORY=${MEMORY:-2G}
TIME_LIMIT=${TIME_LIMIT:-4:00:00}

# Elements of an array that run at a time, and how often a build goes on after its time is over.
AT_A_TIME=${AT_A_TIME:-50}
RESTARTS=${RESTARTS:-5}

# What starts the ranks of a job over MPI: Slurm with PMIx, or mpirun of Open MPI ("mpirun --bind-to none").
RANKS=${RANKS:-srun --mpi=pmix}

# More options of sbatch: --partition, --account, --qos.
SBATCH_OPTIONS=${SBATCH_OPTIONS:-}

export OUT OPTIONS RESTARTS

# What differs from cluster to cluster; submit and all jobs read it. FARM is the folder of this file. What
# the environment has set already stays.

# The programs: a folder that all nodes see, or a module.
#module load brushwork openmpi
#PATH=/shared/brushwork/bin:$PATH

# Maps are named relative to MAPS. What is made goes to OUT, which all nodes must see: with the BSPs there
# are the checkpoints from which another node goes on.
MAPS=${MAPS:-$PWD}
OUT=${OUT:-$PWD/out}

# A cache that all nodes share: what an earlier job has made of the same input is taken from there.
#export BRUSHWORK_CACHE=/shared/brushwork-cache

# Options of every build. --checkpoint-every is the work in seconds that the end of a node can cost.
OPTIONS=${OPTIONS:---preset final --checkpoint-every 10}

# What a map gets, by the size of its source: KiB up to, CPUs, memory, time. docs/farm.md has the measurements.
SIZES=${SIZES:-"
  1000   2  1G  0:30:00
  8000   4  2G  2:00:00
  -      8  8G  8:00:00
"}

# Elements of an array that run at a time, and how often a build goes on after its time is over.
AT_A_TIME=${AT_A_TIME:-50}
RESTARTS=${RESTARTS:-5}

# What starts the ranks of a job over MPI: Slurm with PMIx, or mpirun of Open MPI ("mpirun --bind-to none").
RANKS=${RANKS:-srun --mpi=pmix}

# More options of sbatch: --partition, --account, --qos.
SBATCH_OPTIONS=${SBATCH_OPTIONS:-}

export MAPS OUT OPTIONS RESTARTS

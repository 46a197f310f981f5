# Sourced by scripts that work in a Debian of their own: how to make one, and to run commands there.
# Needs root and debootstrap.
archive=http://deb.debian.org

# Makes a minimal Debian as the installer leaves it; the network and the clock are those of this
# machine.
root_make() { # RELEASE FOLDER
    debootstrap --variant=minbase "$1" "$2" "$archive/debian" || return
    cat >"$2/etc/apt/sources.list" <<END
deb $archive/debian $1 main
deb $archive/debian $1-updates main
deb $archive/debian-security $1-security main
END
    cp /etc/resolv.conf "$2/etc/resolv.conf"
    apt-config dump --format '%f "%v";%n' Acquire::Check-Valid-Until Acquire::Check-Date \
        Acquire::http::Proxy >"$2/etc/apt/apt.conf.d/90host"
}

# Shared memory, which the OpenMP runtime needs, is for all users, as on a system that was booted.
root_mount() { # FOLDER
    mkdir -p "$1/dev/shm" && chmod 1777 "$1/dev/shm" || return
    mountpoint -q "$1/proc" || mount -t proc proc "$1/proc"
}

root_unmount() { # FOLDER
    ! mountpoint -q "$1/proc" || umount "$1/proc"
}

# Runs a command as root of that system, without a terminal. Words NAME=VALUE before it are its
# environment.
root_run() { # FOLDER COMMAND...
    local folder=$1
    shift
    chroot "$folder" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# A system as it was installed. It is made once for each release, and kept in a folder as an archive.
root_fresh() { # RELEASE KEPT FOLDER
    local base=$2/base-$1
    if [ ! -e "$base.tar" ]; then
        rm -rf "$base"
        mkdir "$base"
        root_make "$1" "$base" || return
        root_run "$base" apt-get -q update || return
        root_run "$base" apt-get -q -y dist-upgrade || return
        tar -C "$base" -cf "$base.part" . || return
        mv "$base.part" "$base.tar"
        rm -rf "$base"
    fi
    rm -rf "$3"
    mkdir "$3"
    tar -C "$3" -xf "$base.tar"
}

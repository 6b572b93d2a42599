# Divides the memory of a process: sets memory_flags for the JVM from a SIZE like 256m or 1g. For launchers, which
# read this file (POSIX sh). docs/install.md states the shares.

memory_flags=

# Below it the heap is too small to serve.
least_mib=96

divide_memory() { # SIZE
    case $1 in
        *[!0-9mMgG]* | '' | [!1-9]* | *[mMgG]?* | *[0-9] | ????????*)
            refuse_memory "--memory $1 is not a size: write it in MiB or GiB, as in 256m or 2g" ;;
    esac
    mib=${1%?}
    case $1 in *[gG]) mib=$((mib * 1024)) ;; esac
    [ "$mib" -ge "$least_mib" ] ||
        refuse_memory "--memory $1 is too little: a process needs ${least_mib}m or more"

    # What the JVM takes for itself: its libraries, the ahead-of-time cache, threads, tables of the collector.
    own=$((36 + mib / 16))
    code=$(between 12 $((mib / 16)) 96)
    classes=$(between 14 $((mib / 16)) 96)
    rest=$((mib - own - code - classes))
    buffers=$((rest * 2 / 5))
    heap=$((rest - buffers))

    memory_flags="-Xmx${heap}m -XX:MaxDirectMemorySize=${buffers}m -XX:ReservedCodeCacheSize=${code}m"
    memory_flags="$memory_flags -XX:MaxMetaspaceSize=${classes}m"
}

between() { # LEAST VALUE MOST
    value=$2
    [ "$value" -ge "$1" ] || value=$1
    [ "$value" -le "$3" ] || value=$3
    echo "$value"
}

refuse_memory() {
    echo "millrace: $*" >&2
    exit 2
}

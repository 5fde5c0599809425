#!/bin/sh
# The first process of a machine inside this machine: it runs in mount, network, process and IPC namespaces of its own, so that what
# a node does to its machine (mounts, bridges, packet rules, settings of the kernel, daemons that outlive their parent) is gone
# with it. Its argument is the folder that holds the machine's disk.
set -eu
folder=$1
mount --make-rshared /
mount -t tmpfs machine /run
mkdir -p /run/netns /run/lock
for place in var/lib var/log mnt; do
  mkdir -p "$folder/disk/$place"
  mount --bind "$folder/disk/$place" "/$place"
done

# The kubelet sets these when they are not so; they are the whole machine's, so it is shown files that say they are.
pretend() {
  file=$folder/settings/$(echo "$1" | tr / -)
  mkdir -p "$folder/settings"
  echo "$2" >"$file"
  mount --bind "$file" "/proc/sys/$1"
}
pretend vm/overcommit_memory 1
pretend vm/panic_on_oom 0
pretend kernel/panic 10
pretend kernel/panic_on_oops 1
pretend kernel/keys/root_maxkeys 1000000
pretend kernel/keys/root_maxbytes 25000000

ip link set lo up
ip link add pods type bridge
ip address add 10.244.0.1/24 dev pods
ip link set pods up
echo 1 >/proc/sys/net/ipv4/ip_forward
# A pod that talks to itself or to a neighbour through a Service needs its packets seen by the rules.
[ ! -d /proc/sys/net/bridge ] || echo 1 >/proc/sys/net/bridge/bridge-nf-call-iptables

touch "$folder/machine-is-up"
# A shell that waits reaps every orphan; not by exec, for then there would be none.
sleep infinity
exit 0

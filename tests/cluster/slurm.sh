#!/usr/bin/env bash
# A campaign of the gate as an array of a real Slurm: two nodes on loopback, of which one task is killed at its first
# start. The merged totals must be the bytes of one run. It needs root, and slurmctld, slurmd, slurm-client and munge;
# without them it says so and exits with 77. No systemd, no cgroups, no accounting.
#   tests/cluster/slurm.sh PROGRAM ADAPTER…
set -euo pipefail
for needed in slurmctld slurmd sbatch munged; do
  command -v "$needed" >/dev/null || { echo "$needed is not installed"; exit 77; }
done
[[ $(id -u) == 0 ]] || { echo "not root"; exit 77; }
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
export VERIFY_LAYOUT=${1:?usage: slurm.sh PROGRAM ADAPTER…}
shift
export ADAPTER="$*" COUNT=4000 SEED=7
work=$(mktemp -d)
chmod 755 "$work"
export OUT=$work/totals SLURM_CONF=$work/slurm.conf
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for file in "$work"/*.pid; do [[ -e $file ]] && kill "$(cat "$file")" 2>/dev/null || true; done
  for _ in {1..100}; do rm -rf "$work" 2>/dev/null && break || sleep 0.1; done # a daemon that ends writes its state
}
trap finish EXIT

mkdir -p "$work/state" "$work/n1" "$work/n2" "$work/munge" "$OUT"
chown munge "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chown munge "$work/munge/key" && chmod 400 "$work/munge/key"
setpriv --reuid=munge --clear-groups munged --force --foreground --key-file="$work/munge/key" --socket="$work/munge/socket" \
  --pid-file="$work/munge/pid" --log-file="$work/munge/log" --seed-file="$work/munge/seed" &
pids+=($!)
host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >"$SLURM_CONF" <<END
ClusterName=gate
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
ReturnToService=2
RequeueExit=75
SchedulerParameters=batch_sched_delay=0,sched_interval=1
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
slurmctld && slurmd -N n1 && slurmd -N n2
for _ in $(seq 100); do
  [[ $(sinfo -h -t idle -o %D 2>/dev/null) == 2 ]] && break
  sleep 0.1
done
[[ $(sinfo -h -t idle -o %D) == 2 ]] || { tail -5 "$work"/*.log; exit 1; }

# The first start of task 1 is killed behind its first totals.
cat >"$work/task.sh" <<END
#!/bin/bash
if [[ \$SLURM_ARRAY_TASK_ID == 1 && ! -e $work/killed ]]; then
  touch $work/killed
  read -r -a adapter <<<"\$ADAPTER"
  timeout -s KILL 1 "\$VERIFY_LAYOUT" gate --seed "\$SEED" --count "\$COUNT" --shard "1/\$SLURM_ARRAY_TASK_COUNT" \\
    --out "\$OUT" --format jsonl -- "\${adapter[@]}" >/dev/null
  exit 75
fi
exec bash $root/oracle/gate/slurm/array.sbatch
END
array=$(sbatch --parsable --array=0-3 --requeue --open-mode=append --output="$work/%a.out" "$work/task.sh")
until [[ -z $(squeue -h -j "$array" 2>/dev/null) ]]; do
  # Slurm waits two minutes before it starts a task again; here not.
  for job in $(squeue -h -t PD -o %i -j "$array" 2>/dev/null); do scontrol update JobId="$job" StartTime=now 2>/dev/null || true; done
  sleep 0.3
done
[[ -e $work/killed ]] || { echo "no task was killed"; exit 1; }
"$VERIFY_LAYOUT" gate merge "$OUT"/*.json >"$work/merged" || [[ $? == 10 ]]
read -r -a adapter <<<"$ADAPTER"
"$VERIFY_LAYOUT" gate --seed "$SEED" --count "$COUNT" --out "$work/one" --format jsonl -- "${adapter[@]}" >/dev/null || [[ $? == 10 ]]
cmp "$work/merged" "$work"/one/*.json
echo "the same bytes: $(wc -c <"$work/merged")"

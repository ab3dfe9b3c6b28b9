// Faults of the machine, as scripts around a script, and whether this machine lets us make them. A test that needs one that cannot be had
// is skipped with a word: t.test(title, { skip: MACHINE.mounts }, …), as each is false or the reason why not.

import { spawnSync } from 'node:child_process'

const works = (script: string): boolean => spawnSync('bash', ['-c', script], { stdio: 'ignore' }).status === 0

const unless = (isSo: boolean, why: string): false | string => (isSo ? false : why)

/** Of what a fault needs: false where it is there, else what is missing. */
export const MACHINE = {
  fullDevice: unless(works('[ -c /dev/full ]'), 'there is no /dev/full'),
  mounts: unless(works('unshare -m mount -t tmpfs -o size=64k none /tmp'), 'mount(8) in a namespace of its own is not permitted'),
  networks: unless(
    works('unshare -nm bash -c "ip link set lo up && mount --bind /etc/hosts /etc/hosts"'),
    'unshare(1) and ip(8) are not there, or a network of its own is not permitted',
  ),
  traces: unless(works('strace -f -o /dev/null true'), 'strace is not installed or not permitted'),
  users: unless(works('setpriv --reuid 65534 --regid 65534 --clear-groups true'), 'programs cannot be run as another user'),
} as const

/** As one word of a script. */
export const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Runs the script with a file system of that size, such as `64k`, at the directory, which must be there. What is in it goes with the script. */
export const onSmallDisk = (directory: string, size: string, script: string): string =>
  `unshare -m bash -c ${quote(`mount -t tmpfs -o size=${size} none ${quote(directory)} || exit 99\n${script}`)}`

/** No descriptor may be higher. */
export const withFewFds = (count: number, script: string): string => `(ulimit -n ${count}; ${script})`

/** As a user who has nothing else running, and may run so many processes (threads count too). */
export const withFewProcesses = (count: number, uid: number, script: string): string =>
  `setpriv --reuid ${uid} --regid ${uid} --clear-groups bash -c ${quote(`ulimit -u ${count}\n${script}`)}`

/**
 * Each of these system calls fails in the way strace describes: `inject` is for instance `rename,renameat2:error=ENOSPC:when=3`; with a path
 * only calls on that file count.
 */
export const withInjection = (inject: string, command: string, path?: string): string =>
  `strace -f -qq -o /dev/null ${path === undefined ? '' : `-P ${quote(path)} `}-e trace=${inject.split(':')[0]} -e inject=${inject} ${command}`

// Ways to escape a sandbox, each tried by a program inside it. None does harm if it succeeds.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SyncResult } from '@plumb/wire'
import { callNumber, type SystemCall } from '../seccomp/refused-calls.js'
import { ESCAPED, type EscapeFixture } from './fixture.js'
import { syscallProgram } from './syscall-program.js'

export interface Escape {
  readonly name: string
  /** The command line to run inside, or the reason why it cannot be tried on this machine. */
  readonly command: (ground: EscapeFixture) => readonly string[] | { readonly cannot: string }
  readonly isHeld: (end: SyncResult, ground: EscapeFixture) => boolean
  /** It is run by a plumb-tool of its own, which is started with the fixture's descriptors. */
  readonly isGivenDescriptors?: true
}

const printsNothing = ({ status, stdout }: SyncResult): boolean => status !== null && !stdout.includes(ESCAPED)

const shell = (name: string, script: (ground: EscapeFixture) => string, isHeld: Escape['isHeld'] = printsNothing): Escape => ({
  name,
  command: (ground) => ['/bin/sh', '-c', script(ground)],
  isHeld,
})

/** A script that Node.js runs inside. */
const script = (name: string, text: (ground: EscapeFixture) => string): Escape => ({
  name,
  command: (ground) => [process.execPath, '-e', text(ground)],
  isHeld: printsNothing,
})

/** EPERM, EACCES, ENOSYS, EPROTONOSUPPORT and EAFNOSUPPORT. Any other errno comes from the call itself: the filter let it through. */
const REFUSALS: ReadonlySet<number> = new Set([1, 13, 38, 93, 97])

const call = (name: string, called: SystemCall | number, args: readonly number[] = []): Escape => ({
  name,
  command: ({ arch, place }) => {
    const number = typeof called === 'number' ? called : callNumber(called, arch)
    return number === undefined ? { cannot: `${arch} has no such call` } : [place(syscallProgram(arch, number, args))]
  },
  isHeld: ({ status }) => status !== null && REFUSALS.has(status),
})

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`
const reads = (path: string): string => `cat ${quoted(path)}`
const writes = (path: string): string => `(: >> ${quoted(path)}) 2> /dev/null && echo ${ESCAPED}`
const connects = (to: string): string =>
  `require('net').connect(${to}).on('connect', () => { console.log('${ESCAPED}'); process.exit() }).on('error', () => process.exit(3))`

const [CLONE_NEWUSER, CLONE_NEWNS, SIGCHLD] = [0x10000000, 0x20000, 17] as const
const [AF_UNIX, AF_VSOCK, SOCK_STREAM, SOCK_DGRAM] = [1, 40, 1, 2] as const
const X32 = 0x40000000

export const ESCAPES: readonly Escape[] = [
  shell(
    'have a capability',
    () => 'cat /proc/self/status',
    ({ status, stdout }) => status === 0 && /^CapEff:\t0+$/m.test(stdout) && !/^Cap\w+:\t.*[1-9a-f]/m.test(stdout),
  ),
  shell(
    'gain rights by a program',
    () => 'cat /proc/self/status',
    ({ stdout }) => /^NoNewPrivs:\t1$/m.test(stdout),
  ),
  call('mount', 'mount', [0, 0, 0, 0, 0]),
  shell('make / writable', () => `mount -o remount,rw,bind / 2> /dev/null && echo ${ESCAPED}`),
  call('open a file system', 'fsopen', [0, 0]),
  // Only opened, never written.
  shell('write a setting of the kernel', () => writes('/proc/sys/kernel/core_pattern')),
  shell(
    'write another setting in /proc',
    () =>
      `for f in /proc/[a-z]* /proc/[a-z]*/*; do case $f in /proc/*self*) ;; *) [ -f "$f" ] && [ -w "$f" ] && echo ${ESCAPED} ;; esac; done; true`,
  ),
  shell('write to /etc', () => writes('/etc/passwd')),
  shell('write to /usr', () => writes('/usr/bin/env')),
  shell(
    'write to the home directory',
    ({ home }) => `echo x >> ${quoted(join(home, '.bashrc'))}; echo x > ${quoted(join(home, 'made'))}; true`,
    (_, { home }) => readFileSync(join(home, '.bashrc'), 'utf8') === '' && !existsSync(join(home, 'made')),
  ),
  shell(
    'write outside the docroot',
    ({ outside }) => `echo ${ESCAPED} > ${quoted(join(outside, 'made'))}`,
    (_, { outside }) => !existsSync(join(outside, 'made')),
  ),
  shell(
    'write through a link',
    ({ docroot, outside }) => `ln -s ${quoted(outside)} out/link; echo x > out/link/made; rm ${quoted(join(docroot, 'out/link'))}`,
    (_, { outside }) => !existsSync(join(outside, 'made')),
  ),
  shell('write where `write` does not say', ({ docroot }) => writes(join(docroot, 'other'))),
  shell('write to a repository', ({ docroot }) => writes(join(docroot, 'out/.git/config'))),
  shell('read ~/.ssh', ({ home }) => reads(join(home, '.ssh/id_rsa'))),
  shell('read outside the docroot', ({ outside }) => reads(join(outside, 'secret'))),
  shell('read what only root may', () => `cat /etc/shadow > /dev/null 2>&1 && echo ${ESCAPED}`),
  shell('read the environment of others', () => `cat /proc/[0-9]*/environ 2> /dev/null`),
  shell(
    'have a descriptor of others',
    () => 'cd /proc/self/fd; echo *',
    ({ status, stdout }) =>
      status === 0 &&
      stdout
        .trim()
        .split(' ')
        .every((fd) => Number(fd) < FIRST_OF_OTHERS),
  ),
  {
    ...shell(
      'have a descriptor of who started plumb-tool',
      () => `cd /proc/self/fd; cat */secret 2> /dev/null; for fd in *; do [ "$fd" -lt ${FIRST_OF_OTHERS} ] || echo "$fd"; done; echo end`,
      ({ status, stdout }) => status === 0 && stdout.trim() === 'end',
    ),
    isGivenDescriptors: true,
  },
  shell('end a process outside', ({ neighbour }) => `kill -9 ${neighbour} 2> /dev/null && echo ${ESCAPED}`),
  call('trace a process', 'ptrace', [0, 0, 0, 0]),
  call('read the memory of another process', 'process_vm_readv', [1, 0, 0, 0, 0, 0]),
  call('take a descriptor of another process', 'pidfd_getfd', [0, 0, 0]),
  call('make a user namespace', 'unshare', [CLONE_NEWUSER]),
  call('make a process in one', 'clone', [CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0]),
  call('make one unseen by the filter', 'clone3', [0, 0]),
  call('make a mount namespace', 'unshare', [CLONE_NEWNS]),
  call('enter a namespace', 'setns', [0, 0]),
  {
    name: 'start a sandbox in it',
    command: ({ bwrap }) => ['/bin/sh', '-c', `${quoted(bwrap)} --unshare-user --ro-bind / / echo ${ESCAPED}`],
    isHeld: printsNothing,
  },
  script('reach a socket of the file system', ({ socket }) => connects(JSON.stringify(socket))),
  script('reach a socket with an abstract name', ({ abstract }) => connects(JSON.stringify(abstract))),
  script('reach a listener on the loopback', ({ port }) => connects(`${port}, '127.0.0.1'`)),
  call('make a unix socket', 'socket', [AF_UNIX, SOCK_STREAM, 0]),
  call('make a pair of datagram sockets', 'socketpair', [AF_UNIX, SOCK_DGRAM, 0, 0]),
  call('make a socket to the host of the machine', 'socket', [AF_VSOCK, SOCK_STREAM, 0]),
  call('use a key of the kernel', 'keyctl', [0, -3, 0]),
  call('make calls by a ring', 'io_uring_setup', [1, 0]),
  call('load a program into the kernel', 'bpf', [0, 0, 0]),
  call('watch page faults', 'userfaultfd', [0]),
  call('watch the processor', 'perf_event_open', [0, 0, 0, 0, 0]),
  call('open a file by its handle', 'open_by_handle_at', [0, 0, 0]),
  call('type into the terminal', 'ioctl', [0, 0x5412, 0]),
  {
    name: 'make calls by the numbers of x32',
    command: ({ arch, place }) =>
      arch === 'x64' ? [place(syscallProgram(arch, X32 + 41, [AF_UNIX, SOCK_STREAM, 0]))] : { cannot: `${arch} has none` },
    isHeld: ({ status }) => status !== null && REFUSALS.has(status),
  },
]

/** The shell itself opens descriptor 3 for the listing. */
const FIRST_OF_OTHERS = 4

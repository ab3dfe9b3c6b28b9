// The system calls that a sandboxed program may not make, and for some of them the arguments that are refused.

/** Numbers on x64 and arm64, from the kernel's unistd headers; undefined if that architecture has no such call. */
const NUMBERS = {
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  clone: [56, 220],
  ptrace: [101, 117],
  syslog: [103, 116],
  vhangup: [153, 58],
  modify_ldt: [154, undefined],
  pivot_root: [155, 41],
  chroot: [161, 51],
  acct: [163, 89],
  mount: [165, 40],
  umount2: [166, 39],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  iopl: [172, undefined],
  ioperm: [173, undefined],
  init_module: [175, 105],
  delete_module: [176, 106],
  quotactl: [179, 60],
  lookup_dcookie: [212, 18],
  kexec_load: [246, 104],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  unshare: [272, 97],
  perf_event_open: [298, 241],
  fanotify_init: [300, 262],
  open_by_handle_at: [304, 265],
  setns: [308, 268],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  finit_module: [313, 273],
  kexec_file_load: [320, 294],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  clone3: [435, 435],
  pidfd_getfd: [438, 438],
  process_madvise: [440, 440],
  mount_setattr: [442, 442],
  quotactl_fd: [443, 443],
  open_tree_attr: [467, 467],
} as const satisfies Readonly<Record<string, readonly [number, number | undefined]>>

export type SystemCall = keyof typeof NUMBERS

export const callNumber = (call: SystemCall, arch: Arch): number | undefined => NUMBERS[call][arch === 'x64' ? 0 : 1]

/** Calls of later kernels are refused, since what they do is not known. */
export const LAST_KNOWN_CALL = 469

export type Arch = 'x64' | 'arm64'

/** A test of the lower 32 bits of an argument under `mask`: equal to one of `values`, to none of them, or with any of their bits. */
export interface ArgumentRule {
  readonly argument: number
  readonly mask?: number
  readonly is: 'one of' | 'none of' | 'with bits'
  readonly values: readonly number[]
}

export interface RefusedCalls {
  readonly calls: readonly SystemCall[]
  readonly errno: number
  /** The call is refused if all of these hold; without it, always. */
  readonly uses?: readonly ArgumentRule[]
}

const [EPERM, EACCES, ENOSYS, EPROTONOSUPPORT, EAFNOSUPPORT] = [1, 13, 38, 93, 97] as const
export const UNKNOWN_CALL_ERRNO = ENOSYS

const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16] as const
const NETLINK_ROUTE = 0
const SOCKET_TYPE = 0xf
const [SOCK_STREAM, SOCK_SEQPACKET] = [1, 5] as const
const [TIOCSTI, TIOCLINUX] = [0x5412, 0x541c] as const
/** Mount, cgroup, uts, ipc, user, pid and net. */
const NEW_NAMESPACES = 0x7e020000
/** `clone` has the signal of the end in these bits. */
const NEW_TIME = 0x80

const all = (...calls: readonly SystemCall[]): RefusedCalls => ({ calls, errno: EPERM })

/** `hasSockets`: the sandbox mounts unix sockets, so AF_UNIX is allowed. */
export const refusedCalls = (hasSockets: boolean): readonly RefusedCalls[] => [
  // Other processes.
  all('ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd', 'kcmp'),
  // Mounts and roots.
  all('mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'open_tree_attr', 'move_mount'),
  all('fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'open_by_handle_at'),
  // Kernel interfaces with a history of vulnerabilities that tools do not need.
  all('bpf', 'keyctl', 'add_key', 'request_key', 'userfaultfd', 'perf_event_open', 'fanotify_init', 'lookup_dcookie'),
  // seccomp does not see calls made through io_uring.
  all('io_uring_setup', 'io_uring_enter', 'io_uring_register'),
  // The machine.
  all('kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot', 'swapon', 'swapoff'),
  all('acct', 'quotactl', 'quotactl_fd', 'syslog', 'vhangup', 'iopl', 'ioperm', 'modify_ldt'),
  // Namespaces. The flags of clone3 are in memory, which seccomp cannot read; C libraries fall back to clone on ENOSYS.
  all('setns'),
  { calls: ['unshare'], errno: EPERM, uses: [{ argument: 0, is: 'with bits', values: [NEW_NAMESPACES, NEW_TIME] }] },
  { calls: ['clone'], errno: EPERM, uses: [{ argument: 0, is: 'with bits', values: [NEW_NAMESPACES] }] },
  { calls: ['clone3'], errno: ENOSYS },
  // Typing into the controlling terminal.
  { calls: ['ioctl'], errno: EPERM, uses: [{ argument: 1, is: 'one of', values: [TIOCSTI, TIOCLINUX] }] },
  // Unix sockets, which a network namespace does not isolate.
  ...(hasSockets
    ? []
    : [{ calls: ['socket'], errno: EACCES, uses: [{ argument: 0, is: 'one of', values: [AF_UNIX] }] } satisfies RefusedCalls]),
  {
    calls: ['socket'],
    errno: EAFNOSUPPORT,
    uses: [{ argument: 0, is: 'none of', values: [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] }],
  },
  {
    calls: ['socket'],
    errno: EPROTONOSUPPORT,
    uses: [
      { argument: 0, is: 'one of', values: [AF_NETLINK] },
      { argument: 2, is: 'none of', values: [NETLINK_ROUTE] },
    ],
  },
  // Either end of a datagram pair can send to any address; stream and seqpacket pairs stay connected.
  ...(hasSockets
    ? []
    : [
        {
          calls: ['socketpair'],
          errno: EACCES,
          uses: [{ argument: 1, mask: SOCKET_TYPE, is: 'none of', values: [SOCK_STREAM, SOCK_SEQPACKET] }],
        } satisfies RefusedCalls,
      ]),
]

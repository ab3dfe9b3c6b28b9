// What a sandboxed program may not ask of the kernel: the calls, and where only some of their uses are refused, which.

/** Of x64 and arm64, as the kernel's unistd headers have them; undefined: that architecture has no such call. */
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

/** Calls that came with a later kernel than this table are refused: what they do is not known. */
export const LAST_KNOWN_CALL = 469

export type Arch = 'x64' | 'arm64'

/** The lower half of an argument, of which `mask` is looked at: equal to one of `values`, to none of them, or with any of their bits. */
export interface ArgumentRule {
  readonly argument: number
  readonly mask?: number
  readonly is: 'one of' | 'none of' | 'with bits'
  readonly values: readonly number[]
}

export interface RefusedCalls {
  readonly calls: readonly SystemCall[]
  readonly errno: number
  /** All of them have to hold; left out: each use of it is refused. */
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

/** `hasSockets`: sockets of the file system may be reached, as far as they are there. */
export const refusedCalls = (hasSockets: boolean): readonly RefusedCalls[] => [
  // Other processes.
  all('ptrace', 'process_vm_readv', 'process_vm_writev', 'process_madvise', 'pidfd_getfd', 'kcmp'),
  // Mounts and roots.
  all('mount', 'umount2', 'pivot_root', 'chroot', 'open_tree', 'open_tree_attr', 'move_mount'),
  all('fsopen', 'fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'open_by_handle_at'),
  // Parts of the kernel with a history of holes, and none of a tool's needs.
  all('bpf', 'keyctl', 'add_key', 'request_key', 'userfaultfd', 'perf_event_open', 'fanotify_init', 'lookup_dcookie'),
  // What goes through a ring is seen by no filter.
  all('io_uring_setup', 'io_uring_enter', 'io_uring_register'),
  // The machine.
  all('kexec_load', 'kexec_file_load', 'init_module', 'finit_module', 'delete_module', 'reboot', 'swapon', 'swapoff'),
  all('acct', 'quotactl', 'quotactl_fd', 'syslog', 'vhangup', 'iopl', 'ioperm', 'modify_ldt'),
  // Namespaces. The flags of clone3 are in memory, where no filter looks; C libraries take clone where there is no clone3.
  all('setns'),
  { calls: ['unshare'], errno: EPERM, uses: [{ argument: 0, is: 'with bits', values: [NEW_NAMESPACES, NEW_TIME] }] },
  { calls: ['clone'], errno: EPERM, uses: [{ argument: 0, is: 'with bits', values: [NEW_NAMESPACES] }] },
  { calls: ['clone3'], errno: ENOSYS },
  // What types into the terminal that is above.
  { calls: ['ioctl'], errno: EPERM, uses: [{ argument: 1, is: 'one of', values: [TIOCSTI, TIOCLINUX] }] },
  // Sockets that no network namespace holds back.
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
  // Either end of a pair of datagram sockets may be sent from to any address; those of the others are connected for good.
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

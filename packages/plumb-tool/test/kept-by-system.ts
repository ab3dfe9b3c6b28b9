// Escapes that fail without a sandbox too, so they cannot show that one that gets out would be seen.

const isRoot = process.getuid?.() === 0

/** Nothing is left open here, kernels are made without x32, and the others take root or a setting of the kernel. */
export const KEPT_BY_SYSTEM: readonly string[] = [
  ...['have a descriptor of others', 'make calls by the numbers of x32', 'gain rights by a program'],
  ...['make a user namespace', 'make a process in one', 'start a sandbox in it', 'load a program into the kernel', 'watch page faults'],
  ...['make calls by a ring', 'watch the processor', 'make a socket to the host of the machine', 'use a key of the kernel'],
  ...(isRoot
    ? []
    : [
        'have a capability',
        'mount',
        'make / writable',
        'open a file system',
        'write a setting of the kernel',
        'write another setting in /proc',
        'write to /etc',
      ]),
  ...(isRoot
    ? []
    : ['write to /usr', 'read what only root may', 'make a mount namespace', 'enter a namespace', 'open a file by its handle']),
]

// The options that every sandbox has, and the descriptors over which bubblewrap reads the rest.

/** Descriptors of bubblewrap's arguments and seccomp filter, above those of children (3 to 10). */
export const ARGUMENTS_FD = 18
export const FILTER_FD = 19
/** The first descriptor of writable directories and protected files. */
export const FIRST_DIRECTORY_FD = 20

export const UNSHARED: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  // No capabilities, not even for root, and no new user namespaces.
  ...['--disable-userns', '--cap-drop', 'ALL'],
  // No --new-session: each child already has a session without a terminal. As a member of its process group, bubblewrap can be killed even
  // before it has set up --die-with-parent.
  '--die-with-parent',
]

/** NUL-terminated, as `--args` reads them. */
export const argumentBytes = (options: readonly string[]): Uint8Array => Buffer.from(options.map((option) => `${option}\0`).join(''))

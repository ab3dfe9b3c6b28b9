// What any sandbox is started with, and how bubblewrap is told.

/** Where bubblewrap reads its options and its filter: over those that children have for themselves, of which wire has 8 to 10. */
export const ARGUMENTS_FD = 18
export const FILTER_FD = 19
/** Folders that may be written, and what is kept from that. */
export const FIRST_FOLDER_FD = 20

export const UNSHARED: readonly string[] = [
  ...['--unshare-user', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  // Root, too, has none left, nor a namespace to have them in.
  ...['--disable-userns', '--cap-drop', 'ALL'],
  // No session of its own: each child has one already, without a terminal. In its group it is reached also while bubblewrap starts, which does
  // not look whether its parent has died meanwhile.
  '--die-with-parent',
]

/** As `--args` takes them. */
export const argumentBytes = (options: readonly string[]): Uint8Array => Buffer.from(options.map((option) => `${option}\0`).join(''))

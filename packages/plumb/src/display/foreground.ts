// Whether the terminal listens to us, or a shell runs us in the background and belongs to whoever types there.

import { readFileSync } from 'node:fs'

/** True where that cannot be known. */
export const isInForeground = (): boolean => {
  try {
    // proc_pid_stat(5): behind the name in parentheses stand state, parent, process group, session, terminal, and the group in its foreground.
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[2] === fields[5]
  } catch {
    return true
  }
}

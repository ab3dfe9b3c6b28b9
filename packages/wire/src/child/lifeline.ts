// Ends children however this process ends: a watcher in each child's process group sees our end of a pipe close, and kills the group.

import { systemProgram } from './resolve-program.js'

/** The child's end of the lifeline when the wrapper starts; the program itself does not get it. */
export const LIFELINE_FD = 8

// $0 is its name in ps, $1 the process group, $2 the `sleep` to run: the PATH of the program is not used; $3 the seconds that the program has at
// most. It ignores its own TERM, and holds nothing open but the lifeline, on 0.
const WATCH =
  'read -r line; kill -s TERM -- "-$1"; "$2" 1; n=$3; ' +
  'while [ "$n" -gt 1 ] && kill -s 0 "$1"; do "$2" 1; n=$((n - 1)); done; kill -s KILL -- "-$1"'

/** Seconds between TERM and KILL. */
const GRACE_SECONDS = 1

// The watcher is a grandchild, so that the program has no child that it did not start; exec gives it a command line of its own. It sets no
// variable, which the program might have in its environment.
const START = `
(
  (
    trap '' HUP INT TERM
    exec /bin/sh -c "$1" plumb-lifeline $$ "$2" "$3" <&${LIFELINE_FD} >/dev/null 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- ${LIFELINE_FD}>&- 9>&-
  ) &
)
exec ${LIFELINE_FD}>&-
shift 3
exec "$@"
`

/** Returns the command line that runs a program, given by its path, under a watcher. Both must be in a process group of their own. */
export const withLifeline = (program: string, args: readonly string[], graceSeconds = GRACE_SECONDS): { file: string; args: string[] } => ({
  file: '/bin/sh',
  args: ['-c', START, 'plumb-start', WATCH, systemProgram('sleep') ?? '/bin/sleep', String(graceSeconds), program, ...args],
})

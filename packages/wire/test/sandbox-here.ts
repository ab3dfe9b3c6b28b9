// Whether programs have a sandbox on this machine. Where they have none, each new home directory gets a warning once a day, which is not what
// a script under test shows.

import { spawnSync } from 'node:child_process'

const HAS_SANDBOX = spawnSync('bwrap', ['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', 'true']).status === 0

/** Why tests that need a sandbox are skipped here; false: they are not. */
export const NO_SANDBOX = HAS_SANDBOX ? false : 'bubblewrap is not installed or not permitted'

const WARNING = /^(?:\{"warning":"config_invalid".*|[a-z-]+: warning: .*)runs without a sandbox: .*\n/gm

/** What was printed, without that warning where this machine has no sandbox. */
export const withoutSandboxWarning = (printed: string): string => (HAS_SANDBOX ? printed : printed.replace(WARNING, ''))

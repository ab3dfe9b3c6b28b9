// The descriptors that the sh launcher of an executable saw before Node opened its own.

interface LauncherFds {
  /** Those from 3 to 7 that were open. */
  readonly open: ReadonlySet<number>
  /** Those of 0 to 2 that were closed; Node opens /dev/null there, which would swallow output. */
  readonly closed: ReadonlySet<number>
}

let seen: LauncherFds | undefined

/**
 * Undefined if Node was started without the launcher. The variables are removed from the environment, since no child has these descriptors.
 */
export const launcherFds = (): LauncherFds | undefined => {
  const { PLUMB_FDS, PLUMB_CLOSED } = process.env
  delete process.env.PLUMB_FDS
  delete process.env.PLUMB_CLOSED
  if (PLUMB_FDS !== undefined) seen = { open: digits(PLUMB_FDS, '34567'), closed: digits(PLUMB_CLOSED ?? '', '012') }
  return seen
}

/** What the launcher would report for these descriptors other than 0, 1 and 2, for a child that is started without it, which saves a shell. */
export const inheritedFdEnv = (fds: readonly string[]): Readonly<Record<string, string>> => ({ PLUMB_FDS: fds.join(','), PLUMB_CLOSED: '' })

const digits = (text: string, allowed: string): Set<number> => new Set([...text].filter((c) => allowed.includes(c)).map(Number))

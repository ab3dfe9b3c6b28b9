// What the sh launcher of an executable saw before Node opened descriptors of its own.

interface LauncherFds {
  /** Those from 3 to 7 that were open. */
  readonly open: ReadonlySet<number>
  /** Those of 0 to 2 that were closed; Node puts /dev/null there, which would swallow output. */
  readonly closed: ReadonlySet<number>
  /** Those at which it has put the reading end of a pipe that is not shared; it holds `PREOPENED`, which has to be read first. */
  readonly pipes: Set<number>
}

/** What is in such a pipe: a here-document. */
export const PREOPENED = '//\n'

let seen: LauncherFds | undefined

/** Undefined where Node was started without the launcher. What it said leaves the environment, since no child has these descriptors. */
export const launcherFds = (): LauncherFds | undefined => {
  const { PLUMB_FDS, PLUMB_CLOSED, PLUMB_PIPES } = process.env
  delete process.env.PLUMB_FDS
  delete process.env.PLUMB_CLOSED
  delete process.env.PLUMB_PIPES
  if (PLUMB_FDS !== undefined)
    seen = { open: digits(PLUMB_FDS, '34567'), closed: digits(PLUMB_CLOSED ?? '', '012'), pipes: digits(PLUMB_PIPES ?? '', '3456789') }
  return seen
}

/** What the launcher would say to a child that has these descriptors besides 0, 1 and 2: it is started without, which is a shell less. */
export const inheritedFdEnv = (fds: readonly string[]): Readonly<Record<string, string>> => ({ PLUMB_FDS: fds.join(','), PLUMB_CLOSED: '' })

const digits = (text: string, allowed: string): Set<number> => new Set([...text].filter((c) => allowed.includes(c)).map(Number))

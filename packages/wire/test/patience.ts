// Deadlines of tests, as the machine is: scripts/slowness.mjs measures it, and says in the environment how much slower than usual it is.

const SLOWNESS = Math.max(1, Number(process.env.PLUMB_SLOWNESS) || 1)

/** Milliseconds on a machine with nothing else to do, in milliseconds on this one. */
export const scaled = (ms: number): number => Math.round(ms * SLOWNESS)

/** What this process has computed so far, in all its threads: what takes linear time takes as much of it when others compute too. */
export const computedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** The same in whole seconds, for scripts. */
export const scaledSeconds = (seconds: number): number => Math.ceil(seconds * SLOWNESS)

// Deadlines of tests, as the machine is: scripts/slowness.mjs measures it, and says in the environment how much slower than usual it is.

const SLOWNESS = Math.max(1, Number(process.env.PLUMB_SLOWNESS) || 1)

/** Milliseconds on a machine with nothing else to do, in milliseconds on this one. */
export const scaled = (ms: number): number => Math.round(ms * SLOWNESS)

/** What this process has computed so far, in all its threads: what takes linear time takes as much of it when others compute too. */
const computedMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/**
 * How many times as much processor time `work` takes with `large` as with `small`, the least of three runs of each: about `large / small` where
 * time is linear in the size, and the square of that where it is quadratic.
 */
export const growth = async (small: number, large: number, work: (size: number) => Promise<void>): Promise<number> => {
  const least = async (size: number): Promise<number> => {
    const runs: number[] = []
    for (let run = 0; run < 3; run++) {
      const before = computedMs()
      await work(size)
      runs.push(computedMs() - before)
    }
    return Math.min(...runs)
  }
  return (await least(large)) / Math.max(1, await least(small))
}

/** The same in whole seconds, for scripts. */
export const scaledSeconds = (seconds: number): number => Math.ceil(seconds * SLOWNESS)

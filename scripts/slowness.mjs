// How slow this machine is at the moment: what deadlines in tests are multiplied with. PLUMB_SLOWNESS in the environment says it to all of them.

import { spawnSync } from 'node:child_process'

/** `node -e 0` on a machine with nothing else to do; deadlines are generous for one of those. */
const USUAL_MS = 60
const SAMPLES = 5
/** Beyond that a machine is not slow but stuck. */
const MAX_SLOWNESS = 30

const latest = []

const sample = () => {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  latest.push(performance.now() - began)
  if (latest.length > SAMPLES) latest.shift()
}

/** Measures once more; of the last five the median counts. At least 1. */
export const measureSlowness = () => {
  do sample()
  while (latest.length < SAMPLES)
  const median = [...latest].sort((a, b) => a - b)[Math.floor(SAMPLES / 2)]
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.round((median / USUAL_MS) * 10) / 10))
}

/** With what the environment says, or else measured now. */
export const slowness = () => {
  const said = Number(process.env.PLUMB_SLOWNESS)
  return said >= 1 ? said : measureSlowness()
}

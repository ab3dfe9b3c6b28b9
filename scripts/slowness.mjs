// Measures how slow this machine is at the moment: the deadlines of tests are multiplied by it. PLUMB_SLOWNESS passes it to child processes.

import { spawnSync } from 'node:child_process'

/** Time of `node -e 0` on an idle machine, for which the deadlines are generous. */
const IDLE_MS = 60
const SAMPLES = 5
/** A machine that seems slower than this is stuck. */
const MAX_SLOWNESS = 30

/** A median is used for so long. */
const VALID_MS = 5000

const latest = []
let sampledAt = Number.NEGATIVE_INFINITY

const sample = () => {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  latest.push(performance.now() - began)
  if (latest.length > SAMPLES) latest.shift()
  sampledAt = performance.now()
}

/** The median of the last five samples, at least 1. Takes one more when the last is some seconds old. */
export const measureSlowness = () => {
  while (latest.length < SAMPLES || performance.now() - sampledAt > VALID_MS) sample()
  const median = [...latest].sort((a, b) => a - b)[Math.floor(SAMPLES / 2)]
  return Math.min(MAX_SLOWNESS, Math.max(1, Math.round((median / IDLE_MS) * 10) / 10))
}

/** The value in the environment, else measured now. */
export const slowness = () => {
  const given = Number(process.env.PLUMB_SLOWNESS)
  return given >= 1 ? given : measureSlowness()
}

// Measures how quiet the machine is: a start and a loop, repeated before and after everything else.

import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { timeRun } from './measure.mjs'
import { summarise } from './statistics.mjs'

const LOOP = 'let x = 0; for (let i = 0; i < 1e8; i++) x = (x + i) | 0; process.exitCode = x === 1 ? 1 : 0'
const JOBS = { 'node -e 0': '0', 'a loop of 10⁸ steps': LOOP }

/** { load, jobs }: the load of the last minute, and for each job the summaries of wall clock and processor time in milliseconds. */
export const calibrate = async (times, env) => {
  const load = loadavg()[0]
  const jobs = {}
  for (const [name, code] of Object.entries(JOBS)) {
    const samples = []
    for (let i = 0; i < times; i++) samples.push(await timeRun([process.execPath, '-e', code], { env }))
    jobs[name] = { value: summarise(samples.map(({ value }) => value)), cpu: summarise(samples.map(({ cpu }) => cpu)) }
  }
  return { load, jobs }
}

/** The model of the processor; undefined when it is not known. */
export const processorName = () => {
  try {
    return /^model name\s*:\s*(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]
  } catch {
    return undefined
  }
}

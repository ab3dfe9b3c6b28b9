// Measures a command. Each function resolves to a sample, { value, cpu }, both in milliseconds unless it says otherwise.

import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { spawnChild, spawnTimed } from './child.mjs'
import { memoryOf, peakOfTree, settledMemoryOf } from './memory.mjs'
import { median } from './statistics.mjs'

/**
 * With an input: until it has written `answers` lines (1). Without one: until the end. `waitFor` is a descriptor and a text to wait for instead.
 * The processor time is that of another start, under bash, which takes time itself.
 */
export const timeStart = async (command, { input, answers = 1, waitFor, ...options }) => {
  const [fd, isThere] = waitFor ? [waitFor.fd, (text) => text.includes(waitFor.text)] : [1, (text) => text.split('\n').length > answers]
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', ...(fd === 3 ? ['pipe'] : [])]
  const run = (spawn) => {
    const started = performance.now()
    const { child, ended } = spawn(command, { ...options, stdio })
    let text = ''
    let first
    child.stdio[fd].setEncoding('latin1').on('data', (part) => {
      text += part
      if (first === undefined && isThere(text)) first = performance.now() - started
    })
    child.stdout.resume()
    child.stdin?.end(input)
    return ended.then((cpu) => ({ cpu, value: input === undefined ? performance.now() - started : first }))
  }
  const { value } = await run(spawnChild)
  if (value === undefined) throw new Error(`'${command.join(' ').slice(0, 200)}' does not answer`)
  const { cpu } = await run(spawnTimed)
  return { value, cpu }
}

/** All of a file, through a pipe and into another. */
export const timePipe = async (command, options) => {
  const started = performance.now()
  const { ended } = spawnTimed(command, options)
  const cpu = await ended
  return { value: performance.now() - started, cpu }
}

/** From the start to the end, with nothing to read. */
export const timeRun = async (command, options) => {
  const started = performance.now()
  const { child, ended } = spawnTimed(command, { ...options, stdio: ['ignore', 'pipe'] })
  child.stdout.resume()
  const cpu = await ended
  return { value: performance.now() - started, cpu }
}

/**
 * One line after the other, each answered by a line before the next is written: in microseconds, the median of the trips, and the processor
 * time of the whole process for each of them.
 */
export const timeTrips = async (command, { line, trips, ...options }) => {
  const { child, ended } = spawnTimed(command, options)
  const times = []
  let started = 0
  const send = () => {
    started = performance.now()
    child.stdin.write(line(times.length))
  }
  child.stdout.on('data', (chunk) => {
    if (chunk[chunk.length - 1] !== 10) return
    times.push(performance.now() - started)
    if (times.length < trips) send()
    else child.stdin.end()
  })
  send()
  const cpu = await ended
  if (times.length < trips) throw new Error(`'${command[0]}' ends after ${times.length} of ${trips} trips`)
  return { value: median(times) * 1000, cpu: (cpu / trips) * 1000 }
}

/** How long control messages take through a command that is loaded with data for so long: the median, in microseconds. */
export const timeControl = async (command, { env, seconds, load }) => {
  const script = 'set -o pipefail; node=$1 load=$2 seconds=$3; shift 3; "$node" "$load" feed "$seconds" | "$@" | "$node" "$load" receive'
  const words = [process.execPath, load, String(seconds), ...command]
  return { value: Number(await outputOf(['bash', '--norc', '-c', script, 'bash', ...words], { env, input: '' })) }
}

/** What a command keeps in memory, { value, peak } in MB, when it has answered one line and waits for the next. */
export const memoryAtRest = async (command, { input, isSilent = false, ...options }) => {
  const { child, ended } = spawnChild(command, options)
  child.stdin.write(input)
  if (!isSilent) await Promise.race([once(child.stdout, 'data'), ended])
  child.stdout.resume()
  const memory = await settledMemoryOf(child.pid)
  child.stdin.end()
  await ended
  return memory
}

/** What a command has kept in memory at most, in MB: while its output is not read, and, as the peak, when all of it has been read. */
export const memoryUnread = (command, { data, ...options }) =>
  withFile(data, async (fd) => {
    const { child, ended } = spawnChild(command, { ...options, stdio: [fd, 'pipe'] })
    await settledMemoryOf(child.pid)
    const unread = memoryOf(child.pid)
    let last = unread
    child.stdout.on('data', () => {
      last = memoryOf(child.pid) ?? last
    })
    await ended
    if (!unread) throw new Error(`'${command[0]}' ends although its output was not read`)
    return { value: unread.peak, peak: last.peak }
  })

const LOOK_MS = 50

/** The most that one process of a command has in memory while it works off a file, in MB. */
export const memoryAtWork = (command, { data, ...options }) =>
  withFile(data, async (fd) => {
    const { child, ended } = spawnChild(command, { ...options, stdio: [fd, 'ignore'] })
    let peak = 0
    const timer = setInterval(() => {
      peak = Math.max(peak, peakOfTree(child.pid) ?? 0)
    }, LOOK_MS)
    await ended.finally(() => clearInterval(timer))
    return { value: peak }
  })

/** What a command writes when it reads this. */
export const outputOf = async (command, { input, ...options }) => {
  const { child, ended } = spawnChild(command, options)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  child.stdin.end(input)
  await ended
  return text
}

/** A descriptor of a file, for as long as the work takes. */
const withFile = async (path, work) => {
  const fd = openSync(path)
  try {
    return await work(fd)
  } finally {
    closeSync(fd)
  }
}

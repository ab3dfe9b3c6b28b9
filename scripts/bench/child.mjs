// Runs a child that is measured. Node does not report the processor time of a child that has ended; bash does, including its descendants.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const RUN_TIMEOUT_MS = 180_000

// A descriptor below 10 would be taken for a channel of the executable.
const TIMED = `{ time "\${@:3}" 2>&11 11>&-; } 11>&2 2>"$1"`
const ALONE = `TIMEFORMAT='%U %S'; ${TIMED}`
const IN_PIPE = `set -o pipefail; TIMEFORMAT='%U %S'; cat "$2" | ${TIMED} | cat >/dev/null`

/**
 * Starts a command. `ended` resolves when it has ended with status 0 and its outputs are closed, and rejects with its standard error
 * otherwise. One that does not end within three minutes is killed, unless it is lasting.
 */
export const spawnChild = ([file, ...args], { env, cwd, stdio = ['pipe', 'pipe'], isLasting = false }) => {
  const [stdin, stdout, ...others] = stdio
  // A group of its own, for what it has started in its turn.
  const child = spawn(file, args, { env, cwd, stdio: [stdin, stdout, 'pipe', ...others], detached: true })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    complaint = (complaint + text).slice(0, 2000)
  })
  child.stdin?.on('error', () => {})
  const timer = isLasting ? undefined : setTimeout(() => process.kill(-child.pid, 'SIGKILL'), RUN_TIMEOUT_MS)
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) => {
      clearTimeout(timer)
      if (status === 0) resolve()
      else reject(new Error(`'${[file, ...args].join(' ').slice(0, 200)}' ends with ${signal ?? status}: ${complaint}`))
    })
  })
  ended.catch(() => {})
  return { child, ended }
}

/** The same, and `ended` resolves to the processor time that it has used, in milliseconds. With `data` it reads that file through a pipe, and its output is dropped. */
export const spawnTimed = (command, { data = '', ...options }) => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-bench-'))
  const file = join(directory, 'times')
  const script = data === '' ? ALONE : IN_PIPE
  const stdio = data === '' ? options.stdio : ['ignore', 'ignore']
  const { child, ended } = spawnChild(['bash', '--norc', '-c', script, 'bash', file, data, ...command], { ...options, stdio })
  const used = ended.then(() => readTimes(file)).finally(() => rmSync(directory, { recursive: true, force: true }))
  used.catch(() => {})
  return { child, ended: used }
}

// In some locales with a comma.
const readTimes = (file) => {
  const [, user, system] = /(\d+\.\d+) (\d+\.\d+)\n$/.exec(readFileSync(file, 'utf8').replaceAll(',', '.')) ?? []
  if (system === undefined) throw new Error('bash does not report the times of a command')
  return (Number(user) + Number(system)) * 1000
}

// Runs bash scripts over the real executables, each in a folder of its own with the files that it needs, and with a deadline.

import { spawn } from 'node:child_process'
import type { Test } from 'tap'
import { type Files, makeFolder } from './source-folder.js'

const DEADLINE_MS = 30_000
/** Cases at a time. */
const JOBS = 3

export interface Ran {
  readonly out: string
  readonly err: string
  /** Undefined: it did not end within the deadline. */
  readonly status: number | null | undefined
}

export interface Case {
  readonly run: string
  readonly in?: string
  readonly out?: string | RegExp
  /** What each error object must hold, in the order in which they are told. */
  readonly errors?: readonly object[]
  /** Default: 1 with errors, 0 without. */
  readonly status?: number
}

export const shell = (script: string, files: Files, input = ''): Promise<Ran> =>
  new Promise((done) => {
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env
    const child = spawn('bash', ['-c', script], { cwd: makeFolder(files), env, detached: true, stdio: 'pipe' })
    const ran = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => {
      ran.out += text
    })
    child.stderr.setEncoding('utf8').on('data', (text) => {
      ran.err += text
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      process.kill(-(child.pid as number), 'SIGKILL')
    }, DEADLINE_MS)
    child.on('close', (status) => {
      clearTimeout(timer)
      done({ ...ran, status: isLate ? undefined : status })
    })
  })

export const table = (t: Test, cases: Readonly<Record<string, Case>>, files: Files): Promise<unknown> => {
  const rest = Object.entries(cases)
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [name, { run, in: input, out = '', errors = [], status = errors.length > 0 ? 1 : 0 }] = next
      const ran = await shell(run, files, input)
      if (typeof out === 'string') t.equal(ran.out, out, `${name}: stdout`)
      else t.match(ran.out, out, `${name}: stdout`)
      t.match(ran.err, /^$|\n$/, `${name}: stderr ends with its line`)
      const told = ran.err.split('\n').filter((line) => line !== '')
      t.equal(told.length, errors.length, `${name}: ${errors.length} lines on stderr: ${ran.err}`)
      for (const [i, error] of errors.entries()) t.match(parse(told[i] ?? ''), error, `${name}: line ${i + 1} on stderr`)
      t.equal(ran.status, status, `${name}: status`)
    }
  }
  return Promise.all(Array.from({ length: JOBS }, work))
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

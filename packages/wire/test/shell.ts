// Bash scripts over the real executables, in directories of their own, each with a deadline.

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { scaled } from './patience.js'
import { withoutSandboxWarning } from './sandbox-here.js'

export type Files = Readonly<Record<string, string>>

export interface Ran {
  readonly out: string
  readonly err: string
  /** Null: ended by a signal; undefined: it did not end within the deadline. */
  readonly status: number | null | undefined
}

export interface Case {
  /** A bash script. */
  readonly run: string
  readonly in?: string | Buffer
  readonly out?: string | RegExp | ((out: string) => unknown)
  /** What each error object must hold, or its line, in the order in which they are reported. */
  readonly errors?: readonly (object | RegExp)[]
  /** Default: 1 with errors, 0 without. */
  readonly status?: number
}

const DEADLINE_MS = scaled(60_000)
/** Cases at a time. */
const JOBS = 3

// Tests run in the root. Beside the executables there is `pick`.
const BINS = [...readdirSync('packages').map((name) => `packages/${name}/bin`), 'test/bin'].filter((bin) => existsSync(bin))

/** What scripts find, and executables by their names. */
export const TEST_PATH = [...BINS.map((bin) => resolve(bin)), process.env.PATH].join(':')

/** A new directory, gone with the test, that holds these files; those that begin with `#!` can be run. */
export const makeTestDirectory = (files: Files = {}): string => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-test-')))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), text)
    if (text.startsWith('#!')) chmodSync(join(directory, name), 0o755)
  }
  return directory
}

export const envIn = (directory: string): Record<string, string> => ({ PATH: TEST_PATH, HOME: directory, LANG: 'C.UTF-8' })

interface Place {
  readonly directory: string
  readonly env?: NodeJS.ProcessEnv
}

export const bash = (script: string, { directory, env = envIn(directory) }: Place, input: string | Buffer = ''): Promise<Ran> =>
  new Promise((done) => {
    // Where stdin is a socket bash may take itself for a remote shell, and read ~/.bashrc.
    const child = spawn('bash', ['--norc', '-c', script], { cwd: directory, env, detached: true, stdio: 'pipe' })
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
      done({ out: ran.out, err: withoutSandboxWarning(ran.err), status: isLate ? undefined : status })
    })
  })

/** Several at a time, each compared with what it should come to. */
export const runCases = async (t: Test, cases: Readonly<Record<string, Case>>, run: (one: Case) => Promise<Ran>): Promise<void> => {
  const rest = Object.entries(cases)
  const work = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) compare(t, ...next, await run(next[1]))
  }
  await Promise.all(Array.from({ length: JOBS }, work))
}

const compare = (t: Test, name: string, { out = '', errors = [], status = errors.length > 0 ? 1 : 0 }: Case, ran: Ran): void => {
  if (typeof out === 'string') t.equal(ran.out, out, `${name}: stdout`)
  else if (out instanceof RegExp) t.match(ran.out, out, `${name}: stdout`)
  else t.ok(out(ran.out), `${name}: stdout is ${ran.out.slice(0, 200)}`)
  t.match(ran.err, /^$|\n$/, `${name}: stderr ends with its line`)
  const reported = ran.err.split('\n').filter((line) => line !== '')
  t.equal(reported.length, errors.length, `${name}: ${errors.length} lines on stderr: ${ran.err}`)
  for (const [i, error] of errors.entries()) {
    const line = reported[i] ?? ''
    t.match(error instanceof RegExp ? line : parse(line), error, `${name}: line ${i + 1} on stderr`)
  }
  t.equal(ran.status, status, `${name}: status`)
}

// A line that is not JSON is compared as it is.
const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

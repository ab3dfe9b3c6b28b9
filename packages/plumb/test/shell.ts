// Runs bash scripts over the real executables, in a folder of their own, each with a deadline.

import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import t from 'tap'

const PACKAGES = resolve(__dirname, '../../..')
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
  /** A bash script, in the folder of the files; a plain word is the name of a spec that reads `in`. */
  readonly run: string
  readonly in?: string | Buffer
  readonly out?: string | RegExp | ((out: string) => unknown)
  /** What each error object must hold, in the order in which they are told. */
  readonly errors?: readonly object[]
  readonly status?: number
}

/** Every script runs in a folder of its own with the files in it; those that begin with `#!` can be run. */
export const makeShell = (files: Readonly<Record<string, string>>) => {
  const root = mkdtempSync(join(tmpdir(), 'plumb-test-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  let folders = 0
  const layFolder = (): string => {
    const folder = join(root, String(folders++))
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
      if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755)
    }
    return folder
  }
  const env = {
    PATH: [...['plumb', 'plumb-agent', 'plumb-mux', 'plumb-tool'].map((name) => join(PACKAGES, name, 'bin')), process.env.PATH].join(':'),
    HOME: root,
    LANG: 'C.UTF-8',
  }

  const shell = (script: string, input: string | Buffer = ''): Promise<Ran> =>
    new Promise((done) => {
      const child = spawn('bash', ['-c', script], { cwd: layFolder(), env, detached: true, stdio: 'pipe' })
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

  const table = (title: string, cases: Readonly<Record<string, Case>>): void =>
    void t.test(title, async (t) => {
      const rest = Object.entries(cases)
      const work = async () => {
        for (let next = rest.shift(); next; next = rest.shift()) {
          const [name, { run, in: input, out = '', errors = [], status = errors.length > 0 ? 1 : 0 }] = next
          const ran = await shell(/^[\w-]+$/.test(run) ? `plumb ${run}.plumb` : run, input)
          if (typeof out === 'string') t.equal(ran.out, out, `${name}: stdout`)
          else if (out instanceof RegExp) t.match(ran.out, out, `${name}: stdout`)
          else t.ok(out(ran.out), `${name}: stdout is ${ran.out.slice(0, 200)}`)
          t.match(ran.err, /^$|\n$/, `${name}: stderr ends with its line`)
          const told = ran.err.split('\n').filter((line) => line !== '')
          t.equal(told.length, errors.length, `${name}: ${errors.length} lines on stderr: ${ran.err}`)
          for (const [i, error] of errors.entries()) t.match(parse(told[i] ?? ''), error, `${name}: line ${i + 1} on stderr`)
          t.equal(ran.status, status, `${name}: status`)
        }
      }
      await Promise.all(Array.from({ length: JOBS }, work))
    })

  return { shell, table, layFolder, env, fixtures: join(PACKAGES, 'plumb/test/fixtures') }
}

const parse = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

export const lines = (...values: readonly unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')

// Tables of bash scripts around the executable, with what each prints, what errors it has and how it ends.

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'

export interface Case {
  /** A bash script; `say` writes a line to the agent that `talk` has started, `hear` reads one from it. */
  readonly run: string
  readonly out?: string | RegExp
  /** Error objects: code, and what the detail must hold. */
  readonly errors?: readonly (readonly [code: string, detail?: string | RegExp])[]
  readonly status?: number
}

const PRELUDE = `
talk () { rm -f in out; mkfifo in out; plumb-agent "$@" < in > out & pid=$!; exec 8>in 9<out; }
say () { printf '%s\\n' "$1" >&8; }
hear () { local l; IFS= read -r -t 8 l <&9 && printf '%s\\n' "$l"; }
end () { exec 8>&-; wait $pid; }
`

const PACKAGES = join(__dirname, '../../..')

/** A folder of its own with these files; goes with the test. */
export const openShell = (
  files: Readonly<Record<string, string>>,
): { runTable: (title: string, cases: Readonly<Record<string, Case>>) => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-agent-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true })
    writeFileSync(join(folder, name), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 })
  }
  const env = {
    PATH: [...['plumb-agent', 'plumb-tool'].map((name) => join(PACKAGES, name, 'bin')), process.env.PATH].join(':'),
    HOME: folder,
    PLUMB_RESOURCES: join(folder, 'res'),
    LANG: 'C.UTF-8',
  }

  const bash = (run: string) =>
    spawnSync('bash', ['-c', `${PRELUDE}${run}`], { cwd: folder, env, encoding: 'utf8', timeout: 30_000, maxBuffer: 64 * 1024 * 1024 })

  const runTable = (title: string, cases: Readonly<Record<string, Case>>): void =>
    void t.test(title, async (t) => {
      for (const [name, { run, out = '', errors = [], status = 0 }] of Object.entries(cases)) {
        const result = bash(run)
        if (typeof out === 'string') t.equal(result.stdout, out, `${name}: stdout`)
        else t.match(result.stdout, out, `${name}: stdout`)
        const told = result.stderr.split('\n').filter((line) => line !== '')
        t.strictSame(
          told.map((line) => (JSON.parse(line) as { error: string }).error),
          errors.map(([code]) => code),
          `${name}: errors ${result.stderr}`,
        )
        for (const [i, [, detail]] of errors.entries()) if (detail !== undefined) t.match(told[i], detail, `${name}: error ${i}`)
        t.equal(result.status, status, `${name}: status`)
      }
    })

  return { runTable }
}

// Tables of scripts around plumb-agent. `send` writes a line to the agent that `start` runs, `receive` reads one from it; `ask RULES`
// starts a model that answers by them (test/bin/model).

import t from 'tap'
import { scaledSeconds } from '../../wire/test/patience.js'
import { bash, envIn, type Files, makeTestDirectory, runCases } from '../../wire/test/shell.js'

export interface Case {
  readonly run: string
  readonly out?: string | RegExp
  /** Error objects: the code, and what the detail must hold, or a pattern the whole line. */
  /** The code of a warning stands behind `warning `. */
  readonly errors?: readonly (readonly [code: string, detail?: string | RegExp])[]
  /** Default: 0. */
  readonly status?: number
}

const PRELUDE = `
start () { mkfifo in out; plumb-agent "$@" < in > out & pid=$!; exec 8>in 9<out; rm in out; }
send () { printf '%s\\n' "$1" >&8; }
receive () { local l; IFS= read -r -t ${scaledSeconds(30)} l <&9 && printf '%s\\n' "$l"; }
end () { exec 8>&-; wait $pid; }
ask () {
  cat > rules.mjs; model & srv=$!; trap 'kill $srv' EXIT
  until [ -s endpoint ]; do sleep 0.02; done
  export PLUMB_ENDPOINT=$(cat endpoint)
}
`

/** Every script runs in a directory of its own with the files in it. */
export const openShell = (files: Files): { runTable: (title: string, cases: Readonly<Record<string, Case>>) => void } => {
  const runTable = (title: string, cases: Readonly<Record<string, Case>>): void =>
    void t.test(title, async (t) => {
      const whole = Object.entries(cases).map(([name, { errors = [], status = 0, ...one }]) => {
        const expected = errors.map(([code, detail]) => {
          const [severity, name] = code.startsWith('warning ') ? ['warning', code.slice(8)] : ['error', code]
          if (detail instanceof RegExp) return new RegExp(`^{"${severity}":"${name}".*${detail.source}`)
          return { [severity]: name, ...(detail === undefined ? {} : { detail }) }
        })
        return [name, { ...one, errors: expected, status }] as const
      })
      await runCases(t, Object.fromEntries(whole), async ({ run }) => {
        const directory = makeTestDirectory(files)
        return bash(PRELUDE + run, { directory, env: { ...envIn(directory), PLUMB_RESOURCES: `${directory}/res` } })
      })
    })

  return { runTable }
}

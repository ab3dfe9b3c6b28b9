// What a document shows to be done, done: files laid, commands run, and their output compared with the output it shows.

import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { scaled } from '../packages/wire/test/patience.js'
import { withoutSandboxWarning } from '../packages/wire/test/sandbox-here.js'

export type Example =
  | { readonly kind: 'file'; readonly line: number; readonly name: string; readonly text: string }
  /** `output` is what stdout and stderr show together; without it the script must succeed. */
  | { readonly kind: 'run'; readonly line: number; readonly script: string; readonly output?: string }
  | { readonly kind: 'wrong'; readonly line: number; readonly reason: string }

/** Runs a document's examples in order in one directory of their own, where the source tree's directories are. Returns what is wrong. */
export const runExamples = async (examples: readonly Example[]): Promise<string[]> => {
  const directory = mkdtempSync(join(tmpdir(), 'plumb-docs-'))
  for (const name of ['packages', 'scripts', 'man']) symlinkSync(resolve(name), join(directory, name))
  if (!HAS_JQ) layFile(join(directory, '.bin', 'jq'), '#!/bin/sh\ncat >/dev/null\n', 0o755)
  try {
    const found: string[] = []
    for (const example of examples) {
      if (example.kind === 'file') layFile(join(directory, example.name), example.text)
      const wrong = example.kind === 'wrong' ? example.reason : example.kind === 'run' ? await runOne(example, directory) : undefined
      if (wrong !== undefined) found.push(`line ${example.line}: ${wrong}`)
    }
    return found
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Is the output what is shown? A line `…` (or `...`) stands for any lines, a `…` in a line for any text. */
export const isShown = (shown: string, output: string): boolean => {
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) => (/^\s*(…|\.\.\.)\s*$/.test(line) ? '(?:.*\\n)*?' : `${line.trimEnd().split('…').map(escape).join('.*')}[ \\t]*\\n`))
  return new RegExp(`^${pattern.join('')}$`).test(`${output.trimEnd()}\n`)
}

// A reader who copies a program from a page makes it executable by hand: the page has to say so.
const layFile = (path: string, text: string, mode = 0o644): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text, { mode })
}

// A machine without jq runs its examples for what they do, and cannot compare what jq would show.
const HAS_JQ = spawnSync('jq', ['--version']).status === 0
const NEEDS_JQ = /\bjq [-'".]/

const runOne = async ({ script, output }: Example & { kind: 'run' }, directory: string): Promise<string | undefined> => {
  const bins = readdirSync('packages')
    .map((name) => resolve('packages', name, 'bin'))
    .filter((bin) => existsSync(bin))
  const env = { PATH: [...bins, process.env.PATH, join(directory, '.bin')].join(':'), HOME: directory, TMPDIR: tmpdir(), LANG: 'C.UTF-8' }
  const { status, text } = await run(script, directory, env)
  if (!HAS_JQ && NEEDS_JQ.test(script)) return undefined
  if (status === undefined) return `${script.trim()}\ndoes not end; so far it printed\n${text}`
  if (output === undefined) return status === 0 ? undefined : `${script.trim()}\nends with status ${status}:\n${text}`
  const printed = withoutSandboxWarning(text)
  // Standard output and standard error are two streams, and which line comes first of those of two is not promised.
  const isAsShown = isShown(output, printed) || isShown(faultsLast(output), faultsLast(printed))
  return isAsShown ? undefined : `${script.trim()}\nprints\n${printed}\nnot\n${output}`
}

/** No status: it did not end in time, and its group was killed. */
const run = (script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ status?: number | null; text: string }> =>
  new Promise((done) => {
    const child = spawn('sh', ['-c', `exec 2>&1\n${script}`], { cwd, env, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
    let text = ''
    let isLate = false
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      text += piece
    })
    const timer = setTimeout(() => {
      isLate = true
      process.kill(-(child.pid as number), 'SIGKILL')
    }, scaled(30_000))
    child.on('close', (status) => {
      clearTimeout(timer)
      done(isLate ? { text } : { status, text })
    })
  })

const faultsLast = (text: string): string => {
  const lines = text.trimEnd().split('\n')
  const isFault = (line: string): boolean => /^\{"(error|warning)":/.test(line)
  return `${[...lines.filter((line) => !isFault(line)), ...lines.filter(isFault)].join('\n')}\n`
}

const escape = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

// A spec with its files in a folder of their own, and its tools as the sources make them: real children, no stages but those of the parts.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { bindingNamed, compile, hasErrors, STANDARD_LIBRARY, toolOf, toText } from '@plumb/lang'
import { diskFiles, type Fault, type Result, resolveProgram } from '@plumb/wire'
import t from 'tap'
import type { Call, Session } from '../src/call/call.js'
import { type BareTool, makeTool } from '../src/source/make.js'
import { openCall, openSession } from './call-session.js'

const PACKAGES = resolve(__dirname, '../../..')
// Where the executables of ours are found, as in an installation.
process.env.PATH = [...['plumb', 'plumb-agent', 'plumb-tool'].map((name) => join(PACKAGES, name, 'bin')), process.env.PATH].join(':')

export type Files = Readonly<Record<string, string>>

export interface Answer {
  /** Parsed; undefined for an error. */
  readonly value: unknown
  readonly text: string | undefined
  readonly error: Fault | undefined
  readonly record: Call['record']
}

export const makeFolder = (files: Files): string => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'plumb-source-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
    if (text.startsWith('#!')) chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** `spec` is laid into the folder as `t.plumb`; the docroot is the folder too. */
export const makeSource = (spec: string, others: Files = {}, parts: Partial<Session> = {}) => {
  const folder = makeFolder({ 't.plumb': spec, ...others })
  const path = join(folder, 't.plumb')
  const files = diskFiles([], STANDARD_LIBRARY)
  files.read(path)
  const { program, diagnostics } = compile({ path, text: spec }, files)
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  const session = openSession({ docroot: folder, files, ...parts })

  const tool = (name: string): Result<BareTool> => {
    const bound = bindingNamed(program, name)
    if (!bound) throw new Error(`no binding '${name}'`)
    return makeTool(toolOf(bound), { resolve: (part) => unwrap(tool(part.name)) })
  }

  /** A string is JSON text. */
  const call = async (name: string, input: unknown, signal: Call['signal'] = new AbortController().signal): Promise<Answer> => {
    const made = tool(name)
    const context = openCall(session, { signal })
    const result = made.ok ? await made.value.run(typeof input === 'string' ? input : JSON.stringify(input), context) : made
    const { record } = context
    if (!result.ok) return { value: undefined, text: undefined, error: result.error, record }
    return { value: JSON.parse(result.value), text: result.value, error: undefined, record }
  }
  return { folder, tool, call, session }
}

const unwrap = (made: Result<BareTool>): BareTool => {
  if (!made.ok) throw new Error(made.error.detail)
  return made.value
}

/** Fires after so many milliseconds. */
export const after = (ms: number): AbortSignal => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

/** Processes whose command line holds this text, zombies aside. */
export const running = (text: string): string[] =>
  spawnSync('ps', ['-A', '-o', 'stat=,args='], { encoding: 'utf8' })
    .stdout.split('\n')
    .filter((line) => line.includes(text) && !line.startsWith('Z') && !line.includes('plumb-lifeline'))

export const until = async (isSo: () => boolean, ms = 4000): Promise<boolean> => {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (isSo()) return true
    await new Promise((done) => setTimeout(done, 20))
  }
  return isSo()
}

export const hasBubblewrap = (): boolean => resolveProgram('bwrap', '/', process.env.PATH).ok

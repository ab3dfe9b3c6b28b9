// The built-in tools on a directory of their own, as the dispatcher runs them, without the stages around a call.

import { bundledFiles, type Fault } from '@plumb/wire'
import type { Session } from '../src/call/call.js'
import { builtinTool } from '../src/source/builtin/builtin-tool.js'
import { builtinDeclaration } from '../src/source/builtin/declarations.js'
import { findBuiltin } from '../src/source/builtin/table.js'
import { openCall, openSession } from './call-session.js'
import { type Files, makeTestDirectory } from './source-directory.js'

export interface Reported {
  // What a tool gives is looked at field by field.
  readonly value: Readonly<Record<string, unknown>> & string
  readonly error: Fault | undefined
}

export interface Builtins {
  readonly directory: string
  call(name: string, input: object): Promise<Reported>
  /** The code of its error, or ok. */
  code(name: string, input: object): Promise<string>
}

export interface BuiltinsOptions {
  readonly roots?: Readonly<Record<string, string | { readonly path: string; readonly hard_links?: boolean }>>
  readonly session?: Partial<Session>
  /** Paths of the running spec. */
  readonly specs?: readonly string[]
}

export const makeBuiltins = (files: Files = {}, options: BuiltinsOptions = {}): Builtins => builtinsIn(makeTestDirectory(files), options)

export const builtinsIn = (directory: string, { roots, session: parts, specs = [] }: BuiltinsOptions = {}): Builtins => {
  const sources = bundledFiles({ entry: '', files: Object.fromEntries(specs.map((path) => [path, ''])), modules: {} })
  const session = openSession({ docroot: directory, files: sources, ...parts })
  const call = async (name: string, input: object): Promise<Reported> => {
    const found = findBuiltin(name)
    const plan = found.ok ? builtinDeclaration(found.value.name) : undefined
    const made = plan && builtinTool(plan, { builtin: name, ...(roots ? { roots } : {}) })
    if (!made?.ok) throw new Error(`no built-in '${name}'`)
    const result = await made.value.run(JSON.stringify(input), openCall(session))
    if (result.ok) return { value: JSON.parse(result.value), error: undefined }
    return { value: '' as Reported['value'], error: result.error }
  }
  return { directory, call, code: async (name, input) => (await call(name, input)).error?.error ?? 'ok' }
}

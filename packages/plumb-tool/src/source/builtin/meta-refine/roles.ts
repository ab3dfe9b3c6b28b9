// The agents of refine.plumb, each asked in a process of its own, with the provider and model of whoever calls.

import { type Bound, bindingNamed, compile, hasErrors, type Json, toText } from '@plumb/lang'
import { bundledFiles, type Result, succeed } from '@plumb/wire'
import type { Call, Session } from '../../../call/call.js'
import { processRun } from '../../process/process-run.js'
import text from './refine.plumb'

export type Role = <T>(input: object, call: Call) => Promise<Result<T>>

export interface Roles {
  readonly proposer: Role
  readonly critic: Role
  readonly reviser: Role
}

/** No file of anybody has this name. */
const PATH = '<meta_refine>'

export const openRoles = (caller: NonNullable<Session['caller']>): Roles => {
  const spec = text.replaceAll('= agent {', `= agent {\n${entriesOf(caller)}`)
  const files = bundledFiles({ entry: PATH, files: { [PATH]: spec }, modules: {} })
  const { program, diagnostics } = compile({ path: PATH, text: spec }, files)
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  const role = (name: string): Role => {
    const run = processRun(bindingNamed(program, name) as Bound, { sandbox: undefined, filesFor: () => files })
    return async <T>(input: object, call: Call) => {
      const result = await run(JSON.stringify(input), call)
      return result.ok ? succeed(JSON.parse(result.value) as T) : result
    }
  }
  return { proposer: role('proposer'), critic: role('critic'), reviser: role('reviser') }
}

const entriesOf = (caller: NonNullable<Session['caller']>): string =>
  Object.entries(caller satisfies { readonly [key: string]: Json | undefined })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)}\n`)
    .join('')

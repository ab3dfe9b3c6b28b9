// tool { builtin: "…" }: a built-in tool under the types that the spec declares.

import { resolve } from 'node:path'
import { isWirable, type Json, printType, type ToolPlan, type Type } from '@plumb/lang'
import { builtinEffects, isOnFiles } from '@plumb/policy'
import { type Fault, fail, type Result, succeed } from '@plumb/wire'
import type { Call } from '../../call/call.js'
import { fitInput } from '../../call/fit.js'
import { type TargetsOf, toTargets } from '../../call/targets.js'
import type { Run } from '../../combine/run.js'
import { programFilesOf } from '../program-files/detect-changes.js'
import type { BuiltinContext } from './builtin.js'
import { builtinDeclaration } from './declarations.js'
import { findBuiltin } from './table.js'

export interface BuiltinTool {
  readonly run: Run
  readonly targetsOf: TargetsOf
}

/**
 * The declared types may be narrower than those of the built-in, so each call is also checked against the built-in's own declaration,
 * bounds included.
 */
export const builtinTool = (plan: ToolPlan, config: { readonly [key: string]: Json }): Result<BuiltinTool> => {
  const found = findBuiltin(String(config.builtin))
  if (!found.ok) return found
  const { name, load } = found.value
  const declared = builtinDeclaration(name)
  if (!declared) throw new Error(`'${name}' is not declared in builtins.plumb`)
  if (isWirable(plan.input, declared.input) === 'no') return refuseMismatch(plan.name, name, 'takes', declared.input, plan.input)
  if (isWirable(declared.output, plan.output) === 'no') return refuseMismatch(plan.name, name, 'gives', declared.output, plan.output)
  const contextOf = async (call: Call, isWriter: boolean): Promise<BuiltinContext> => ({
    ...(await toContext(call, plan, config.roots as Roots | undefined, isWriter)),
    ...(typeof config.max_output === 'number' ? { maxOutput: config.max_output } : {}),
  })
  return succeed({
    run: async (input, call) => {
      const given = fitInput(input, declared.input)
      if (!given.ok) return given
      const builtin = await load()
      const context = await contextOf(call, builtin.writes !== undefined)
      if (builtinEffects(name).some(isOnFiles)) await recoverOnce(builtin.writes !== undefined, context)
      const wanted = JSON.parse(given.value.json) as { readonly root?: string }
      const result = await builtin.run(wanted, context)
      if (result.ok) return succeed(JSON.stringify(result.value))
      return result.error.error === 'no_such_file' ? refuseMissing(result.error, wanted.root, context) : result
    },
    targetsOf: async (input, call) => {
      const fit = fitInput(input, declared.input)
      // The call will be refused.
      if (!fit.ok) return toTargets({ paths: [], written: [], url: undefined })
      const builtin = await load()
      const given = JSON.parse(fit.value.json) as unknown
      const context = await contextOf(call, builtin.writes !== undefined)
      return toTargets({
        paths: builtin.paths?.(given, context) ?? [],
        written: builtin.writes?.(given, context) ?? [],
        url: builtin.url?.(given),
      })
    },
  })
}

type Roots = Readonly<Record<string, string | { readonly path: string; readonly hard_links?: boolean }>>

const refuseMismatch = (tool: string, builtin: string, does: string, own: Type, declared: Type) =>
  fail(
    'type_mismatch',
    `the built-in '${builtin}' ${does} '${printType(own)}', the signature of tool '${tool}' says '${printType(declared)}'`,
  )

const refuseMissing = async (error: Fault, root: string | undefined, context: BuiltinContext): Promise<Result<never>> => {
  const { withNearPath } = await import('./file/near-path.js')
  return { ok: false, error: await withNearPath(error, root, context) }
}

const recovered = new Set<string>()

// Finishes patches of killed processes: for readers once, for writers before each call.
const recoverOnce = async (isWriter: boolean, context: BuiltinContext): Promise<void> => {
  const key = [...context.roots.values()].join('\0')
  if (!isWriter && recovered.has(key)) return
  recovered.add(key)
  const { recover } = await import('./apply-patch/recover.js')
  await recover(context)
}

const toContext = async (call: Call, { name }: ToolPlan, roots: Roots | undefined, isWriter: boolean): Promise<BuiltinContext> => {
  const { docroot, authority } = call.session
  const named = Object.entries(roots ?? { docroot: '.' })
  const directories = named.map(([name, root]) => [name, resolve(docroot, typeof root === 'string' ? root : root.path)] as const)
  const linked = named.flatMap(([name, root]) => (typeof root === 'object' && root.hard_links ? [name] : []))
  return {
    call,
    tool: name,
    roots: new Map(directories),
    ...(linked.length > 0 ? { hardLinked: new Set(linked) } : {}),
    ...(isWriter ? { programFiles: (await programFilesOf(call.session)).list } : {}),
    mayReachPrivateNet: authority().grant?.includes('net.private') ?? false,
  }
}

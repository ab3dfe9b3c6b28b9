// Specs of an embedding program: by their paths, as texts, or compiled.

import {
  type Compiled,
  compile as compileText,
  type DiagnosticJson,
  diagnosticToJson,
  errorsOf,
  MAX_WRITTEN,
  printPorts,
  printType,
  STANDARD_LIBRARY,
  toText,
} from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import { diskFiles, fail, map, type Result, searchPath, succeed } from '@plumb/wire'

/** A path, a text (whose paths are relative to the working directory), or what `compile` gave. */
export type Spec = string | { readonly source: string } | CompiledSpec

/** A spec without errors. */
export interface CompiledSpec {
  readonly spec: string | { readonly source: string }
  /** Declared types by their names, as plumb writes them. */
  readonly types: Readonly<Record<string, string>>
  /** Each with its kind (`stream`, `base`, `value`) and the types of its ports. */
  readonly bindings: Readonly<
    Record<string, { readonly kind: string; readonly inputs: readonly string[]; readonly outputs: readonly string[] }>
  >
}

export type Diagnostic = DiagnosticJson

/** Every error and warning, as `plumb check --json` has them; one that has no place is an error of the result. */
export const check = async (spec: Spec): Promise<Result<readonly Diagnostic[]>> =>
  map(await load(spec), ({ diagnostics }) => diagnostics.map(diagnosticToJson))

export const compile = async (spec: Spec): Promise<Result<CompiledSpec>> => {
  if (isCompiled(spec)) return succeed(spec)
  const loaded = await load(spec)
  if (!loaded.ok) return loaded
  const { program, diagnostics } = loaded.value
  const errors = errorsOf(diagnostics)
  if (errors.length > 0) return fail('spec_invalid', errors.map(toText).join('\n'))
  const types = [...program.entry.types.values()].map((type) => [type.name, printType(type.target, MAX_WRITTEN)] as const)
  const bindings = [...program.entry.bindings.values()].map(
    (bound) => [bound.name, { kind: bound.category, ...printPorts(bound, MAX_WRITTEN) }] as const,
  )
  return succeed({ spec, types: Object.fromEntries(types), bindings: Object.fromEntries(bindings) })
}

export const isCompiled = (spec: Spec): spec is CompiledSpec => typeof spec !== 'string' && 'spec' in spec

const load = async (spec: Spec): Promise<Result<Compiled>> => {
  const of = isCompiled(spec) ? spec.spec : spec
  const files = diskFiles(searchPath(), STANDARD_LIBRARY)
  const text = typeof of === 'string' ? files.read(of) : succeed(of.source)
  const path = typeof of === 'string' ? of : '<eval>'
  return text.ok ? succeed(await withFlows(compileText({ path, text: text.value, files, checksTests: true }), {})) : text
}

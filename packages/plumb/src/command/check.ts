// plumb check: prints ok with counts, or every diagnostic (plumbing(5), DIAGNOSTICS).

import {
  agentsOf,
  type Bound,
  type Compiled,
  compile,
  type Diagnostic,
  diagnosticToJson,
  errorsOf,
  hasErrors,
  type Json,
  MAX_WRITTEN,
  type NamedParam,
  type Need,
  type Program,
  printPorts,
  printType,
  repairToJson,
  toolProtocolOf,
  toolsOf,
} from '@plumb/lang'
import type { Edit } from '@plumb/lang/service'
import { effectsOf } from '@plumb/policy'
import type { SpecOptions } from '@plumb/runtime/options'
import { findMissing, findSkillProblems, type LoadedSpec, loadSpec, reportDiagnostics, selectBinding } from '@plumb/runtime/spec'
import { ACCOUNTS, escapeLines, Reporter, writeStdout } from '@plumb/wire'
import { labelsOf, mustComeBefore } from '@plumb/wire/protocol'

/** Exit 2 if a spec has errors or cannot be read. With `--json` everything is written to stdout. */
export const check = async (paths: readonly string[], options: SpecOptions & { readonly json: boolean }): Promise<number> => {
  const reporter = new Reporter('plumb')
  const out: string[] = []
  const shown: Diagnostic[] = []
  for (const path of options.eval === undefined || paths.length > 0 ? paths : [undefined]) {
    const loaded = await loadSpec(path, { ...options, isCheck: true, isOfStrangers: true })
    if (!loaded.ok) {
      reporter.report(loaded.error)
      continue
    }
    const { compiled } = loaded.value
    const diagnostics = [...compiled.diagnostics, ...(hasErrors(compiled.diagnostics) ? [] : await runProblems(compiled))]
    const repairs = options.json && hasErrors(compiled.diagnostics) ? await repairsIn(loaded.value) : undefined
    if (options.json) out.push(...diagnostics.flatMap((d) => inJson(d, repairs?.get(d))))
    else shown.push(...diagnostics)
    if (options.flows && !hasErrors(compiled.diagnostics)) out.push(...(await flowsOf(compiled, options.json)))
    if (hasErrors(diagnostics)) reporter.status = 2
    else if (options.json) out.push(JSON.stringify(summary(compiled)))
    else out.push(...orderOf(compiled).map(orderInWords), okay(compiled, paths.length > 1 ? path : undefined))
  }
  if (paths.length === 0 && options.eval === undefined) {
    const none = await loadSpec(undefined, options)
    if (!none.ok) reporter.report(none.error)
  }
  reportDiagnostics(reporter, shown)
  const failure = out.length > 0 ? await writeStdout(escapeLines(`${out.join('\n')}\n`)) : undefined
  if (failure) reporter.report(failure)
  await reporter.end()
  return reporter.status
}

// The keys of a diagnostic are fixed: its repairs are a line of their own after it.
const inJson = (d: Diagnostic, repair: Edit | undefined): string[] => {
  const diagnostic = diagnosticToJson(d)
  const { file, line, column, code } = diagnostic
  const repairs = repair ? [JSON.stringify({ file, line, column, code, mends: [repairToJson(repair)] })] : []
  return [JSON.stringify(diagnostic), ...repairs]
}

/** For programs: tested edits of the file that leave fewer errors. */
const repairsIn = async ({ compiled, files }: LoadedSpec): Promise<ReadonlyMap<Diagnostic, Edit>> => {
  const { CheckReuse, repairsOf } = await import('@plumb/lang/service')
  const { path, program } = compiled.program.entry.module
  // Each edit is within one binding, and the others need no second check.
  const reuse = new CheckReuse()
  const recheck = (text: string) => errorsOf(compile({ path, text, files, checksTests: true, reuse }).diagnostics)
  return repairsOf(program.span.source, errorsOf(compiled.diagnostics), recheck)
}

/** Its sources, sinks and crossings, a line each. */
const flowsOf = async ({ program }: Compiled, isJson: boolean): Promise<readonly string[]> => {
  const { listFlows } = await import('@plumb/lang/flow')
  const list = listFlows(program, effectsOf)
  if (isJson) return list.map(({ kind, ...entry }) => JSON.stringify({ flow: kind, ...entry }))
  return list.map(({ kind, name, why, file, line, column }) => `${file}:${line}:${column}: ${kind}: ${name}: ${why}`)
}

/** Why a run of the file's bindings would be refused. */
const runProblems = async ({ program }: Compiled): Promise<Diagnostic[]> => {
  const bounds = [...program.entry.bindings.values()]
  const main = program.entry.bindings.get('main')
  const started = main && selectBinding(program, 'main')
  const refused: Diagnostic[] =
    main && started?.ok === false
      ? [{ severity: 'error', code: started.error.error, message: started.error.detail, span: main.binding.name.span }]
      : []
  const missing = findMissing(bounds.filter(({ category }) => category === 'stream' || category === 'base'))
  const severityOf = ({ isOptional }: Need) => (isOptional ? ('warning' as const) : ('error' as const))
  const lacks = missing.map(({ code, message, need }) => ({ severity: severityOf(need), code, message, span: need.span }))
  return [...refused, ...lacks, ...(await findSkillProblems(bounds)), ...(await unloadable(program))]
}

/** Tools that are refused when they are loaded. */
const unloadable = async (program: Program): Promise<Diagnostic[]> => {
  const tools = toolsOf(program).filter(({ body }) => body.kind === 'tool' && ['builtin', 'agent'].includes(body.source))
  if (tools.length === 0) return []
  const { findUnloadable } = await import('@plumb/tool/internal')
  return findUnloadable(tools).map(({ plan: { span }, fault: { error, detail } }) => ({
    severity: 'error',
    code: error,
    message: detail,
    span,
  }))
}

const okay = ({ typeCount, bindingCount }: Compiled, path: string | undefined): string => {
  const text = `ok (${typeCount} types, ${bindingCount} bindings)`
  return path === undefined ? text : `${path}: ${text}`
}

/** Types by name, bindings with their ports, and params as --set has them, for programs. */
const summary = (compiled: Compiled) => {
  const { program, params } = compiled
  const outside = outsideOf(program)
  const order = orderOf(compiled)
  return {
    ok: true,
    types: Object.fromEntries([...program.entry.types.values()].map((t) => [t.name, printType(t.target, MAX_WRITTEN)])),
    bindings: Object.fromEntries([...program.entry.bindings.values()].map((b) => [b.name, signature(b)])),
    ...(params.length > 0 ? { params: Object.fromEntries(params.map(described)) } : {}),
    ...(outside.length > 0 ? { outside } : {}),
    ...(order.length > 0 ? { order } : {}),
  }
}

interface Order {
  readonly agent: string
  readonly tool: string
  readonly after: readonly string[]
}

/** The calls of its agents before which others must come, by their protocols. */
const orderOf = ({ program }: Compiled): readonly Order[] =>
  agentsOf(program).flatMap(({ name: agent, bound }) => {
    const { automaton } = toolProtocolOf(bound) ?? {}
    const tools = automaton ? labelsOf(automaton) : []
    return tools.flatMap((tool) => {
      const after = automaton ? mustComeBefore(automaton, tool) : []
      return after.length > 0 ? [{ agent, tool, after }] : []
    })
  })

const orderInWords = ({ agent, tool, after }: Order, _: number, all: readonly Order[]): string => {
  // Two agents may use one tool in different orders.
  const isAlone = all.every((other) => other.tool !== tool || other.agent === agent)
  return `${isAlone ? '' : `${agent}: `}${tool}: only after ${after.join(', ')}`
}

/** What its agents run as the user, and in no sandbox. */
const outsideOf = (program: Program) =>
  agentsOf(program).flatMap(({ name, config: { provider = process.env.PLUMB_PROVIDER, key_command, command, a2a } }) => {
    // ELIZA, a person, a program and an agent elsewhere need no key from here.
    if (command !== undefined || a2a !== undefined || provider === 'eliza' || provider === 'person') return []
    const said = process.env.PLUMB_KEY_COMMAND?.trim() ?? ''
    const own = ACCOUNTS.find((account) => account.name === provider)?.keyCommand
    const words = key_command ?? (said === '' ? own : said.split(/\s+/))
    return words === undefined ? [] : [{ agent: name, kind: 'key_command', words }]
  })

const described = ({ name, param: { type, text } }: NamedParam) => [
  name,
  { type: type ? printType(type, MAX_WRITTEN) : '?', ...(text === undefined ? {} : { default: JSON.parse(text) as Json }) },
]

const signature = (bound: Bound) =>
  bound.category === 'value' ? { kind: 'value' } : { kind: bound.category, ...printPorts(bound, MAX_WRITTEN) }

// Tables of programs and everything that is wrong with them: `line:column-end code message | help`, one a diagnostic, and no others.

import { fault } from '@plumb/wire/error'
import t, { type Test } from 'tap'
import { EFFECTS } from '../src/check/rules.js'
import { type Compiled, compile } from '../src/compile.js'
import { type Diagnostic, diagnosticToJson, hasErrors } from '../src/diagnostic/diagnostic.js'
import type { Files } from '../src/names/modules.js'
import { readAgent, writeAgent } from '../src/program/agent-json.js'
import { type AgentPlan, agentsOf } from '../src/program/agent-plan.js'
import { type CheckedAgent, checkedAgent } from '../src/program/checked-agent.js'
import { agentTools } from '../src/program/tool-plan.js'
import { printType } from '../src/types/print.js'
import { toSchema } from '../src/types/schema.js'
import type { Type } from '../src/types/type.js'

/** Module files by path: `lib/a.plumb`. By name they are found at the top. */
export type ModuleTexts = Readonly<Record<string, string>>

export const filesOf = (modules: ModuleTexts): Files => ({
  read: (path) => {
    const text = Object.hasOwn(modules, path) ? modules[path] : undefined
    return text === undefined ? { ok: false, error: fault('file_not_found', 'no such file') } : { ok: true, value: text }
  },
  find: (name) => (Object.hasOwn(modules, `${name}.plumb`) ? `${name}.plumb` : undefined),
  beside: (path) => path.replace(/^\.\//, ''),
})

export const compileText = (text: string, modules: ModuleTexts = {}): Compiled =>
  compile({ path: 'main.plumb', text, files: filesOf(modules), checksTests: true })

/** What is expected: each text names a place (`a.plumb:` before it where that is another file), a code, a piece of the message and of the help. */
export const reports = (t: Test, name: string, text: string, expected: readonly string[], modules: ModuleTexts = {}): void => {
  const { diagnostics: found, program } = compileText(text, modules)
  if (!hasErrors(found)) for (const agent of agentsOf(program)) isHandedOn(t, agent)
  const shown = found.map(show)
  const isRight = found.length === expected.length && found.every((d, i) => isAsExpected(d, expected[i] ?? ''))
  t.ok(isRight, name, isRight ? {} : { text, expected, found: shown })
}

/** What its parent hands over is the agent that it compiled. */
const isHandedOn = (t: Test, plan: AgentPlan): void => {
  const tools = agentTools(plan.bound).map(({ name, description = '', input, output }) => {
    const effects = { name, effects: [...EFFECTS], needsApproval: false }
    return { ...effects, description, input, output, parts: [effects], timeoutMs: 1.5 }
  })
  const agent = checkedAgent(plan, tools)
  const read = readAgent(JSON.parse(JSON.stringify(writeAgent(agent))))
  t.strictSame(read.ok ? shownAgent(read.value) : read.error.detail, shownAgent(agent), `${plan.name} is handed on`)
}

// Types by what is known of them: how they are printed, and what JSON they describe.
const shownAgent = ({ tools, ...agent }: CheckedAgent) => ({
  ...withShownTypes(agent),
  config: JSON.stringify(agent.config),
  tools: tools.map(withShownTypes),
})

const withShownTypes = <T extends { readonly input: Type; readonly output: Type }>(typed: T) => ({
  ...typed,
  input: [printType(typed.input), toSchema(typed.input)],
  output: [printType(typed.output), toSchema(typed.output)],
})

const isAsExpected = (d: Diagnostic, expected: string): boolean => {
  const [head = '', help] = expected.split(' | ')
  const [place = '', code = '', ...words] = head.split(' ')
  const { message, help: given } = diagnosticToJson(d)
  return (
    place === placeOf(d) && code === d.code && message.includes(words.join(' ')) && (help === undefined || (given ?? '').includes(help))
  )
}

const show = (d: Diagnostic): string => {
  const { message, help } = diagnosticToJson(d)
  return `${placeOf(d)} ${d.code} ${message}${help === undefined ? '' : ` | ${help}`}`
}

const placeOf = (d: Diagnostic): string => {
  const { file, line, column, end_line, end_column } = diagnosticToJson(d)
  return `${file === 'main.plumb' ? '' : `${file}:`}${line}:${column}-${end_line === line ? '' : `${end_line}:`}${end_column}`
}

/** A name for the test, the program, all that is reported, and the modules it uses. */
type Row = readonly [string, string, readonly string[], ModuleTexts?]

export const table = (name: string, rows: readonly Row[]): void => {
  t.test(name, async (t) => {
    for (const row of rows) reports(t, ...row)
  })
}

export const lines = (...list: string[]): string => list.join('\n')
/** Lines of statements between the ports of `main`, from line 3. `f` and `g` are `!int -> !int`. */
export const body = (...list: string[]): string =>
  lines(
    'let f : !int -> !int = id ; id',
    'let g : !int -> !int = plumb(from, to) { from ; to }',
    'let main : !int -> !json = plumb(input, output) {',
    ...list,
    '}',
  )

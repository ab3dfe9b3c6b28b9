// The doubles of models and tools in a test: the keys `models` and `tools`.

import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { agentConfig } from '../check/agent.js'
import { nameIn } from '../check/config.js'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { checkUsed } from '../expression/check-expression.js'
import { type Bound, findBinding, printName, type Scope } from '../names/names.js'
import type { Computed, EntryOf, Name, QualifiedName, TestObject, TestValue } from '../parse/ast.js'
import { printType } from '../types/print.js'
import { JSON_TYPE, type Type } from '../types/type.js'
import { isWirable } from '../types/wirable.js'
import { readCondition, recordOf } from './condition.js'
import { readTestMessage } from './message.js'
import type { Script, ScriptedAnswer } from './test-plan.js'

export interface Scripts {
  readonly bound: ReadonlyMap<Bound, Script>
  /** By names that no binding has: tools of servers. */
  readonly offered: ReadonlyMap<string, Script>
}

export type Doubled = 'model' | 'tool'

/** The doubled subject: an agent, or a binding of bare types. */
const isDoubled = (of: Doubled, bound: Bound): boolean => (of === 'model' ? bound.binding.impl.kind === 'agent' : bound.category === 'base')

export const readScripts = (value: TestValue, of: Doubled, scope: Scope, report: Report): Scripts => {
  const bound = new Map<Bound, Script>()
  const offered = new Map<string, Script>()
  if (value.kind !== 'object') {
    report(error('config_invalid', `'${of}s' takes an object: the name of ${AN[of]}, and what it answers`, value.span))
    return { bound, offered }
  }
  const places = new Map<string, Span>()
  for (const { key, value: script } of value.entries) {
    const first = places.get(key.text)
    if (first) reportDuplicate('key', key.text, first, key.span, report)
    places.set(key.text, key.span)
    if (of === 'tool' && key.text.includes(':')) {
      const read = readScript(script, { of, name: key.text, scope, input: JSON_TYPE, output: JSON_TYPE, report })
      if (read) offered.set(key.text, read)
      continue
    }
    const named = doubledCalled(key, of, scope, report)
    const [input = JSON_TYPE] = named?.inputs ?? []
    const [output = JSON_TYPE] = named?.outputs ?? []
    const read = named && readScript(script, { of, name: key.text, scope, input, output, report, agent: named })
    if (named && read) bound.set(named, read)
  }
  return { bound, offered }
}

const AN = { model: 'an agent', tool: 'a tool' } as const

/** The agent or tool of that name. Undefined: there is none, which is reported. */
export const doubledCalled = (key: Name, of: Doubled | undefined, scope: Scope, report: Report): Bound | undefined => {
  const name = nameIn({ kind: 'value', value: key.text, text: key.text, span: key.span })
  if (!name) {
    report(error('unknown_name', `'${preview(key.text)}' is not the name of a binding`, key.span))
    return undefined
  }
  const isWanted = (bound: Bound) => (of ? isDoubled(of, bound) : isDoubled('model', bound) || isDoubled('tool', bound))
  const bound = findBinding(name satisfies QualifiedName, scope, report, isWanted)
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  if (isWanted(bound)) return bound
  const what = of ? AN[of] : 'an agent or a tool'
  report(
    error(
      'config_invalid',
      `'${printName(name)}' is not ${what}`,
      key.span,
      of && isDoubled(OTHER[of], bound) ? `name it in '${OTHER[of]}s'` : undefined,
    ),
  )
  return undefined
}

const OTHER = { model: 'tool', tool: 'model' } as const

interface ScriptContext {
  readonly of: Doubled
  readonly name: string
  readonly scope: Scope
  readonly input: Type
  readonly output: Type
  readonly report: Report
  readonly agent?: Bound
}

const readScript = (value: TestValue, context: ScriptContext): Script | undefined => {
  const { name, input, output } = context
  const isList = value.kind === 'list'
  const answers = (isList ? value.items : [value]).map((item) => readAnswer(item, context))
  if (!answers.every((answer) => answer !== undefined)) return undefined
  return { name, input, output, isList, answers, span: value.span }
}

// An object with just the keys of a special form is that form.
const readAnswer = (value: TestValue, context: ScriptContext): ScriptedAnswer | undefined => {
  const { of, output, report } = context
  if (value.kind === 'computed') return readComputed(value, context)
  if (value.kind === 'name' && !value.name.module && value.name.name.text === 'random') return { kind: 'random' }
  const special = value.kind === 'object' ? readSpecial(value, context) : undefined
  if (special) return special.answer
  const json = readTestMessage(value, output, (wrong) =>
    report({ ...wrong, message: wrong.message.replace(/^this message /, `this answer of the ${of} `) }),
  )
  return json === undefined ? undefined : { kind: 'value', json }
}

const readSpecial = (object: TestObject, context: ScriptContext): { readonly answer: ScriptedAnswer | undefined } | undefined => {
  const { of, output, report } = context
  const keys = object.entries.map(({ key }) => key.text).sort()
  const result = of === 'model' ? 'answer' : 'result'
  const at = (key: string) => object.entries.find((e) => e.key.text === key) as EntryOf<TestValue>
  const hasCondition = keys.includes('when')
  const kind = keys.filter((key) => key !== 'when').join(' ')
  const as = (answer: ScriptedAnswer | undefined) => {
    const when = hasCondition ? conditionOf(at('when').value, context) : undefined
    return { answer: hasCondition && !when ? undefined : answer && { ...answer, ...(when ? { when } : {}) } }
  }
  if (kind === result || (kind === 'answer' && !hasCondition)) {
    const json = readTestMessage(at(kind).value, output, report)
    return as(json === undefined ? undefined : { kind: 'value', json })
  }
  if (kind === 'error') return as(readErrorCode(at('error').value, report))
  if (kind === 'call input' && of === 'model') return as(readCall(at('call').value, at('input').value, context))
  return undefined
}

const conditionOf = (value: TestValue, { scope, input, report }: ScriptContext) =>
  value.kind === 'condition' ? readCondition(value.expression, recordOf({ input }), scope, report) : undefined

const CODE = /^[a-z][a-z0-9_]*$/

const readErrorCode = (value: TestValue, report: Report): ScriptedAnswer | undefined => {
  if (value.kind === 'value' && typeof value.value === 'string' && CODE.test(value.value)) return { kind: 'error', code: value.value }
  report(error('config_invalid', '\'error\' takes the code of an error, such as "timeout"', value.span))
  return undefined
}

const readCall = (tool: TestValue, input: TestValue, { agent, report }: ScriptContext): ScriptedAnswer | undefined => {
  if (tool.kind !== 'value' || typeof tool.value !== 'string') {
    report(error('config_invalid', "'call' takes the name of a tool in quotes", tool.span))
    return undefined
  }
  const json = readTestMessage(input, undefined, report)
  const { impl } = agent?.binding ?? {}
  const config = agent && impl?.kind === 'agent' ? agentConfig(impl, agent.scope) : undefined
  const names = (config?.get('tools')?.names ?? []).map(printName)
  if (!names.includes(tool.value) && !config?.has('mcp')) {
    const near = nearest(tool.value, names)
    const help = near !== undefined ? `did you mean '${near}'?` : names.length > 0 ? `it has ${names.join(', ')}` : 'it has none'
    report(error('unknown_name', `the agent has no tool '${preview(tool.value)}'`, tool.span, help))
    return undefined
  }
  return json === undefined ? undefined : { kind: 'call', tool: tool.value, json }
}

const readComputed = (
  { function: { parameter, body } }: Computed,
  { scope, input, output, report }: ScriptContext,
): ScriptedAnswer | undefined => {
  const record = recordOf({ [parameter.text]: input })
  const type = checkUsed(body, { input: record, scope }, report)
  if (!type) return undefined
  if (isWirable(type, output) === 'no') {
    report(error('type_mismatch', `this gives '${printType(type)}', and '${printType(output)}' is asked for`, body.span))
    return undefined
  }
  return { kind: 'computed', parameter: parameter.text, computed: { expression: body, input: record, scope } }
}

// test "…" of name { … }: reads its keys (plumb-test(1)), and checks them against the ports of its subject.

import { nearest } from '@plumb/wire/nearest'
import { preview } from '@plumb/wire/preview'
import { nameIn } from '../check/config.js'
import { error, type Report, reportDuplicate } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, findBinding, printName, type Scope } from '../names/names.js'
import type { TestDeclaration, TestValue } from '../parse/ast.js'
import { portsOfInstance } from '../plan/instance.js'
import { JSON_TYPE, type Type } from '../types/type.js'
import { readCondition, readOfRow, recordOf } from './condition.js'
import { readMessages } from './message.js'
import { readJudge } from './read-judge.js'
import { doubledCalled, readScripts } from './read-script.js'
import type { ExpectedCalls, ExpectedMessages, Judge, MessagesByPort, TestCondition, TestPlan, TestPort } from './test-plan.js'

/** In the order in which a person writes them. */
const TEST_KEYS =
  'given data input want random expect expect_any_order matches holds errors models tools calls live wires snapshot model at_least judge runs timeout'.split(
    ' ',
  )

const TIMEOUT_S = 10
/** Of an evaluation, for a row: models take their time. */
const ROW_TIMEOUT_S = 60
/** More would exhaust the memory of the machine. */
const MAX_RANDOM = 1_000_000
const MAX_RUNS = 1000

/** Undefined: it has errors, all of them reported. */
export const readTest = (item: TestDeclaration, scope: Scope, report: Report): TestPlan | undefined => {
  const bound = findBinding(item.of, scope, report)
  if (bound === 'unknown' || bound.category === 'unknown') return undefined
  if (bound.category === 'value') {
    report(error('not_a_process', `'${printName(item.of)}' is a config value: there is nothing to run`, item.of.span))
    return undefined
  }
  let isRight = true
  const plan = new Reader(item, bound, scope, (wrong) => {
    isRight &&= wrong.severity !== 'error'
    report(wrong)
  }).read()
  return isRight ? plan : undefined
}

/** Ports that an agent has in addition to those of its messages. */
const OF_CONTROL: ReadonlySet<string> = new Set(['ctrl_in', 'ctrl_out', 'telemetry'])

class Reader {
  readonly #entries = new Map<string, TestValue>()
  readonly #inputs: readonly TestPort[]
  readonly #outputs: readonly TestPort[]

  constructor(
    private readonly item: TestDeclaration,
    private readonly bound: Bound,
    private readonly scope: Scope,
    private readonly report: Report,
  ) {
    const ports = bound.category === 'stream' ? portsOfInstance(bound) : undefined
    const typed = (name: string, type: Type | undefined): TestPort => ({ name, type: type ?? JSON_TYPE })
    this.#inputs = ports ? ports.inputs.map(({ name, type }) => typed(name, type)) : [typed('input', bound.inputs[0])]
    this.#outputs = ports ? ports.outputs.map(({ name, type }) => typed(name, type)) : [typed('output', bound.outputs[0])]
  }

  read(): TestPlan {
    this.#readKeys()
    const { item, bound, scope, report } = this
    const errors = this.#strings('errors') ?? []
    const models = this.#scripts('models')
    const tools = this.#scripts('tools')
    const isAnyInput = errors.includes('input_type_mismatch')
    const holds = this.#value('holds')
    return {
      name: item.name.text,
      of: bound,
      span: item.span,
      inputs: this.#inputs,
      outputs: this.#outputs,
      ...this.#source(isAnyInput),
      ...defined('rowInput', this.#ofRow('input', this.#inputs)),
      ...defined('rowWant', this.#ofRow('want', this.#outputs)),
      ...defined('expect', this.#messagesByPort('expect', this.#outputs)),
      isAnyOrder: this.#flag('expect_any_order'),
      ...defined('matches', this.#matches()),
      ...defined('holds', holds?.kind === 'condition' ? readCondition(holds.expression, this.#conditionInput(), scope, report) : undefined),
      errors,
      ...defined('errorsSpan', this.#value('errors')?.span),
      models: models.bound,
      tools: tools.bound,
      offered: tools.offered,
      calls: this.#calls(),
      live: this.#live(),
      wires: this.#wires(),
      ...defined('snapshot', this.#string('snapshot')),
      model: this.#model(),
      ...defined('atLeast', this.#number('at_least', 0, 1)),
      judges: this.#judges(),
      runs: this.#number('runs', 1, MAX_RUNS, true) ?? 1,
      timeoutMs: 1000 * (this.#number('timeout', 0.001, 86_400) ?? (this.#value('at_least') ? ROW_TIMEOUT_S : TIMEOUT_S)),
    }
  }

  #readKeys(): void {
    const places = new Map<string, Span>()
    for (const { key, value } of this.item.config.entries) {
      const first = places.get(key.text)
      if (first) reportDuplicate('key', key.text, first, key.span, this.report)
      places.set(key.text, key.span)
      if (TEST_KEYS.includes(key.text)) {
        this.#entries.set(key.text, value)
        continue
      }
      const near = nearest(key.text, TEST_KEYS)
      const help = near === undefined ? `it takes ${TEST_KEYS.join(', ')}` : `did you mean '${near}'?`
      this.report(error('unknown_option', `a test has no key '${preview(key.text)}'`, key.span, help))
    }
    this.#oneOf(['given', 'data', 'random'])
    this.#oneOf(['expect', 'matches'])
    this.#need('expect_any_order', ['expect'])
    this.#need('input', ['data'])
    this.#need('want', ['data'])
    this.#need('at_least', ['holds', 'matches', 'expect', 'data', 'judge'])
    this.#need('judge', ['at_least'])
    for (const key of ['holds', 'matches', 'expect', 'want']) this.#oneOf([key, 'judge'])
    this.#oneOf(['expect', 'want'])
    this.#oneOf(['matches', 'want'])
  }

  #oneOf(keys: readonly string[]): void {
    const [first, second] = keys.filter((key) => this.#entries.has(key))
    const value = second === undefined ? undefined : this.#entries.get(second)
    if (value) this.#refuse(value, `a test has '${first}' or '${second}', not both`)
  }

  #need(key: string, others: readonly string[]): void {
    const value = this.#value(key)
    if (value && !others.some((other) => this.#entries.has(other))) this.#refuse(value, `'${key}' needs '${others[0]}' too`)
  }

  #value(key: string): TestValue | undefined {
    return this.#entries.get(key)
  }

  #refuse(value: TestValue, message: string, help?: string): undefined {
    this.report(error('config_invalid', message, value.span, help))
    return undefined
  }

  #literal<T>(key: string, what: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#value(key)
    if (!value) return undefined
    const found = value.kind === 'value' ? read(value.value) : undefined
    return found === undefined ? this.#refuse(value, `'${key}' takes ${what}`) : found
  }

  #string(key: string): string | undefined {
    return this.#literal(key, 'a string that is not empty', (v) => (typeof v === 'string' && v !== '' ? v : undefined))
  }

  #flag(key: string): boolean {
    return this.#literal(key, 'true or false', (v) => (typeof v === 'boolean' ? v : undefined)) ?? false
  }

  #number(key: string, least: number, most: number, isWhole = false): number | undefined {
    const fits = (v: unknown): v is number => typeof v === 'number' && v >= least && v <= most && (!isWhole || Number.isInteger(v))
    return this.#literal(key, `a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}`, (v) => (fits(v) ? v : undefined))
  }

  #strings(key: string): readonly string[] | undefined {
    const value = this.#value(key)
    if (!value) return undefined
    const words =
      value.kind === 'list'
        ? value.items.map((v) => (v.kind === 'value' && typeof v.value === 'string' ? v.value : undefined))
        : [undefined]
    return words.every((word) => word !== undefined) ? words : this.#refuse(value, `'${key}' takes a list of strings`)
  }

  #source(isAnyInput: boolean): Pick<TestPlan, 'given' | 'data' | 'random'> {
    const given = this.#messagesByPort('given', this.#inputs, isAnyInput)
    if (this.#value('given')) return defined('given', given)
    const data = this.#string('data')
    if (this.#value('data')) return defined('data', data)
    const random = this.#number('random', 1, MAX_RANDOM, true)
    if (this.#value('random')) return defined('random', random)
    return { given: new Map() }
  }

  #messagesByPort(key: string, ports: readonly TestPort[], isAny = false): MessagesByPort | undefined {
    const value = this.#value(key)
    if (!value) return undefined
    const typeOf = (port: TestPort) => (isAny ? undefined : port.type)
    const main = ports.filter(({ name }) => !OF_CONTROL.has(name))
    const names = ports.map(({ name }) => name).join(', ')
    const isByPort =
      value.kind === 'object' && (main.length !== 1 || value.entries.some((e) => ports.some((port) => port.name === e.key.text)))
    if (isByPort) {
      const byPort = new Map<string, ExpectedMessages>()
      for (const { key: portName, value: messages } of value.entries) {
        const port = ports.find(({ name }) => name === portName.text)
        const read = port && readMessages(messages, typeOf(port), `'${portName.text}'`, this.report)
        if (!port)
          this.report(
            error(
              'undeclared_port',
              `'${this.bound.name}' has no port '${preview(portName.text)}'`,
              portName.span,
              `there is ${names || 'none'}`,
            ),
          )
        if (read) byPort.set(portName.text, read)
      }
      return byPort
    }
    const [port, another] = main
    if (!port || another)
      return this.#refuse(value, `'${key}' takes messages by port here: { ${ports.map(({ name }) => `${name}: [ … ]`).join(', ')} }`)
    const read = readMessages(value, typeOf(port), `'${key}'`, this.report)
    return read && new Map([[port.name, read]])
  }

  #ofRow(key: 'input' | 'want', ports: readonly TestPort[]): TestCondition | undefined {
    const value = this.#value(key)
    if (value?.kind !== 'condition') return undefined
    const [port, another] = ports.filter(({ name }) => !OF_CONTROL.has(name))
    if (!port || another) return this.#refuse(value, `'${key}' is for a process of one ${key === 'input' ? 'input' : 'output'}`)
    return readOfRow(value.expression, port.type, this.scope, this.report)
  }

  /** The names for `holds` and `matches`. */
  #conditionInput(): Type {
    const [input, moreInputs] = this.#inputs.filter(({ name }) => !OF_CONTROL.has(name))
    const [output, moreOutputs] = this.#outputs.filter(({ name }) => !OF_CONTROL.has(name))
    const byPort = (ports: readonly TestPort[]) => recordOf(Object.fromEntries(ports.map(({ name, type }) => [name, list(type)])))
    return recordOf({
      out: moreOutputs ? undefined : output?.type,
      outs: moreOutputs ? byPort(this.#outputs) : output && list(output.type),
      given: moreInputs ? byPort(this.#inputs) : input?.type,
      row: this.#value('data') ? JSON_TYPE : undefined,
    })
  }

  #judges(): readonly Judge[] {
    const value = this.#value('judge')
    if (!value) return []
    const items = value.kind === 'list' ? value.items : [value]
    const judges = items.flatMap((item) => this.#judge(item) ?? [])
    if (items.length === 0) this.#refuse(value, "'judge' takes the name of a process, or a list of them")
    const isOne = judges.every(({ kind }) => kind === judges[0]?.kind)
    if (!isOne) this.#refuse(value, 'these judges score one output and compare two: they have to be of one kind')
    return judges
  }

  #judge(value: TestValue): Judge | undefined {
    const [input, moreInputs] = this.#inputs.filter(({ name }) => !OF_CONTROL.has(name))
    const [output, moreOutputs] = this.#outputs.filter(({ name }) => !OF_CONTROL.has(name))
    if (!input || !output || moreInputs || moreOutputs)
      return this.#refuse(value, `'${this.bound.name}' has several ports: a judge is given one input and one output`)
    return readJudge(value, { given: input.type, out: output.type, scope: this.scope, report: this.report })
  }

  #matches(): readonly TestCondition[] | undefined {
    const value = this.#value('matches')
    if (!value) return undefined
    if (value.kind !== 'list') return this.#refuse(value, "'matches' takes a list of expressions, one a message")
    const conditions = value.items.map((item) =>
      item.kind === 'condition' ? readCondition(item.expression, this.#conditionInput(), this.scope, this.report) : undefined,
    )
    return conditions.every((condition) => condition !== undefined) ? conditions : undefined
  }

  #scripts(key: 'models' | 'tools') {
    const value = this.#value(key)
    if (!value) return { bound: new Map(), offered: new Map() }
    return readScripts(value, key === 'models' ? 'model' : 'tool', this.scope, this.report)
  }

  #live(): ReadonlySet<Bound> {
    const value = this.#value('live')
    const items = value?.kind === 'list' ? value.items : value ? [value] : []
    const bounds = items.map((item) => {
      const name = item.kind === 'value' || item.kind === 'name' ? nameIn(item) : undefined
      if (!name) return this.#refuse(item, "'live' takes a list of names of agents and tools")
      return doubledCalled({ text: printName(name), span: item.span }, undefined, this.scope, this.report)
    })
    return new Set(bounds.filter((bound) => bound !== undefined))
  }

  #calls(): readonly ExpectedCalls[] {
    const value = this.#value('calls')
    if (!value) return []
    if (value.kind !== 'object') {
      this.#refuse(value, "'calls' takes an object: the name of an agent or tool, and how often it is asked")
      return []
    }
    return value.entries.flatMap(({ key, value: wanted }) => {
      const of = doubledCalled(key, undefined, this.scope, this.report)
      const expected = of && this.#expectedCalls(wanted, of)
      return of && expected ? [{ of, name: key.text, span: wanted.span, ...expected }] : []
    })
  }

  #expectedCalls(value: TestValue, of: Bound): Pick<ExpectedCalls, 'least' | 'most' | 'inputs'> | undefined {
    if (value.kind === 'list') {
      const inputs = readMessages(value, of.inputs[0], `'${of.name}'`, this.report)?.messages
      return inputs && { least: inputs.length, most: inputs.length, inputs }
    }
    const count = (v: TestValue | undefined): number | undefined =>
      v?.kind === 'value' && Number.isSafeInteger(v.value) && (v.value as number) >= 0 ? (v.value as number) : undefined
    const exact = count(value)
    if (exact !== undefined) return { least: exact, most: exact }
    const limits = value.kind === 'object' ? new Map(value.entries.map((e) => [e.key.text, count(e.value)])) : undefined
    if (limits && limits.size > 0 && [...limits].every(([key, limit]) => (key === 'min' || key === 'max') && limit !== undefined))
      return { least: limits.get('min') ?? 0, most: limits.get('max') ?? Number.POSITIVE_INFINITY }
    return this.#refuse(value, 'this takes a number of calls, { min, max }, or the list of their inputs')
  }

  #wires(): ReadonlyMap<string, ExpectedMessages> {
    const value = this.#value('wires')
    const wires = new Map<string, ExpectedMessages>()
    if (!value) return wires
    if (value.kind !== 'object')
      this.#refuse(value, '\'wires\' takes an object: the ends of a wire, as in "writer-critic", and what it carries')
    else
      for (const { key, value: messages } of value.entries) {
        const read = readMessages(messages, undefined, `"${preview(key.text)}"`, this.report)
        if (read) wires.set(key.text, read)
      }
    return wires
  }

  #model(): TestPlan['model'] {
    const kinds = ['scripted', 'recorded', 'live'] as const
    return this.#literal('model', 'one of "scripted", "recorded", "live"', (v) => kinds.find((kind) => kind === v)) ?? 'scripted'
  }
}

const list = (item: Type): Type => ({ kind: 'array', item })

/** The key alone where there is a value: for options that are absent rather than undefined. */
const defined = <K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } =>
  (value === undefined ? {} : { [key]: value }) as { readonly [k in K]?: V }

// Makes a test from a recorded run: its inputs, the answers of its models, and its outputs.

import { join } from 'node:path'
import { bindingNamed, type Program, portsOfInstance } from '@plumb/lang'
import { format } from '@plumb/lang/format'
import { canonicalJson, fail, isRecord, parseTree, preview, type Result, stringOf, succeed, type Tree } from '@plumb/wire'
import { type Exchange, exchangesIn, readIfSmall, recordLines } from './recorded-exchanges.js'

interface Wire {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** The text of the test, formatted. */
export const testFromRecord = (directory: string, program: Program): Result<string> => {
  const run = readRun(directory)
  if (!run.ok) return run
  const { binding, wires } = run.value
  const bound = bindingNamed(program, binding)
  if (bound?.category !== 'stream')
    return fail('record_invalid', `the record is of '${preview(binding)}', and the spec has no process of that name`, { path: directory })
  const { inputs, outputs } = portsOfInstance(bound)
  const given = inputs.map(({ name }) => [name, carried(directory, wires.filter(({ from }) => from === name).slice(0, 1))] as const)
  const came = outputs.map(
    ({ name }) =>
      [
        name,
        carried(
          directory,
          wires.filter(({ to }) => to === name),
        ),
      ] as const,
  )
  const { models, tools, errors } = exchangesIn(directory, program)
  const isMixed = outputs.some(({ name }) => wires.filter(({ to }) => to === name).length > 1)
  const entries = [
    `given: ${byPort(given)}`,
    ...scriptsOf('models', models, 'answer'),
    ...scriptsOf('tools', tools, 'result'),
    `expect: ${byPort(came)}`,
    ...(isMixed ? ['expect_any_order: true'] : []),
    ...(errors.length > 0 ? [`errors: ${JSON.stringify(errors)}`] : []),
  ]
  const text = `test ${JSON.stringify(`${bound.name}, as recorded`)} of ${binding} {\n${entries.join('\n')}\n}\n`
  const formatted = format({ path: directory, text })
  return formatted.ok
    ? succeed(formatted.text)
    : fail('record_invalid', `the record makes no test: ${formatted.diagnostics[0]?.message ?? ''}`, { path: directory })
}

const scriptsOf = (key: string, scripts: ReadonlyMap<string, readonly Exchange[]>, result: string): readonly string[] => {
  const entries = [...scripts].map(([name, all]) => `${fieldName(name)}: [${scriptOf(all, result).join(', ')}]`)
  return entries.length === 0 ? [] : [`${key}: { ${entries.join(', ')} }`]
}

// If several were asked at once, the order varies: then answers are matched by the question, if equal questions always had equal answers.
const scriptOf = (all: readonly Exchange[], result: string): readonly string[] => {
  const byInput = new Map<string, Exchange[]>()
  for (const exchange of all) {
    const key = canonicalJson(exchange.input)
    byInput.set(key, [...(byInput.get(key) ?? []), exchange])
  }
  const isClear = ({ input, json, code, isParallel }: Exchange): boolean =>
    isParallel && (byInput.get(canonicalJson(input)) ?? []).every((other) => other.json === json && other.code === code)
  return all.flatMap((exchange) => {
    if (!isClear(exchange)) return [answerOf(exchange, result)]
    const { input, json = 'null', code } = exchange
    const [first] = byInput.get(canonicalJson(input)) ?? []
    const answer = code === undefined ? `${result}: ${asValue(json)}` : `error: ${JSON.stringify(code)}`
    return first === exchange ? [`{ when: input = ${asValue(input)}, ${answer} }`] : []
  })
}

const answerOf = ({ json, code }: Exchange, result: string): string => {
  if (code !== undefined) return `{ error: ${JSON.stringify(code)} }`
  const text = asValue(json ?? 'null')
  return looksSpecial(json ?? 'null') ? `{ ${result}: ${text} }` : text
}

const readRun = (directory: string): Result<{ readonly binding: string; readonly wires: readonly Wire[] }> => {
  const path = join(directory, 'run.json')
  const refuse = fail('record_invalid', `'${preview(directory, 200)}' is not a record of a run: 'plumb --record DIR' makes one`, {
    path: directory,
  })
  const text = readIfSmall(path)
  if (text === undefined) return refuse
  try {
    const run: unknown = JSON.parse(text)
    if (!isRecord(run) || typeof run.binding !== 'string' || !Array.isArray(run.wires)) return refuse
    const wires = run.wires.filter(
      (wire): wire is Wire => isRecord(wire) && [wire.name, wire.from, wire.to].every((word) => typeof word === 'string'),
    )
    return succeed({ binding: run.binding, wires })
  } catch {
    return refuse
  }
}

const carried = (directory: string, wires: readonly Wire[]): readonly string[] =>
  wires.flatMap(({ name }) => (/[/\\]/.test(name) ? [] : recordLines(join(directory, `${name}.jsonl`))).map(asValue))

const byPort = (ports: readonly (readonly [name: string, messages: readonly string[]])[]): string => {
  const lists = ports.filter(([name, messages]) => !isControl(name) || messages.length > 0)
  const [only, another] = lists
  if (only && !another) return `[${only[1].join(', ')}]`
  return `{ ${lists.map(([name, messages]) => `${fieldName(name)}: [${messages.join(', ')}]`).join(', ')} }`
}

const isControl = (port: string): boolean => port === 'ctrl_in' || port === 'ctrl_out' || port === 'telemetry'

// JSON in the syntax of a spec.
const fieldName = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name))

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The JSON of a spec: names without quotes. */
const asValue = (json: string): string => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  return tree.kind === 'fault' ? 'null' : write(tree, bytes)
}

const write = (node: Tree, bytes: Buffer): string => {
  if (node.kind === 'object') {
    const fields = node.entries.map(({ key, node: value }) => `${fieldName(key)}: ${write(value, bytes)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  if (node.kind === 'array') return `[${node.items.map((item) => write(item, bytes)).join(', ')}]`
  return node.kind === 'string' ? JSON.stringify(stringOf(node, bytes)) : bytes.toString('utf8', node.start, node.end)
}

/** With exactly the keys of a special form. */
const looksSpecial = (json: string): boolean => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  const keys = tree.kind === 'object' ? tree.entries.map(({ key }) => key).sort() : []
  return SPECIAL.has(keys.join(' '))
}

const SPECIAL = new Set(['answer', 'result', 'error', 'call input', 'answer when', 'result when', 'error when'])

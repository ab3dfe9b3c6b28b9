// A test out of a recorded run: its inputs, the answers of its models, and what came out.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Bound, bindingNamed, type Program, portsOfInstance } from '@plumb/lang'
import { format } from '@plumb/lang/format'
import { fail, isRecord, parseTree, preview, type Result, stringOf, succeed, type Tree } from '@plumb/wire'

/** A test with more than that is not read by anyone. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_DEPTH = 10

interface Wire {
  readonly name: string
  readonly from: string
  readonly to: string
}

/** The text of the test, laid out. */
export const testFromRecord = (folder: string, program: Program): Result<string> => {
  const run = readRun(folder)
  if (!run.ok) return run
  const { binding, wires } = run.value
  const bound = bindingNamed(program, binding)
  if (bound?.category !== 'stream')
    return fail('record_invalid', `the record is of '${preview(binding)}', and the spec has no process of that name`, { path: folder })
  const { inputs, outputs } = portsOfInstance(bound)
  const given = inputs.map(({ name }) => [name, carried(folder, wires.filter(({ from }) => from === name).slice(0, 1))] as const)
  const came = outputs.map(
    ({ name }) =>
      [
        name,
        carried(
          folder,
          wires.filter(({ to }) => to === name),
        ),
      ] as const,
  )
  const models = answersIn(folder, program)
  const isMixed = outputs.some(({ name }) => wires.filter(({ to }) => to === name).length > 1)
  const entries = [
    `given: ${byPort(given)}`,
    ...(models.size > 0
      ? [`models: { ${[...models].map(([name, answers]) => `${keyOf(name)}: [${answers.join(', ')}]`).join(', ')} }`]
      : []),
    `expect: ${byPort(came)}`,
    ...(isMixed ? ['expect_any_order: true'] : []),
  ]
  const text = `test ${JSON.stringify(`${bound.name}, as recorded`)} of ${binding} {\n${entries.join('\n')}\n}\n`
  const formatted = format({ path: folder, text })
  return formatted.ok
    ? succeed(formatted.text)
    : fail('record_invalid', `the record makes no test: ${formatted.diagnostics[0]?.message ?? ''}`, { path: folder })
}

const readRun = (folder: string): Result<{ readonly binding: string; readonly wires: readonly Wire[] }> => {
  const path = join(folder, 'run.json')
  const refuse = fail('record_invalid', `'${preview(folder, 200)}' is no record of a run: 'plumb --record DIR' makes one`, { path: folder })
  const text = read(path)
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

const read = (path: string): string | undefined => {
  try {
    return statSync(path).size > MAX_BYTES ? undefined : readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

const linesOf = (path: string): readonly string[] => (read(path) ?? '').split('\n').filter((line) => line.trim() !== '')

const carried = (folder: string, wires: readonly Wire[]): readonly string[] =>
  wires.flatMap(({ name }) => (/[/\\]/.test(name) ? [] : linesOf(join(folder, `${name}.jsonl`))).map(asValue))

const byPort = (ports: readonly (readonly [name: string, messages: readonly string[]])[]): string => {
  const lists = ports.filter(([name, messages]) => !isControl(name) || messages.length > 0)
  const [only, another] = lists
  if (only && !another) return `[${only[1].join(', ')}]`
  return `{ ${lists.map(([name, messages]) => `${keyOf(name)}: [${messages.join(', ')}]`).join(', ')} }`
}

const isControl = (port: string): boolean => port === 'ctrl_in' || port === 'ctrl_out' || port === 'telemetry'

/** By the names of agents, in the order in which they answered. Nested plumbs have records of their own in folders below. */
const answersIn = (folder: string, program: Program, depth = 0): Map<string, string[]> => {
  const answers = new Map<string, string[]>()
  const add = (name: string, more: readonly string[]): void => {
    answers.set(name, [...(answers.get(name) ?? []), ...more])
  }
  for (const line of linesOf(join(folder, 'answers.jsonl'))) {
    const answer = readAnswer(line)
    const name = answer && agentAt(answer.process, program)
    if (answer && name !== undefined) add(name, [answer.text])
  }
  if (depth < MAX_DEPTH)
    for (const inner of foldersIn(folder)) for (const [name, more] of answersIn(inner, program, depth + 1)) add(name, more)
  return answers
}

const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
  } catch {
    return []
  }
}

const readAnswer = (line: string): { readonly process: string; readonly text: string } | undefined => {
  try {
    const answer: unknown = JSON.parse(line)
    if (!isRecord(answer) || typeof answer.process !== 'string') return undefined
    if (typeof answer.output === 'string') return { process: answer.process, text: asAnswer(answer.output) }
    const { error } = answer
    const code = isRecord(error) ? error.error : error
    return typeof code === 'string' ? { process: answer.process, text: `{ error: ${JSON.stringify(code)} }` } : undefined
  } catch {
    return undefined
  }
}

// The place of an agent is its name, behind those of the chains around it, with a number where there are several.
const agentAt = (place: string, program: Program): string | undefined => {
  const words = place.split('.').filter((word) => !/^\d+$/.test(word))
  const isAgent = (bound: Bound | undefined): boolean => bound?.binding.impl.kind === 'agent'
  return [words.slice(-1).join('.'), words.slice(-2).join('.')].find((name) => isAgent(bindingNamed(program, name)))
}

const keyOf = (name: string): string => (IDENTIFIER.test(name) ? name : JSON.stringify(name))

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** JSON as it stands in a spec: names without quotes. */
const asValue = (json: string): string => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  return tree.kind === 'fault' ? 'null' : write(tree, bytes)
}

const SPECIAL = new Set(['answer', 'error', 'call input', 'answer when', 'error when'])

const asAnswer = (json: string): string => {
  const bytes = Buffer.from(json)
  const tree = parseTree(bytes, 0, bytes.length)
  if (tree.kind === 'fault') return 'null'
  const keys = tree.kind === 'object' ? tree.entries.map(({ key }) => key).sort() : []
  return SPECIAL.has(keys.join(' ')) ? `{ answer: ${write(tree, bytes)} }` : write(tree, bytes)
}

const write = (node: Tree, bytes: Buffer): string => {
  if (node.kind === 'object') {
    const fields = node.entries.map(({ key, node: value }) => `${keyOf(key)}: ${write(value, bytes)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  if (node.kind === 'array') return `[${node.items.map((item) => write(item, bytes)).join(', ')}]`
  return node.kind === 'string' ? JSON.stringify(stringOf(node, bytes)) : bytes.toString('utf8', node.start, node.end)
}

// check and call: programs that a client writes itself.

import { type Fault, fault, preview } from '@plumb/wire'
import type { ServerAuthority } from '../grant.js'
import { type McpToolResult, toContent, toError } from '../tools/answer.js'
import { type CallContext, hintsOf, type ServedTool } from '../tools/served-tool.js'
import { compileInWorker } from './compile-in-worker.js'
import type { CompiledSource } from './compiled-source.js'
import { checkPrompts } from './prompt-policy.js'
import { runSource, type SourceOutcome } from './run-source.js'

export interface SourceOptions {
  /** Absolute and real. */
  readonly docroot: string
  readonly authority: ServerAuthority
  /** Options of `plumb run`, for the agents of the source. */
  readonly args: readonly string[]
  /** Files that no program of a client may change. */
  readonly around: readonly string[]
  /** Reports what the client's program does without. */
  readonly warn: (warning: Fault) => void
  /** Seconds. */
  readonly timeout: number
}

/** No file has this name. */
const PATH = '<source>'
const MAX_INPUTS = 1000

export const sourceTools = (options: SourceOptions): readonly ServedTool[] => [checkTool(options), callSourceTool(options)]

const SOURCE = { type: 'string', description: 'A spec in the plumb language, as in: let main : !int -> !int = map(value * 2)' }

const checkTool = ({ docroot, authority: { grant } }: SourceOptions): ServedTool => ({
  name: 'check',
  description: 'Check a plumb spec: say ok, or everything that is wrong with it. Nothing of it is run.',
  inputSchema: { type: 'object', properties: { source: SOURCE }, required: ['source'], additionalProperties: false },
  outputSchema: {
    type: 'object',
    properties: {
      ok: { type: 'boolean' },
      types: { type: 'integer', description: 'How many it declares' },
      bindings: { type: 'integer' },
      signatures: { type: 'object', additionalProperties: { type: 'string' }, description: 'Of the bindings, by name' },
      diagnostics: { type: 'array', items: { type: 'object' } },
      refused: { type: 'array', items: { type: 'object' }, description: 'Why the tool call would not run it' },
    },
    required: ['ok', 'types', 'bindings', 'diagnostics'],
  },
  annotations: hintsOf([]),
  effects: [],
  call: async (input, { signal }) => {
    const { source, ...rest } = JSON.parse(input) as Readonly<Record<string, unknown>>
    const mismatch = strayField(rest, 'check', ['source']) ?? notText(source)
    if (mismatch) return toError(mismatch)
    const compiled = await compileInWorker({ docroot, grant, path: PATH, text: String(source) }, signal)
    return compiled.ok ? verdict(compiled.value) : toError(compiled.error)
  },
})

const verdict = (compiled: CompiledSource): McpToolResult => {
  const { ok, types, bindings, diagnostics, text } = compiled
  const refused = compiled.ok ? compiled.refusals : []
  const structuredContent = {
    ...{ ok, types, bindings, diagnostics },
    ...(compiled.ok ? { signatures: compiled.signatures } : {}),
    ...(refused.length === 0 ? {} : { refused }),
  }
  const lines = [
    ...(ok ? [`ok (${types} types, ${bindings} bindings)`] : []),
    ...(text === '' ? [] : [text]),
    ...refused.map(({ detail }) => `call refuses it: ${detail}`),
  ]
  return { content: [{ type: 'text', text: lines.join('\n') }], structuredContent }
}

const callSourceTool = (options: SourceOptions): ServedTool => ({
  name: 'call',
  description:
    'Run the main of a plumb spec: on one input, and answer its first output; or on a list of inputs, and answer all outputs. ' +
    'The spec stays within the directory of the server and what the server lets its clients do.',
  inputSchema: {
    type: 'object',
    properties: {
      source: SOURCE,
      input: { description: 'One message' },
      inputs: { type: 'array', description: 'Messages, one after the other' },
    },
    required: ['source'],
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    properties: {
      output: { description: 'The first, of one input; absent where there is none' },
      outputs: { type: 'array', description: 'All, of a list of inputs' },
      errors: { type: 'array', items: { type: 'object' } },
    },
  },
  annotations: hintsOf(options.authority.grant),
  // Each run is checked by its own effects.
  effects: [],
  call: async (json, context) => {
    const { source, input, inputs, ...rest } = JSON.parse(json) as Readonly<Record<string, unknown>>
    const mismatch = strayField(rest, 'call', ['source', 'input', 'inputs']) ?? notText(source) ?? wrongInputs(input, inputs)
    if (mismatch) return toError(mismatch)
    const messages = inputs === undefined ? [input] : (inputs as readonly unknown[])
    return callSource(
      String(source),
      messages.map((message) => JSON.stringify(message)),
      inputs === undefined,
      options,
      context,
    )
  },
})

const callSource = async (
  text: string,
  inputs: readonly string[],
  isOne: boolean,
  { docroot, authority, args, around, warn, timeout }: SourceOptions,
  { signal, progress, traceparent }: CallContext,
): Promise<McpToolResult> => {
  const late = AbortSignal.timeout(timeout * 1000)
  const either = AbortSignal.any([signal, late])
  const { grant } = authority
  const compiled = await compileInWorker({ docroot, grant, path: PATH, text }, either)
  if (!compiled.ok) return toError(compiled.error)
  if (!compiled.value.ok) return toError(fault('spec_invalid', `the source has errors:\n${compiled.value.text}`))
  const { refusals, prompts, bundle, main } = compiled.value
  const all = refusals.length > 0 ? refusals : await checkPrompts(prompts, { docroot, grant }, either)
  if (all.length > 0) return { content: all.flatMap((refusal) => toError(refusal).content), isError: true }
  if (main?.inputs !== 1 || main.outputs !== 1) {
    return toError(fault('main_missing', "the source needs a main with one input and one output, as in 'let main : !int -> !int = …'"))
  }
  const total = isOne ? undefined : inputs.length
  const onOutput = (count: number): void => progress(`output ${count}`, count, total)
  const run = { bundle, inputs, isFirstEnough: isOne, docroot, authority, args, around, warn, signal: either, traceparent, onOutput }
  const ran = await runSource(run)
  if (late.aborted) return toError(fault('timeout', `the program was stopped after ${timeout} s`))
  return ran.ok ? outcome(ran.value, isOne) : toError(ran.error)
}

const outcome = ({ outputs, faults }: SourceOutcome, isOne: boolean): McpToolResult => {
  const values: readonly unknown[] = outputs.map((output) => JSON.parse(output))
  const errors = faults.length === 0 ? {} : { errors: faults }
  const [first] = outputs
  const structuredContent = { ...(isOne ? (first === undefined ? {} : { output: values[0] }) : { outputs: values }), ...errors }
  const nothing = outputs.length + faults.length === 0 ? [{ type: 'text', text: 'the program gave no output' } as const] : []
  const content = [
    ...(isOne && first !== undefined ? toContent(values[0], first) : outputs.map((text) => ({ type: 'text', text }) as const)),
    ...nothing,
    ...faults.flatMap((fault) => toError(fault).content),
  ]
  return { content, structuredContent, ...(faults.length === 0 ? {} : { isError: true }) }
}

const notText = (source: unknown): Fault | undefined =>
  typeof source === 'string' ? undefined : fault('input_type_mismatch', "'source' takes the text of a spec", { path: '/source' })

const wrongInputs = (input: unknown, inputs: unknown): Fault | undefined => {
  if ((input === undefined) === (inputs === undefined)) return fault('input_type_mismatch', "give either 'input' or 'inputs'")
  if (inputs === undefined) return undefined
  if (!Array.isArray(inputs)) return fault('input_type_mismatch', "'inputs' takes a list of messages", { path: '/inputs' })
  if (inputs.length <= MAX_INPUTS) return undefined
  return fault('input_type_mismatch', `'inputs' has ${inputs.length} messages, and ${MAX_INPUTS} are taken`, { path: '/inputs' })
}

const strayField = (rest: Readonly<Record<string, unknown>>, tool: string, known: readonly string[]): Fault | undefined => {
  const [stray] = Object.keys(rest)
  if (stray === undefined) return undefined
  return fault('input_type_mismatch', `'${tool}' has no field '${preview(stray)}': it takes ${known.join(', ')}`, {
    path: `/${preview(stray)}`,
  })
}

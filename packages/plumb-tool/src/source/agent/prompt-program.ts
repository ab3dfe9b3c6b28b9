// Compiles a prompt file, or a spec in its place, and finds the agent or main that a tool runs.

import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import {
  agentsOf,
  type Bound,
  bindingNamed,
  compile,
  errorsOf,
  hasErrors,
  isWirable,
  type Program,
  positionOf,
  printType,
  STANDARD_LIBRARY,
  type ToolPlan,
  type Type,
} from '@plumb/lang'
import { type Effect, effectsOf } from '@plumb/policy'
import { bundledFiles, diskFiles, type Fault, fail, fault, preview, type Result, type SourceFiles, searchPath, succeed } from '@plumb/wire'
import type { PromptFile } from './prompt.js'
import { placesOfPrompt, type ToPrompt } from './prompt-places.js'
import { type PromptReach, whyNotRead } from './prompt-reach.js'
import { readPromptReferences } from './prompt-references.js'
import { printPromptSpec } from './prompt-spec.js'
import { readPromptFile } from './read-prompt-file.js'

export interface PromptProgram {
  readonly bound: Bound
  /** Without those that every prompt has. */
  readonly effects: readonly Effect[]
  /** The texts to run; `caller` sets provider and model if the file does not. */
  filesFor(caller: PromptCaller | undefined): SourceFiles
}

export interface PromptCaller {
  readonly provider: string
  readonly model: string
}

interface ToolSignature {
  readonly input: Type
  readonly output: Type
}

interface PromptSurroundings {
  /** The prompt files that are being loaded around it, against cycles. */
  readonly outer?: readonly string[]
  /** What the commands of the prompt may. */
  readonly allowed?: readonly string[]
}

/** `file` is absolute. */
export const loadPromptProgram = (
  file: string,
  signature: ToolSignature,
  { outer = [], allowed = [] }: PromptSurroundings = {},
): Result<PromptProgram> => {
  const prompt = readPromptFile(file)
  if (!prompt) return loadSpecProgram(file, signature)
  return prompt.ok ? compilePrompt(prompt.value, signature, { outer: [...outer, file], allowed }) : prompt
}

const loadSpecProgram = (file: string, signature: ToolSignature): Result<PromptProgram> => {
  const files = diskFiles(searchPath(), STANDARD_LIBRARY)
  const text = files.read(file)
  if (!text.ok) return text
  const program = compileText(file, text.value, files)
  if (!program.ok) return program
  const bound = chooseBinding(program.value, file)
  if (!bound.ok) return bound
  const mismatch = findMismatch(bound.value, signature, file)
  return mismatch ?? succeed({ bound: bound.value, effects: effectsOfProcess(bound.value), filesFor: () => files })
}

export interface PromptAsSpec {
  readonly text: string
  readonly toPrompt: ToPrompt
}

/** The spec that a prompt file stands for; undefined if `path` is not a prompt file. */
export const promptAsSpec = (path: string, reach: Omit<PromptReach, 'directory'>): Result<PromptAsSpec> | undefined => {
  const prompt = readPromptFile(path)
  if (!prompt) return undefined
  const why = whyPromptForbidden(resolve(path), reach)
  if (why) return { ok: false, error: why }
  if (!prompt.ok) return prompt
  const text = printPromptSpec(
    prompt.value,
    optionsFor(prompt.value, { input: TEXT, output: TEXT }, { outer: [resolve(path)], allowed: reach.granted ?? [] }),
  )
  if (!text.ok) return fail(text.error.error, `cannot use '${preview(path, 200)}': ${text.error.detail}`, { path })
  const { name, text: spec, places } = text.value
  const main = name === 'main' ? '' : `let main : !string -> !string = ${name}\n`
  return succeed({ text: `${spec}${main}`, toPrompt: placesOfPrompt(prompt.value, places) })
}

const optionsFor = ({ path }: PromptFile, signature: ToolSignature, { outer, allowed }: Required<PromptSurroundings>) => ({
  ...signature,
  effectsOf: (file: string) => effectsOfPrompt(resolve(dirname(path), file), outer),
  allowed,
})

const compilePrompt = (prompt: PromptFile, signature: ToolSignature, around: Required<PromptSurroundings>): Result<PromptProgram> => {
  const { path } = prompt
  const options = optionsFor(prompt, signature, around)
  const text = printPromptSpec(prompt, options)
  if (!text.ok) return fail(text.error.error, `cannot use '${preview(path, 200)}': ${text.error.detail}`, { path })
  const filesOf = (spec: string) => bundledFiles({ entry: path, files: { [path]: spec }, modules: {} })
  const program = compileText(path, text.value.text, filesOf(text.value.text), placesOfPrompt(prompt, text.value.places))
  if (!program.ok) return program
  const bound = bindingNamed(program.value, text.value.name) as Bound
  const filesFor = (caller: PromptCaller | undefined): SourceFiles => {
    const again = printPromptSpec(
      { ...prompt, config: { ...(caller && { provider: caller.provider, model: caller.model }), ...prompt.config } },
      options,
    )
    return filesOf(again.ok ? again.value.text : text.value.text)
  }
  return succeed({ bound, effects: effectsOfProcess(bound), filesFor })
}

const TEXT: Type = { kind: 'string' }

// A prompt that uses itself as a tool adds no effects.
const effectsOfPrompt = (file: string, open: readonly string[]): Result<readonly Effect[]> => {
  if (open.includes(file)) return succeed([])
  const loaded = loadPromptProgram(file, { input: TEXT, output: TEXT }, { outer: open })
  return loaded.ok ? succeed(loaded.value.effects) : loaded
}

const compileText = (path: string, text: string, files: SourceFiles, toPrompt: ToPrompt = (d) => d): Result<Program> => {
  const { program, diagnostics } = compile({ path, text, files })
  if (!hasErrors(diagnostics)) return succeed(program)
  const said = errorsOf(diagnostics)
    .map(toPrompt)
    .map(({ message, help, span }) => `line ${positionOf(span.source, span.start).line}: ${message}${help ? ` (${help})` : ''}`)
  return fail('spec_invalid', `cannot use '${preview(path, 200)}': ${said.slice(0, MAX_SHOWN_ERRORS).join('; ')}`, { path })
}

const MAX_SHOWN_ERRORS = 5

/** `main`, or the only agent. */
const chooseBinding = (program: Program, path: string): Result<Bound> => {
  const main = bindingNamed(program, 'main')
  if (main?.category === 'stream') return succeed(main)
  const agents = agentsOf(program).filter(({ name }) => !name.includes('.'))
  const [only] = agents
  if (only && agents.length === 1) return succeed(only.bound)
  const found = agents.length === 0 ? 'no agent' : `the agents ${agents.map(({ name }) => name).join(', ')}`
  return fail('spec_invalid', `'${preview(path, 200)}' is to be a tool, which takes a main or exactly one agent, and it has ${found}`, {
    path,
  })
}

const findMismatch = ({ name, inputs, outputs, binding }: Bound, { input, output }: ToolSignature, path: string) => {
  const where = `'${name}' in '${preview(path, 200)}'`
  if (binding.impl.kind !== 'agent' && (inputs.length !== 1 || outputs.length !== 1)) {
    return fail('arity_mismatch', `${where} has several ports, and a tool has one input and one output`)
  }
  const [takes, gives] = [inputs[0], outputs[0]]
  if (takes && isWirable(input, takes) === 'no') {
    return fail('type_mismatch', `${where} takes '${printType(takes)}', and the tool '${printType(input)}'`)
  }
  if (gives && isWirable(gives, output) === 'no') {
    return fail('type_mismatch', `${where} gives '${printType(gives)}', and the tool '${printType(output)}'`)
  }
  return undefined
}

/** Why the prompt may not be used, by the files that it includes; undefined if it may. */
export const whyPromptForbidden = (file: string, reach: Omit<PromptReach, 'directory'>): Fault | undefined => {
  const { files, isWhole } = readPromptReferences(file)
  if (!isWhole) return fault('path_denied', `the prompt '${preview(file, 200)}' brings in more files than can be looked at`, { path: file })
  const directory = dirname(file)
  for (const path of files) {
    if (!existsSync(path)) continue
    const why = whyNotRead(path, { ...reach, directory }, `the prompt '${preview(file, 200)}' brings in '${preview(path, 200)}'`)
    if (why) return why
  }
  return undefined
}

/** Effects that every prompt has, so tools need not declare them. */
const OF_EVERY_PROMPT: readonly Effect[] = ['fs.read', 'model']

/** The effects that the tool has to declare. */
const effectsOfProcess = (bound: Bound): readonly Effect[] => {
  const lowered: Pick<ToolPlan, 'bound' | 'body'> = {
    bound: { ...bound },
    body: { kind: 'tool', source: 'process', config: {}, process: { kind: 'bound', bound }, parts: [] },
  }
  return effectsOf(lowered as ToolPlan).filter((effect) => !OF_EVERY_PROMPT.includes(effect))
}

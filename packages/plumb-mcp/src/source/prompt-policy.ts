// The policy of sources for the prompt files that a client's source names, and for those that these name.

import type { Program } from '@plumb/lang'
import { loadPromptProgram, readPromptFile } from '@plumb/tool/internal'
import { besideSpec, type Fault, fault, preview, readSpec } from '@plumb/wire'
import { compileInWorker } from './compile-in-worker.js'
import { realPathBelow } from './source-files.js'
import { checkSource, type SourcePolicy } from './source-policy.js'

const MAX_PROMPTS = 32
const TEXT = { kind: 'string' } as const

/** `paths` are real and below the docroot. Resolves to why the source is not run; empty: nothing forbids it. */
export const checkPrompts = async (paths: readonly string[], options: SourcePolicy, signal: AbortSignal): Promise<readonly Fault[]> => {
  const seen = new Set(paths)
  for (const path of seen) {
    if (seen.size > MAX_PROMPTS) return [fault('permission_denied', `the source names more than ${MAX_PROMPTS} prompt files`)]
    const { refusals, prompts } = path.endsWith('.plumb') ? await ofSpec(path, options, signal) : ofPrompt(path, options)
    if (refusals.length > 0) return refusals
    for (const next of prompts) seen.add(next)
  }
  return []
}

type Look = { readonly refusals: readonly Fault[]; readonly prompts: readonly string[] }

const ofSpec = async (path: string, { docroot, grant }: SourcePolicy, signal: AbortSignal): Promise<Look> => {
  const text = readSpec(path)
  const compiled = text.ok ? await compileInWorker({ docroot, grant, path, text: text.value }, signal) : text
  if (!compiled.ok) return refuse(compiled.error)
  return compiled.value.ok ? compiled.value : refuse(fault('spec_invalid', `the prompt '${preview(path, 200)}' has errors`))
}

const ofPrompt = (path: string, options: SourcePolicy): Look => {
  const text = readSpec(path)
  if (!text.ok) return refuse(text.error)
  // They are read with the prompt, wherever they are.
  if (/<\s*(import|doc)\b/i.test(text.value)) {
    return refuse(fault('path_denied', `the prompt '${preview(path, 200)}' brings in other files, which a client's own source may not`))
  }
  const prompt = readPromptFile(path)
  if (!prompt?.ok) return refuse(prompt?.error ?? fault('spec_invalid', `'${preview(path, 200)}' is not a prompt file`))
  const prompts: string[] = []
  // Mounting reads them, so their location is checked first.
  for (const tool of prompt.value.tools) {
    const real = tool.kind === 'agent' ? realPathBelow(options.docroot, besideSpec(tool.of, path)) : undefined
    if (real && !real.ok) return refuse(real.error)
    if (real) prompts.push(real.value)
  }
  const loaded = loadPromptProgram(path, { input: TEXT, output: TEXT })
  if (!loaded.ok) return refuse(loaded.error)
  const { scope } = loaded.value.bound
  const program: Program = { entry: scope, scopes: [scope] }
  return { refusals: checkSource(program, options).refusals, prompts }
}

const refuse = (refusal: Fault): Look => ({ refusals: [refusal], prompts: [] })

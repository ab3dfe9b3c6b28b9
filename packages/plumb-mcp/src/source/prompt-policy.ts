// Prompt files that a client's own source names: fenced like the source itself, and those that they name too.

import type { Program } from '@plumb/lang'
import { loadPromptProgram, readPromptFile } from '@plumb/tool'
import { type Fault, fault, preview, readSpec } from '@plumb/wire'
import { judge } from './compile-in-worker.js'
import { besideSpec, fencedPath } from './source-files.js'
import { type FenceOptions, fence } from './source-policy.js'

const MOST = 32
const TEXT = { kind: 'string' } as const

/** `paths` are real and below the docroot. Resolves to why the source is not run; empty: nothing is against it. */
export const fencePrompts = async (paths: readonly string[], options: FenceOptions, signal: AbortSignal): Promise<readonly Fault[]> => {
  const seen = new Set(paths)
  for (const path of seen) {
    if (seen.size > MOST) return [fault('permission_denied', `the source names more than ${MOST} prompt files`)]
    const { refusals, prompts } = path.endsWith('.plumb') ? await ofSpec(path, options, signal) : ofPrompt(path, options)
    if (refusals.length > 0) return refusals
    for (const next of prompts) seen.add(next)
  }
  return []
}

type Look = { readonly refusals: readonly Fault[]; readonly prompts: readonly string[] }

const ofSpec = async (path: string, { docroot, grant }: FenceOptions, signal: AbortSignal): Promise<Look> => {
  const text = readSpec(path)
  const judged = text.ok ? await judge({ docroot, grant, path, text: text.value }, signal) : text
  if (!judged.ok) return refuse(judged.error)
  return judged.value.ok ? judged.value : refuse(fault('spec_invalid', `the prompt '${preview(path, 200)}' has errors`))
}

const ofPrompt = (path: string, options: FenceOptions): Look => {
  const text = readSpec(path)
  if (!text.ok) return refuse(text.error)
  // They are read with the prompt, wherever they are.
  if (/<\s*(import|doc)\b/i.test(text.value)) {
    return refuse(fault('path_denied', `the prompt '${preview(path, 200)}' brings in other files, which a client's own source may not`))
  }
  const prompt = readPromptFile(path)
  if (!prompt?.ok) return refuse(prompt?.error ?? fault('spec_invalid', `'${preview(path, 200)}' is no prompt file`))
  const prompts: string[] = []
  // Mounting reads them: first it is seen where they are.
  for (const tool of prompt.value.tools) {
    const real = tool.kind === 'agent' ? fencedPath(options.docroot, besideSpec(tool.of, path)) : undefined
    if (real && !real.ok) return refuse(real.error)
    if (real) prompts.push(real.value)
  }
  const mounted = loadPromptProgram(path, { input: TEXT, output: TEXT })
  if (!mounted.ok) return refuse(mounted.error)
  const { scope } = mounted.value.bound
  const program: Program = { entry: scope, scopes: [scope] }
  return { refusals: fence(program, options).refusals, prompts }
}

const refuse = (refusal: Fault): Look => ({ refusals: [refusal], prompts: [] })

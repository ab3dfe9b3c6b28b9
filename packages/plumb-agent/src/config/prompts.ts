// The system prompt: the inline text of the spec, then the files that it names, each as a document.

import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Diagnostic, diagnosticToJson, type ParamTexts } from '@plumb/lang'
import { besideSpec, type Fault, fail, fault, preview, type Result, succeed } from '@plumb/wire'

export interface PromptSources {
  /** The spec that names the files. */
  readonly specPath: string
  /** The search path for bare names, in order of precedence. */
  readonly resourcePath: readonly string[]
  /** Built-in prompts, searched last. */
  readonly installed: Readonly<Record<string, string>>
  readonly readText: (path: string) => Result<string>
  /** Why a file may not be included; `what` begins the error. */
  readonly whyNotRead: (path: string, what: string) => Fault | undefined
}

/** As in the config of an agent. */
export interface PromptKeys {
  readonly prompt: string | undefined
  readonly file: string | undefined
  /** Undefined: the file is not a template. True: a param has no value yet. */
  readonly template: ParamTexts | true | undefined
  readonly names: readonly string[]
}

/** Each unreadable file is a fault of its own. */
export const readSystemPrompt = async (
  { prompt, file, template, names }: PromptKeys,
  sources: PromptSources,
): Promise<{ system: string; faults: Fault[] }> => {
  const faults: Fault[] = []
  const own = file === undefined ? undefined : await readPromptFile(file, template, sources)
  if (own?.ok === false) faults.push(...own.error)
  const said = own?.ok ? own.value : prompt
  const documents = names.flatMap((name) => {
    const read = readDocument(name, sources)
    if (!read.ok) faults.push(read.error)
    return read.ok ? [`<document name="${name.replaceAll('"', '&quot;')}">\n${escaped(read.value.trimEnd())}\n</document>`] : []
  })
  return { system: [...(said === undefined ? [] : [said]), ...documents].join('\n\n'), faults }
}

const readPromptFile = async (
  name: string,
  template: PromptKeys['template'],
  { specPath, readText, whyNotRead }: PromptSources,
): Promise<Result<string, readonly Fault[]>> => {
  const path = besideSpec(name, specPath)
  const what = `'prompt_file' names '${preview(name)}'`
  const kept = whyNotRead(path, what)
  if (kept) return { ok: false, error: [kept] }
  const read = readText(path)
  if (!read.ok) return { ok: false, error: [fault('file_not_found', `${what}: ${read.error.detail}`, { path: preview(path, 200) })] }
  // The final line end is not part of the prompt.
  const text = read.value.trimEnd()
  if (template === undefined || template === true) return { ok: true, value: text }
  const { fillTemplate } = await import('./compile-agent.js')
  const filled = fillTemplate({ path, text }, template)
  return 'text' in filled ? { ok: true, value: filled.text } : { ok: false, error: filled.diagnostics.map(placed) }
}

const placed = (wrong: Diagnostic): Fault => {
  const { file, line, column, code, message, help } = diagnosticToJson(wrong)
  return fault(code, `${file}:${line}:${column}: ${message}${help === undefined ? '' : `; ${help}`}`, { path: preview(file, 200) })
}

// A document ends at its end tag, whatever it contains: such a tag inside it is escaped.
const escaped = (text: string): string => text.replace(/<(?=\/?document\b)/gi, '&lt;')

const readDocument = (name: string, { specPath, resourcePath, installed, readText, whyNotRead }: PromptSources): Result<string> => {
  if (name.includes('/')) {
    const path = besideSpec(name, specPath)
    const kept = whyNotRead(path, `'prompts' names '${preview(name)}'`)
    if (kept) return { ok: false, error: kept }
    const read = readText(path)
    return read.ok ? read : refuse(name, read.error.detail)
  }
  // The first existing file counts, even if it is unreadable.
  const found = resourcePath.map((directory) => join(directory, name)).find((path) => existsSync(path))
  if (found !== undefined) {
    const read = readText(found)
    return read.ok ? read : refuse(name, read.error.detail)
  }
  const text = Object.hasOwn(installed, name) ? installed[name] : undefined
  if (text !== undefined) return succeed(text)
  return refuse(name, `it is not in PLUMB_RESOURCES, nor installed; write './${preview(name)}' for a file beside the spec`)
}

const refuse = (name: string, why: string): Result<never> => fail('file_not_found', `'prompts' names '${preview(name)}': ${why}`)

/** The directories of PLUMB_RESOURCES. */
export const directoriesOf = (path: string | undefined): string[] => (path ?? '').split(delimiter).filter((directory) => directory !== '')

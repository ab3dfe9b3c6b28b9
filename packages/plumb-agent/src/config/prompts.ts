// The system prompt: what the spec says inline, then the files it names, each as a document.

import { existsSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { type Fault, fail, preview, type Result, succeed } from '@plumb/wire'

export interface PromptSources {
  /** The spec that names the files. */
  readonly specPath: string
  /** Where bare names are looked up, first things first. */
  readonly resourcePath: readonly string[]
  /** Those that are there without a file; looked up last. */
  readonly installed: Readonly<Record<string, string>>
  readonly readText: (path: string) => Result<string>
  /** Why a file may not be brought in; `what` is how the error begins. */
  readonly whyNotRead: (path: string, what: string) => Fault | undefined
}

/** Every file that cannot be had is a fault of its own. */
export const readSystemPrompt = (
  prompt: string | undefined,
  names: readonly string[],
  sources: PromptSources,
): { system: string; faults: Fault[] } => {
  const faults: Fault[] = []
  const documents = names.flatMap((name) => {
    const read = readDocument(name, sources)
    if (!read.ok) faults.push(read.error)
    return read.ok ? [`<document name="${name.replaceAll('"', '&quot;')}">\n${escaped(read.value.trimEnd())}\n</document>`] : []
  })
  return { system: [...(prompt === undefined ? [] : [prompt]), ...documents].join('\n\n'), faults }
}

// A document ends where it says, whatever stands in it: a tag of its own is shown as text.
const escaped = (text: string): string => text.replace(/<(?=\/?document\b)/gi, '&lt;')

const readDocument = (name: string, { specPath, resourcePath, installed, readText, whyNotRead }: PromptSources): Result<string> => {
  if (name.includes('/')) {
    const path = besideSpec(specPath, name)
    const kept = whyNotRead(path, `'prompts' names '${preview(name)}'`)
    if (kept) return { ok: false, error: kept }
    const read = readText(path)
    return read.ok ? read : refuse(name, read.error.detail)
  }
  // The first that is there is meant, also where it cannot be read.
  const found = resourcePath.map((folder) => join(folder, name)).find((path) => existsSync(path))
  if (found !== undefined) {
    const read = readText(found)
    return read.ok ? read : refuse(name, read.error.detail)
  }
  const text = Object.hasOwn(installed, name) ? installed[name] : undefined
  if (text !== undefined) return succeed(text)
  return refuse(name, `it is not in PLUMB_RESOURCES, nor installed; write './${preview(name)}' for a file beside the spec`)
}

const refuse = (name: string, why: string): Result<never> => fail('file_not_found', `'prompts' names '${preview(name)}': ${why}`)

export const besideSpec = (specPath: string, path: string): string => (isAbsolute(path) ? path : join(dirname(specPath), path))

/** The folders of PLUMB_RESOURCES. */
export const foldersOf = (path: string | undefined): string[] => (path ?? '').split(delimiter).filter((folder) => folder !== '')

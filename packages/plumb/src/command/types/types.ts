// plumb types: the types of a spec in another language, and its processes as functions of the right types.

import { basename } from 'node:path'
import { type Program, specTypes } from '@plumb/lang'
import { writeWhole } from '@plumb/runtime/record'
import { loadSpec, refuseErrors } from '@plumb/runtime/spec'
import { escapeControls, fault, Reporter } from '@plumb/wire'
import type { Language } from './languages.js'

export interface TypesOptions {
  readonly to: Language
  readonly output: string | undefined
  /** Models in place of dictionaries. */
  readonly isPydantic: boolean
  /** In place of a file. */
  readonly eval: string | undefined
}

export const types = async (path: string | undefined, { to, output, eval: text, isPydantic }: TypesOptions): Promise<number> => {
  const reporter = new Reporter('plumb')
  const loaded = await loadSpec(path, { eval: text })
  if (isPydantic && to !== 'python') reporter.report(fault('usage', `'--pydantic' is for '--to python', not for '--to ${to}'`))
  else if (!loaded.ok) reporter.report(loaded.error)
  else if (!refuseErrors(loaded.value, reporter)) {
    const written = await write(path ?? 'a text', loaded.value.compiled.program, to, isPydantic)
    const failure = await writeWhole(Buffer.from(written), output)
    if (failure) reporter.report(failure)
  }
  await reporter.end()
  return reporter.status
}

const write = async (path: string, program: Program, to: Language, isPydantic: boolean): Promise<string> => {
  // Wherever the spec lies the text is the same.
  const head = `Made by 'plumb types' of ${escapeControls(basename(path))}: change that, and run it again.`
  if (to === 'json-schema') return (await import('./json-schema.js')).toJsonSchema(specTypes(program, 'all'))
  const served = specTypes(program, 'served')
  if (to === 'typescript') return (await import('./typescript.js')).toTypeScript(served, head)
  return isPydantic ? (await import('./pydantic.js')).toPydantic(served, head) : (await import('./python.js')).toPython(served, head)
}

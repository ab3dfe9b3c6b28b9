// apply_patch: changes several files by one patch, all or none.

import { fail, preview, succeed } from '@plumb/wire'
import type { Builtin, BuiltinContext } from '../builtin.js'
import { namedPath, type PathInput, writtenPath } from '../file/path-input.js'
import type { Section } from './patch.js'
import { planSections } from './plan-changes.js'
import { readSections, settlePath } from './settle-paths.js'
import { commit } from './transaction.js'

interface Input {
  readonly patch: string
  readonly check?: boolean
  readonly expect_sha256?: readonly { readonly path: string; readonly sha256: string }[]
  readonly root?: string
}

export const applyPatch: Builtin<Input> = {
  paths: (input, context) => pathInputs(input, context).flatMap((each) => namedPath(each, context)),
  writes: (input, context) => pathInputs(input, context).flatMap((each) => writtenPath(each, context)),
  run: async (input, context) => {
    const { check = false, expect_sha256 = [], root } = input
    const sections = readSections(input, context)
    if (!sections.ok) return sections
    const expected = expect_sha256.map(({ path, sha256 }) => ({ path: settlePath(path, root, context), sha256 }))
    const stray = expected.find(({ path }) => !pathsIn(sections.value).includes(path))
    if (stray) return fail('input_type_mismatch', `expect_sha256 names '${preview(stray.path, 200)}', which the patch does not`)
    const sums = new Map(expected.map(({ path, sha256 }) => [path, sha256]))
    const planned = await planSections(sections.value, { context, sums, ...(root === undefined ? {} : { root }) })
    if (!planned.ok) return planned
    const written = check ? succeed(undefined) : await commit(planned.value.flatMap(({ changes }) => changes))
    if (!written.ok) return written
    return succeed({
      ...(check ? { checked: true } : {}),
      files: planned.value.map(({ summary }) => ({ ...summary })),
      diff: planned.value.map(({ diff }) => diff).join('\n'),
    })
  },
}

const pathInputs = (input: Input, context: BuiltinContext): readonly PathInput[] => {
  const { root } = input
  const sections = readSections(input, context)
  return sections.ok ? pathsIn(sections.value).map((path) => ({ path, ...(root === undefined ? {} : { root }) })) : []
}

const pathsIn = (sections: readonly Section[]): string[] =>
  sections.flatMap((section) => [section.path, ...(section.kind === 'update' && section.moveTo !== undefined ? [section.moveTo] : [])])

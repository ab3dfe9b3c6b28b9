// The spec of a variant: with other params, with other keys of its agents, another one in its place, or as it was at a revision.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  agentKeyNames,
  agentOf,
  type Bound,
  type Compiled,
  compile,
  errorsOf,
  givenTexts,
  hasErrors,
  type Program,
  toText,
} from '@plumb/lang'
import { withFlows } from '@plumb/policy'
import { loadSpec } from '@plumb/runtime/spec'
import {
  besideSpec,
  type Fault,
  fail,
  fault,
  type GivenOptions,
  nearest,
  preview,
  type Result,
  readGivenValues,
  readSpec,
  type SourceFiles,
  succeed,
  withParams,
} from '@plumb/wire'
import type { TestedSpec } from '../spec-tests.js'
import { openRevision } from './revision.js'
import type { Variant } from './variant.js'

export interface VariantSpec {
  readonly name: string
  readonly program: Program
  /** Of its entry. */
  readonly path: string
  readonly files: SourceFiles
}

export interface VariantSurroundings {
  readonly given: GivenOptions
  readonly docroot: string | undefined
  readonly isOfStrangers: boolean
  /** Where files of a revision are laid that agents read themselves. */
  readonly directory: string
}

/** `new`: the revision has no such spec. */
export const specOfVariant = async (
  spec: TestedSpec,
  variant: Variant,
  around: VariantSurroundings,
): Promise<Result<VariantSpec | 'new'>> => {
  if ('revision' in variant.is) return atRevision(spec, variant.name, variant.is.revision, around)
  const { settings } = variant.is
  const { compiled, files } = spec.loaded
  const own: Sources = { path: compiled.program.entry.module.path, files, compiled }
  if (settings.size === 0) return succeed({ name: variant.name, program: compiled.program, ...own })
  const path = settings.get('spec')
  const base = path === undefined ? succeed(own) : await otherSpec(path, around)
  if (!base.ok) return base
  const changed = await withSettings(base.value, settings, around)
  return changed.ok ? succeed({ name: variant.name, ...changed.value }) : refuse(variant, changed.error)
}

interface Sources {
  readonly path: string
  readonly files: SourceFiles
  readonly compiled: Compiled
}

const refuse = ({ name }: Variant, { detail }: Fault): Result<never> => fail('usage', `the variant '${preview(name)}': ${detail}`)

const otherSpec = async (path: string, { given, docroot, isOfStrangers }: VariantSurroundings): Promise<Result<Sources>> => {
  const named = stringOf(path)
  // Its params are given later, with those of the variant.
  const loaded = await loadSpec(named, { docroot, isOfStrangers, given: { ...given, set: [] } })
  if (!loaded.ok) return loaded
  const { compiled, files } = loaded.value
  const [wrong] = errorsOf(compiled.diagnostics)
  return wrong ? fail('usage', toText(wrong)) : succeed({ path: compiled.program.entry.module.path, files, compiled })
}

const withSettings = async (
  { path, files, compiled }: Sources,
  settings: ReadonlyMap<string, string>,
  { given }: VariantSurroundings,
): Promise<Result<Omit<VariantSpec, 'name'>>> => {
  const params = new Set(compiled.params.map(({ name }) => name))
  const keys = [...settings].filter(([key]) => key !== 'spec' && !params.has(key))
  const known = agentKeyNames()
  for (const [key] of keys) {
    if (known.includes(key)) continue
    const near = nearest(key, [...params, ...known, 'spec'])
    const help = near === undefined ? '' : `; did you mean '${near}'?`
    return fail('usage', `'${preview(key)}' is neither a param of '${preview(path, 200)}' nor a key of agents${help}`)
  }
  const agents = agentsIn(compiled.program).filter((bound) => agentOf(bound).config.command === undefined)
  const [first] = keys
  if (first && agents.length === 0)
    return fail('usage', `'${first[0]}' is a key of agents, and '${preview(path, 200)}' has none that a model answers`)
  const texts = edited(agents, (bound) => keys.map(([key, value]) => replaced(bound, key, jsonOf(value))))
  const set = [...settings].filter(([key]) => params.has(key)).map(([key, value]) => `${key}=${stringOf(value)}`)
  return compiledAgain(path, withTexts(files, texts), { ...given, set: [...(given.set ?? []), ...set] })
}

/** Every agent of the program, in whatever file of it. */
const agentsIn = ({ scopes }: Program): readonly Bound[] =>
  scopes
    .filter(({ module }) => !module.path.startsWith('<stdlib>'))
    .flatMap(({ bindings }) => [...bindings.values()].filter(({ binding }) => binding.impl.kind === 'agent'))

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A key of an agent with another value, or one more key. */
const replaced = ({ binding: { impl } }: Bound, key: string, json: string): Edit => {
  if (impl.kind !== 'agent') throw new Error('not an agent')
  const { entries, span } = impl.config
  const entry = entries.find((one) => one.key.text === key)
  if (entry) return { start: entry.value.span.start, end: entry.value.span.end, text: json }
  const at = span.start + 1
  return { start: at, end: at, text: ` ${key}: ${json}${entries.length > 0 ? ',' : ' '}` }
}

/** The texts of the files in which something changes. */
const edited = (bounds: readonly Bound[], editsOf: (bound: Bound) => readonly Edit[]): ReadonlyMap<string, string> => {
  const byPath = new Map<string, { readonly text: string; readonly edits: Edit[] }>()
  for (const bound of bounds) {
    const { source } = bound.binding.name.span
    const file = byPath.get(source.path) ?? { text: source.text, edits: [] }
    file.edits.push(...editsOf(bound))
    byPath.set(source.path, file)
  }
  // From the end, so that places before stay what they are.
  const apply = (text: string, { start, end, text: by }: Edit): string => text.slice(0, start) + by + text.slice(end)
  return new Map([...byPath].map(([path, { text, edits }]) => [path, edits.sort((a, b) => b.start - a.start).reduce(apply, text)]))
}

const withTexts = (files: SourceFiles, texts: ReadonlyMap<string, string>): SourceFiles => ({
  ...files,
  read: (path) => {
    const text = texts.get(path)
    return text === undefined ? files.read(path) : succeed(text)
  },
  bundle: (entry) => {
    const bundle = files.bundle(entry)
    return { ...bundle, files: { ...bundle.files, ...Object.fromEntries(texts) } }
  },
})

const compiledAgain = async (path: string, files: SourceFiles, given: GivenOptions): Promise<Result<Omit<VariantSpec, 'name'>>> => {
  const text = files.read(path)
  if (!text.ok) return text
  const values = readGivenValues(given)
  if (!values.ok) return values
  const compiled = await withFlows(compile({ path, text: text.value, files, given: values.value }), {})
  const [wrong] = errorsOf(compiled.diagnostics)
  if (wrong) return fail('usage', toText(wrong))
  const [lack] = compiled.faults
  if (lack) return { ok: false, error: lack }
  return succeed({ path, program: compiled.program, files: withParams(files, givenTexts(compiled.params)) })
}

/** As JSON: a value that is none is a string. */
const jsonOf = (value: string): string => {
  try {
    JSON.parse(value)
    return value
  } catch {
    return JSON.stringify(value)
  }
}

/** The text of a JSON string; any other value as it is. */
const stringOf = (value: string): string => {
  const read: unknown = JSON.parse(jsonOf(value))
  return typeof read === 'string' ? read : value
}

const atRevision = async (
  spec: TestedSpec,
  name: string,
  revision: string,
  { given, directory }: VariantSurroundings,
): Promise<Result<VariantSpec | 'new'>> => {
  const { path } = spec.loaded.compiled.program.entry.module
  const opened = openRevision(revision, path)
  if (!opened.ok) return opened
  const { files, read } = opened.value
  const text = read(path)
  if (!text.ok) return succeed('new')
  const compiled = compile({ path, text: text.value, files })
  if (hasErrors(compiled.diagnostics)) {
    const [wrong] = errorsOf(compiled.diagnostics)
    return fail('usage', `the spec has errors at '${preview(revision)}': ${wrong ? toText(wrong) : ''}`)
  }
  const laid = layFiles(compiled.program, read, directory)
  if (!laid.ok) return laid
  const again = await compiledAgain(path, withTexts(files, laid.value), given)
  return again.ok ? succeed({ name, ...again.value }) : again
}

/** Keys of agents that name files, which the agents read themselves: those of the revision are laid elsewhere, and named there. */
const FILE_KEYS = ['prompt_file', 'script', 'prompts']

const layFiles = (program: Program, read: (path: string) => Result<string>, directory: string): Result<ReadonlyMap<string, string>> => {
  let failed: Fault | undefined
  let count = 0
  const lay = (named: string, bound: Bound): string => {
    const beside = besideSpec(named, bound.scope.module.path)
    const text = read(beside)
    // Models may be told how it is named, so that what has not changed stays where it is.
    const now = readSpec(beside)
    if (text.ok && now.ok && text.value === now.value) return named
    // A name without a slash may be that of a resource.
    if (!text.ok && !named.includes('/')) return named
    if (!text.ok) {
      failed ??= text.error
      return named
    }
    const laid = join(directory, String(++count))
    mkdirSync(laid, { recursive: true })
    const path = join(laid, named.replace(/^.*\//s, ''))
    writeFileSync(path, text.value)
    return path
  }
  const texts = edited(agentsIn(program), (bound) =>
    FILE_KEYS.flatMap((key) => {
      const value = agentOf(bound).config[key]
      if (typeof value === 'string') return [replaced(bound, key, JSON.stringify(lay(value, bound)))]
      return Array.isArray(value) ? [replaced(bound, key, JSON.stringify(value.map((one) => lay(String(one), bound))))] : []
    }),
  )
  return failed ? { ok: false, error: fault('usage', failed.detail) } : succeed(texts)
}

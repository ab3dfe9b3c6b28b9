// What a spec would read or run, by its text alone: for protecting these files. A superset does no harm, so names are not resolved, and a
// spec with errors has parts too.

import { ignore } from '../diagnostic/diagnostic.js'
import type { Item, ObjectValue, TestObject, Value } from '../parse/ast.js'
import { parse } from '../parse/parser.js'

/** Paths as written: relative to the directory of the spec, except `roots` and `writable`, which are relative to the docroot. */
export interface SpecParts {
  /** Modules by name, and by path. */
  readonly modules: readonly string[]
  readonly modulePaths: readonly string[]
  /** Files of prompts, prompts with a path, scripts of eliza, images; `resources` are prompts that are looked up by name. */
  readonly texts: readonly string[]
  readonly resources: readonly string[]
  /** Prompt files and specs that are tools. */
  readonly agentFiles: readonly string[]
  /** Folders. */
  readonly skills: readonly string[]
  readonly functions: readonly string[]
  /** A command line of a tool, not split yet. */
  readonly lines: readonly string[]
  /** The program, and its arguments. */
  readonly commands: readonly (readonly string[])[]
  /** Directories that built-in tools may use. */
  readonly roots: readonly string[]
  /** Directories that sandboxes leave open. */
  readonly writable: readonly string[]
  readonly builtins: readonly string[]
  /** Files in which calls are recorded, relative to the working directory. */
  readonly records: readonly string[]
  /** Of tests. */
  readonly snapshots: readonly string[]
}

type Lists = { -readonly [Key in keyof SpecParts]: SpecParts[Key][number][] }

export const specParts = (path: string, text: string): SpecParts => {
  const parts: Lists = {
    ...{ modules: [], modulePaths: [], texts: [], resources: [], agentFiles: [], functions: [], skills: [] },
    ...{ lines: [], commands: [], roots: [], writable: [], builtins: [], records: [], snapshots: [] },
  }
  for (const item of parse({ path, text }, ignore).items) addItem(item, parts)
  return parts
}

const addItem = (item: Item, parts: Lists): void => {
  if (item.kind === 'use') parts[item.by === 'name' ? 'modules' : 'modulePaths'].push(item.target.text)
  if (item.kind === 'test') addTest(item.config, parts)
  if (item.kind !== 'binding') return
  const { impl } = item
  if (impl.kind === 'agent') addAgent(impl.config, parts)
  else if (impl.kind === 'tool') addTool(impl.config, parts)
  else if (impl.kind === 'object') addObject(impl, parts)
}

const addAgent = (config: ObjectValue, parts: Lists): void => {
  for (const path of texts(config, 'prompts')) parts[path.includes('/') ? 'texts' : 'resources'].push(path)
  parts.texts.push(...texts(config, 'prompt_file'), ...texts(config, 'script'), ...imagesIn(valueOf(config, 'history')))
  parts.skills.push(...texts(config, 'skills'))
  for (const key of ['command', 'via', 'key_command']) parts.commands.push(texts(config, key))
  for (const { value } of config.entries) addValue(value, parts)
}

const addTool = (config: ObjectValue, parts: Lists): void => {
  parts.agentFiles.push(...texts(config, 'agent'))
  parts.functions.push(...texts(config, 'function').map((path) => path.replace(/#.*$/s, '')))
  parts.lines.push(...texts(config, 'command'))
  parts.builtins.push(...texts(config, 'builtin'))
  parts.records.push(...texts(config, 'record'))
  for (const { value } of config.entries) addValue(value, parts)
}

const addTest = ({ entries }: TestObject, parts: Lists): void => {
  for (const { key, value } of entries)
    if (key.text === 'snapshot' && value.kind === 'value' && typeof value.value === 'string') parts.snapshots.push(value.value)
}

// Of a server, of a tool's roots, of a sandbox: wherever it occurs, since a name may refer to it.
const addObject = (object: ObjectValue, parts: Lists): void => {
  const program = texts(object, 'command')
  if (program.length > 0) parts.commands.push([...program, ...texts(object, 'args')])
  parts.writable.push(...texts(object, 'write'))
  // All strings of it: the object of the roots is unknown here.
  parts.roots.push(...object.entries.flatMap(({ value }) => (value.kind === 'list' ? [] : strings(value))))
  for (const { value } of object.entries) addValue(value, parts)
}

const addValue = (value: Value, parts: Lists): void => {
  if (value.kind === 'object') addObject(value, parts)
  if (value.kind === 'list') for (const item of value.items) addValue(item, parts)
}

const valueOf = (config: ObjectValue, key: string): Value | undefined => config.entries.find((entry) => entry.key.text === key)?.value

const texts = (config: ObjectValue, key: string): string[] =>
  config.entries.filter((entry) => entry.key.text === key).flatMap((entry) => strings(entry.value))

const strings = (value: Value): string[] => {
  if (value.kind === 'list') return value.items.flatMap(strings)
  return value.kind === 'value' && typeof value.value === 'string' ? [value.value] : []
}

const imagesIn = (value: Value | undefined): string[] => {
  if (value?.kind === 'list') return value.items.flatMap(imagesIn)
  if (value?.kind !== 'object') return []
  return [...texts(value, 'path'), ...imagesIn(valueOf(value, 'content'))]
}

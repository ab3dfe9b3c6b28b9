// The files that a program names other than its modules: prompts, scripts, programs and functions with a path of their own.

import type { Program } from '../compile.js'
import type { ObjectValue, Value } from '../parse/ast.js'

export interface NamedFile {
  /** As written: relative to the directory of `from`. */
  readonly path: string
  /** The spec that names it. */
  readonly from: string
}

/** In the order of the program; only for a program without errors. */
export const namedFiles = ({ scopes }: Program): NamedFile[] =>
  scopes.flatMap((scope) =>
    [...scope.bindings.values()].flatMap(({ binding: { impl } }) => {
      const paths = impl.kind === 'agent' ? ofAgent(impl.config) : impl.kind === 'tool' ? ofTool(impl.config) : []
      return paths.map((path) => ({ path, from: scope.module.path }))
    }),
  )

const ofAgent = (config: ObjectValue): string[] => [
  ...texts(config, 'prompt_file'),
  // A bare name is looked up among the resources, and is not a file of the program.
  ...texts(config, 'prompts').filter((path) => path.includes('/')),
  ...texts(config, 'script'),
  // For an agent elsewhere, a command is a file of that place.
  ...texts(config, config.entries.some((e) => e.key.text === 'via') ? 'via' : 'command')
    .slice(0, 1)
    .filter((program) => program.includes('/')),
]

const ofTool = (config: ObjectValue): string[] => [
  ...texts(config, 'agent'),
  ...texts(config, 'function').map((f) => f.replace(/#.*$/, '')),
  ...texts(config, 'command')
    .flatMap((command) => command.trim().split(/\s+/).slice(0, 1))
    .filter((program) => program.includes('/')),
]

const texts = (config: ObjectValue, key: string): string[] =>
  config.entries.filter((e) => e.key.text === key).flatMap((e) => strings(e.value))

const strings = (value: Value): string[] => {
  if (value.kind === 'list') return value.items.flatMap(strings)
  return value.kind === 'value' && typeof value.value === 'string' ? [value.value] : []
}

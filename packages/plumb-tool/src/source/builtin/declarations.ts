// The declarations of the built-in tools, compiled on first use.

import { compile, hasErrors, type Program, type ToolPlan, toolsOf, toText } from '@plumb/lang'
import { bundledFiles } from '@plumb/wire'
import { once } from '@plumb/wire/once'
import { ALIASES } from './aliases.js'
import text from './builtins.plumb'

/** No real file has this name. */
const PATH = '<builtins>'

/** The plan of a built-in tool, by its name or an alias. */
export const builtinDeclaration = (name: string): ToolPlan | undefined =>
  declared().get(Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name)

/** A program of its own with all built-in tools. */
export const builtinProgram = once((): Program => {
  const files = bundledFiles({ entry: PATH, files: { [PATH]: text }, modules: {} })
  const { program, diagnostics } = compile({ path: PATH, text, files })
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  return program
})

const declared = once(() => new Map(toolsOf(builtinProgram()).map((plan) => [plan.name, plan])))

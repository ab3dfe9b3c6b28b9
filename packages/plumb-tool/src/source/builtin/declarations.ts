// The declarations of the built-in tools, compiled on first use.

import { compile, hasErrors, type Program, type ToolPlan, toolsOf, toText } from '@plumb/lang'
import { bundledFiles } from '@plumb/wire'
import { ALIASES } from './aliases.js'
import text from './builtins.plumb'

/** No real file has this name. */
const PATH = '<builtins>'

let compiled: Program | undefined

/** A program of its own with all built-in tools. */
export const builtinProgram = (): Program => {
  compiled ??= compileDeclarations()
  return compiled
}

/** The plan of a built-in tool, by its name or an alias. */
export const builtinDeclaration = (name: string): ToolPlan | undefined => {
  const own = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name
  return toolsOf(builtinProgram()).find((plan) => plan.name === own)
}

const compileDeclarations = (): Program => {
  const files = bundledFiles({ entry: PATH, files: { [PATH]: text }, modules: {} })
  const { program, diagnostics } = compile({ path: PATH, text, files })
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  return program
}

// The declarations of the built-in tools, compiled when they are first wanted.

import { compile, hasErrors, type Program, type ToolPlan, toolsOf, toText } from '@plumb/lang'
import { bundledFiles } from '@plumb/wire'
import text from './builtins.plumb'

/** No file of anybody has this name. */
const PATH = '<builtins>'

let compiled: Program | undefined

/** As a spec of its own, for those who want the built-ins and nothing else. */
export const builtinProgram = (): Program => {
  compiled ??= compileDeclarations()
  return compiled
}

/** What the built-in of this name, which is no alias, takes and gives. */
export const builtinDeclaration = (name: string): ToolPlan | undefined => toolsOf(builtinProgram()).find((plan) => plan.name === name)

const compileDeclarations = (): Program => {
  const files = bundledFiles({ entry: PATH, files: { [PATH]: text }, modules: {} })
  const { program, diagnostics } = compile({ path: PATH, text }, files)
  if (hasErrors(diagnostics)) throw new Error(diagnostics.map(toText).join('\n'))
  return program
}

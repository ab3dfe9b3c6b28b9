// The sandbox of an agent that is a program: what its spec says when it is loaded, and the command line when it is started.

import { dirname, resolve } from 'node:path'
import type { AgentPlan } from '@plumb/lang'
import { type Result, resolveProgram, type SourceFiles, succeed } from '@plumb/wire'
import { buildSandboxCommand, type SandboxCommand } from './bubblewrap-command.js'
import { protectedProgramFiles } from './program-files.js'
import { readSandbox, type Sandbox } from './sandbox.js'

/** The command line goes behind that of the enclosure, with the program by its path. */
export type AgentSandbox = (
  command: readonly string[],
  env: Readonly<Record<string, string>>,
) => Result<{ readonly enclosure: SandboxCommand; readonly command: readonly string[] }>

/** Undefined: it asks for none. It has the network unless it says otherwise. */
export const readAgentSandbox = ({ name, config }: AgentPlan, docroot: string): Result<Sandbox | undefined> =>
  config.command === undefined ? succeed(undefined) : readSandbox(config.sandbox, { who: `agent '${name}'`, docroot, hasNet: true })

/** The same, with what starts it. */
export const openAgentSandbox = async (plan: AgentPlan, docroot: string, files: SourceFiles): Promise<Result<AgentSandbox | undefined>> => {
  const { specPath } = plan
  const sandbox = readAgentSandbox(plan, docroot)
  if (!sandbox.ok) return sandbox
  const { value } = sandbox
  if (!value) return succeed(undefined)
  const spec = resolve(specPath)
  const parts = await protectedProgramFiles({ files, docroot }, value, [])
  return succeed(([word = '', ...args], env) => {
    const program = resolveProgram(word, process.cwd(), env.PATH)
    if (!program.ok) return program
    const command = [program.value, ...args]
    const programFiles = [...parts, program.value]
    const enclosure = buildSandboxCommand(value, {
      program: command,
      cwd: process.cwd(),
      env,
      visible: [dirname(spec), spec],
      programFiles,
    })
    return enclosure.ok ? succeed({ enclosure: enclosure.value, command }) : enclosure
  })
}

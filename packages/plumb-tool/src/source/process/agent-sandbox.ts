// The sandbox of an agent that runs as a program: read when its spec is loaded, turned into a command line when it starts.

import { dirname, resolve } from 'node:path'
import type { AgentPlan } from '@plumb/lang'
import { buildSandboxCommand, readSandbox, type SandboxAtStart, type SandboxCommand } from '@plumb/sandbox'
import { type Fault, type Result, resolveProgram, type SourceFiles, succeed } from '@plumb/wire'
import { protectedProgramFiles } from '../program-files/protected-files.js'

/** Resolves the program on PATH and returns the sandbox for it; the program's command line goes after that of bubblewrap. */
export type AgentSandbox = (
  command: readonly string[],
  env: Readonly<Record<string, string>>,
) => Result<{ readonly enclosure: SandboxCommand; readonly command: readonly string[] }>

/** Undefined for an agent that is not a program, or one elsewhere. Agents have the network unless `net` says otherwise. */
export const readAgentSandbox = ({ name, config }: AgentPlan, docroot: string): Result<SandboxAtStart | undefined> =>
  config.command === undefined || config.via !== undefined
    ? succeed(undefined)
    : readSandbox(config.sandbox, { who: `agent '${name}'`, docroot, hasNet: true, isDefault: true })

/** As `readAgentSandbox`, and returns the function that builds the command line. */
export const openAgentSandbox = async (
  plan: AgentPlan,
  docroot: string,
  files: SourceFiles,
  outlet: { warn(warning: Fault): void },
): Promise<Result<AgentSandbox | undefined>> => {
  const { specPath } = plan
  const sandbox = readAgentSandbox(plan, docroot)
  if (!sandbox.ok) return sandbox
  const opened = sandbox.value?.(outlet) ?? succeed(undefined)
  if (!opened.ok) return opened
  const { value } = opened
  if (!value) return succeed(undefined)
  const spec = resolve(specPath)
  const parts = await protectedProgramFiles({ files, docroot }, value, [])
  return succeed(([word = '', ...args], env) => {
    const program = resolveProgram(word, process.cwd(), env.PATH)
    if (!program.ok) return program
    const command = [program.value, ...args]
    const programFiles = { ...parts, paths: [...parts.paths, program.value] }
    // The file is replaced when the tools change, so that its directory has to be there.
    const tools = env.PLUMB_MCP_TOOLS === undefined ? [] : [dirname(env.PLUMB_MCP_TOOLS)]
    const enclosure = buildSandboxCommand(value, {
      program: command,
      cwd: process.cwd(),
      env,
      visible: [dirname(spec), spec, ...tools],
      words: args,
      programFiles,
    })
    return enclosure.ok ? succeed({ enclosure: enclosure.value, command }) : enclosure
  })
}

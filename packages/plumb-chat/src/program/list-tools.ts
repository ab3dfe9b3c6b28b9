// The tools that may be called, as plumb-tool lists them.

import { type Fault, fail, fault, isFault, type Result, succeed } from '@plumb/wire'
import { type ChatOptions, paramWords } from '../options.js'
import type { ChatProgram } from './program.js'
import { runSibling } from './run-sibling.js'

/** As plumb-tool lists it; plumb-tool(1). */
export interface ListedTool {
  readonly name: string
  readonly type: string
  readonly effects: readonly string[]
  readonly description?: string
}

export interface ToolsOf {
  readonly program: ChatProgram
  readonly options: ChatOptions
  /** The text of the spec, when it is not a file. */
  readonly specText: string
}

export const listTools = async ({ program, options, specText }: ToolsOf): Promise<Result<readonly ListedTool[]>> => {
  const { spec } = options
  const source = spec.kind === 'file' ? [spec.path] : ['-e', specText]
  const agent = program.runs === 'plumb-agent' ? ['--agent', program.binding] : []
  const result = await runSibling('plumb-tool', [...agent, ...paramWords(options), '--json', ...source, 'list'])
  if (!result.ok) return result
  if (result.value.status !== 0) return { ok: false, error: firstFault(result.value.stderr) }
  try {
    return succeed(result.value.stdout.split('\n').flatMap((line): ListedTool[] => (line === '' ? [] : [JSON.parse(line)])))
  } catch {
    return fail('child_failed', 'plumb-tool listed what is not JSON')
  }
}

const LOOK_UP_MS = 3000

/** What a tool is, looked up at the first question; it is asked without that where it takes too long. */
export const openDescriptions = (parts: ToolsOf) => {
  let listed: Promise<Result<readonly ListedTool[]>> | undefined
  return async (tool: string): Promise<Partial<Pick<ListedTool, 'description' | 'effects'>>> => {
    // The list would start servers once more.
    if (parts.program.servers.length > 0) return {}
    listed ??= listTools(parts)
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(resolve, LOOK_UP_MS, undefined)
    })
    const found = await Promise.race([listed, late])
    clearTimeout(timer)
    const known = found?.ok ? found.value.find(({ name }) => name === tool) : undefined
    return known ? { effects: known.effects, ...(known.description === undefined ? {} : { description: known.description }) } : {}
  }
}

const firstFault = (stderr: string): Fault => {
  const [line = ''] = stderr.split('\n', 1)
  try {
    const value: unknown = JSON.parse(line)
    if (isFault(value)) return value
  } catch {
    // The line is text already.
  }
  return fault('child_failed', `plumb-tool said: ${line}`)
}

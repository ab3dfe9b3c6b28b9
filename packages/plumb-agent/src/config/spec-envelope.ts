// Reads a spec from the first envelope on stdin, on port `spec` (plumb(1), Agents elsewhere): for an agent on a machine without the spec.

import type { Readable } from 'node:stream'
import type { BudgetLimits } from '@plumb/ledger'
import { type Bundle, fail, isRecord, parseEnvelope, parseJson, type Result, succeed, systemReason } from '@plumb/wire'

export interface ReceivedSpec {
  readonly bundle: Bundle
  /** Options in addition to those of the command line. */
  readonly args: readonly string[]
  readonly authority: unknown
  readonly mcpTools: unknown
  /** The run's limits; each call has to be requested. */
  readonly budget: BudgetLimits | undefined
}

// Far more than all the specs of one program.
const MAX_BYTES = 256 * 1024 * 1024
const LF = 10

/**
 * `{"__port":"spec","msg":{"entry","files","modules","params"?,"args"?,"authority"?,"mcp_tools"?,"budget"?}}`; what follows it is left in
 * the stream.
 */
export const receiveSpec = async (stdin: Readable): Promise<Result<ReceivedSpec>> => {
  const line = await firstLine(stdin)
  if (!line.ok) return line
  const parsed = parseJson(line.value, 0, line.value.length)
  const envelope = parsed.ok ? parseEnvelope(parsed.value) : parsed
  if (!envelope.ok) return refuse(envelope.error.detail)
  const { port, ...rest } = envelope.value
  if (port !== 'spec' || !('msg' in rest) || !isSpec(rest.msg)) return refuse('it carries no spec')
  const { entry, files, modules, params, args = [], authority, mcp_tools: mcpTools, budget } = rest.msg
  return succeed({
    bundle: { entry, files, modules, ...(params ? { params } : {}) },
    args,
    authority,
    mcpTools,
    budget: isRecord(budget) ? readLimits(budget) : undefined,
  })
}

// For another version, an absent limit is none.
const readLimits = ({ calls = null, tokens = null, cost = null, prices }: Readonly<Record<string, unknown>>): BudgetLimits =>
  ({ calls, tokens, cost, prices }) as BudgetLimits

const refuse = (why: string) => fail('spec_invalid', `the first line of stdin should be the envelope of a spec: ${why}`)

const firstLine = (stdin: Readable): Promise<Result<Buffer>> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const settle = (result: Result<Buffer>): void => {
      stdin.off('data', take).off('end', end).off('error', refuseRead)
      stdin.pause()
      resolve(result)
    }
    const take = (chunk: Buffer): void => {
      const at = chunk.indexOf(LF)
      chunks.push(at < 0 ? chunk : chunk.subarray(0, at))
      bytes += chunk.length
      if (at >= 0) {
        settle(succeed(Buffer.concat(chunks)))
        if (at + 1 < chunk.length) stdin.unshift(chunk.subarray(at + 1))
      } else if (bytes > MAX_BYTES) settle(refuse(`it is longer than ${MAX_BYTES} bytes`))
    }
    const end = () => settle(refuse('there is none'))
    const refuseRead = (error: NodeJS.ErrnoException) => settle(fail('read_failed', `cannot read: ${systemReason(error)}`))
    stdin.on('data', take).on('end', end).on('error', refuseRead)
  })

type SpecMessage = Bundle & {
  readonly args?: readonly string[]
  readonly authority?: unknown
  readonly mcp_tools?: unknown
  readonly budget?: unknown
}

const isSpec = (value: unknown): value is SpecMessage => {
  if (typeof value !== 'object' || value === null) return false
  const { entry, files, modules, params = {}, args } = value as Readonly<Record<string, unknown>>
  const isArgs = args === undefined || (Array.isArray(args) && args.every((arg) => typeof arg === 'string'))
  return typeof entry === 'string' && isRecord(files) && isRecord(modules) && isRecord(params) && isArgs
}

// One call on its way through the stages, and the state that all calls of one dispatcher share.

import type { Json } from '@plumb/lang'
import type { Consent } from '@plumb/ledger'
import type { McpServers } from '@plumb/mcp-client'
import type { Authority } from '@plumb/policy'
import type { Fault, Result, SourceFiles, Telemetry } from '@plumb/wire'
import type { JsonText } from '../json-text.js'

export interface Call {
  /** The model's own, or generated; unique within a session. */
  readonly id: string
  /** 0 from the outside; calls made by a composition are one deeper. */
  readonly depth: number
  /** The id of the call that made this one. */
  readonly parent: string | undefined
  /** For a call made by a composition: the id of the call from the outside. */
  readonly whole?: string | undefined
  /** Receives what is left out of a list in its result, if the call is made for an element of another list. */
  readonly leftOut?: ((fault: Fault) => void) | undefined
  /** The message of a run by workers that it is made for. */
  readonly delivery?: string | undefined
  /** Fires when the caller has ended, or the time is up. */
  readonly signal: AbortSignal
  /** For the requests that it makes, where the run is traced. */
  readonly traceparent?: string | undefined
  /** Notes of the stages; read when the call has ended. */
  readonly record: CallRecord
  readonly session: Session
}

export interface CallRecord {
  attempts: number
  cached: boolean
  truncated: boolean
  /** The result is what there was when the time was up. */
  isPartial?: true
  /** What a person put in the place of its input. */
  edited?: JsonText
  readonly repairs: string[]
  readonly stages: StageNote[]
  tokens?: number
  cost?: number
  /** Of a tool of an MCP server. */
  mcp?: McpNote
}

/** How a server of MCP was asked. */
export interface McpNote {
  /** The revision. */
  readonly protocol: string
  readonly transport: 'pipe' | 'tcp'
  readonly host?: string
  readonly port?: number
  /** The id of the request. */
  readonly id?: string
}

/** The place of a call in the trace of its run, as W3C has it. */
export interface CallTrace {
  readonly traceparent: string
  /** The call's own span, as `traceparent` names it; undefined: that of what is around it. */
  readonly span?: string
}

/** What a trace has of a call beside its envelope. */
export interface CallContext extends Pick<CallTrace, 'span'> {
  readonly mcp?: McpNote
}

/** One line of the trace: what a stage did, in the order in which it happened. */
export interface StageNote {
  readonly stage: 'validate' | 'permission' | 'approval' | 'cache' | 'retry' | 'breaker' | 'timeout' | 'run' | 'output'
  readonly note: string
}

/** The envelope of a call (plumb-tools(7), What happens to a call); for `--envelope` and the trace. */
export interface CallEnvelope {
  readonly tool: string
  readonly id: string
  /** The caller, if it is an agent that a tool has started. Result and error are left out for its calls. */
  readonly agent?: string
  /** What it was made with. */
  readonly input: Json
  readonly ok: boolean
  readonly result?: Json
  readonly error?: Fault
  /** Wall clock, ISO 8601. */
  readonly started: string
  readonly ms: number
  readonly attempts: number
  readonly cached: boolean
  readonly truncated: boolean
  readonly repairs: readonly string[]
  readonly stages: readonly StageNote[]
  readonly depth: number
  readonly parent: string | null
  readonly tokens?: number
  readonly cost?: number
}

/** As an agent reports it; `cost` in dollars, if it is known. */
export type AgentUsage = Extract<Telemetry, { kind: 'usage' }> & { readonly agent: string; readonly time: string; readonly cost?: number }

/** A question of an agent whose model is a person. */
export interface AskedQuestion {
  /** Of the call that it belongs to. */
  readonly id: string
  readonly agent: string
  readonly prompt: string
  readonly input: Json
  /** JSON Schema of the answer. */
  readonly schema: unknown
}

/** What all calls of one dispatcher share. */
export interface Session {
  /** Absolute. The files that built-ins may use; the working directory of commands. */
  readonly docroot: string
  /** The compiled texts: handed on to the processes that run parts of the same spec. */
  readonly files: SourceFiles
  /** Read at each call: a renewal replaces it. */
  readonly authority: () => Authority
  /** Asks a person to approve one call. Resolves to false if no person can be asked. */
  readonly approve: (request: ApprovalRequest, signal: AbortSignal) => Promise<Consent>
  /** Asks a person what an agent within a call asks. Undefined: it asks at the terminal. */
  readonly answer?: ((question: AskedQuestion, signal: AbortSignal) => Promise<Result<JsonText>>) | undefined
  /**
   * For a call from the outside that may wait for approval: makes it once it is allowed. Undefined: it is refused if there is no person to
   * ask.
   */
  readonly held?:
    | ((
        request: ApprovalRequest & Required<Pick<ApprovalRequest, 'text'>> & { readonly schema: () => unknown },
        run: (edited?: JsonText) => Promise<Result<JsonText>>,
        signal: AbortSignal,
      ) => Promise<Result<JsonText>>)
    | undefined
  /** Called at the end of each call, including those inside compositions and of agents inside tools. */
  readonly onCall: ((envelope: CallEnvelope, context?: CallContext) => void) | undefined
  /** Called for each call of a run that is traced. */
  readonly trace?: (() => CallTrace | undefined) | undefined
  /** Called for each `usage` that agents in tools report. */
  readonly onUsage?: ((usage: AgentUsage) => void) | undefined
  /** What it costs, if there are prices. */
  readonly costOf?: ((usage: AgentUsage) => number | undefined) | undefined
  /** Options for agents that are started: `--provider P`… */
  readonly agentOptions: readonly string[]
  /** Other programs (--agent-command). */
  readonly agentProgram: string | undefined
  /** The provider and model of the calling agent, for tools that use a model (meta_refine). */
  readonly caller: { readonly provider: string; readonly model: string; readonly endpoint?: string } | undefined
  /** Closed by the code that made the session. */
  readonly servers: McpServers
  /** Results of the parts of a call from the outside, by its id. Undefined: they are not kept. */
  readonly partsOf?: ((id: string) => KeptParts | undefined) | undefined
  /** Monotonic milliseconds; a test may stop the clock. */
  readonly nowMs: () => number
}

/** The kept results of one call, which an interrupted run had begun. */
export interface KeptParts {
  /** Each is given once: that part is not called again. */
  take(tool: string, input: JsonText): Result<JsonText> | undefined
  note(tool: string, input: JsonText, result: Result<JsonText>): void
}

export interface ApprovalRequest {
  readonly id: string
  readonly tool: string
  readonly input: Json
  /** As it was written, where that is known: with all digits of its numbers. */
  readonly text?: JsonText
  /** Why the input that the person gave before cannot be taken. */
  readonly wrong?: string | undefined
}

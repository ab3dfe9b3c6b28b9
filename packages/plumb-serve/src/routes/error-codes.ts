// The error codes that a binding can give, by what it is made of: what belongs to agents, tools or barriers is none of a binding without.

import type { GraphNode } from '@plumb/lang'
import { ERRORS } from '@plumb/wire'
import type { Binding } from '../binding/binding.js'

type Kind = GraphNode['work']['kind']

const of = (codes: string, kinds: readonly Kind[]) => ({ codes: new Set(codes.split(' ')), kinds: new Set<string>(kinds) })

/** Codes that only bindings with such nodes give. */
const OWN = [
  of('context_overflow provider_refused bad_reply answer_refused cache_miss tool_limit memory_changed', ['agent']),
  of('protocol_violation protocol_cut', ['agent', 'conversation']),
  of('patch_invalid context_not_found context_ambiguous unknown_tool unknown_skill no_such_file path_denied', ['agent', 'call']),
  of('file_exists file_changed program_changed address_denied tool_crashed depth_limit breaker_open mcp_dead', ['agent', 'call']),
  of('law_broken approval_required parked in_doubt trace_limit', ['agent', 'call']),
  of('unpaired overflow', ['barrier', 'join', 'batch', 'conversation', 'each', 'choice']),
  of('rejected evaluation_failed', ['map', 'filter', 'fold']),
  // Of other commands.
  of('bad_envelope run_exists not_doubled unknown_port read_failed', []),
]
/** Of the configuration, what a request may meet. */
const OF_CONFIG: ReadonlySet<string> = new Set(['usage', 'cannot_run', 'missing_key'])

/** `nodes`: with those of the plumbs in it. `isSingle`: its inputs name no port. */
export const errorCodesOf = ({ nodes, isSingle }: Pick<Binding, 'nodes' | 'isSingle'>): readonly string[] => {
  const kinds = new Set<string>(nodes.map(({ work }) => work.kind))
  const isLeft = (code: string): boolean =>
    (code === 'unknown_port' && !isSingle) || OWN.every((own) => !own.codes.has(code) || [...own.kinds].some((kind) => kinds.has(kind)))
  return Object.entries(ERRORS).flatMap(([code, { category, meaning }]) => {
    const isTold = category === 'config' ? OF_CONFIG.has(code) : !meaning.startsWith('warning')
    return isTold && isLeft(code) ? [code] : []
  })
}

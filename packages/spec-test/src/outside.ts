// What a test would run outside of a sandbox, ask of models, or give away: only with --live, so that a spec of strangers can be tested.

import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { agentOf, type Bound, type Json, type ToolPlan, toolOf } from '@plumb/lang'
import { builtinEffects } from '@plumb/policy'
import { besideSpec, isRecord, preview } from '@plumb/wire'
import { realInTest } from './test-file.js'

type ToolPackage = typeof import('@plumb/tool/internal')
type Config = { readonly [key: string]: Json }

/** Why the subject is not run, as the end of a sentence about it. Undefined: it may be. */
export const whyOutside = (bound: Bound, { docroot, asksModels }: OutsideOptions, tools: ToolPackage): string | undefined => {
  if (bound.category === 'base') return whyToolOutside(toolOf(bound), docroot, tools)
  if (bound.binding.impl.kind !== 'agent') return undefined
  const { config, specPath } = agentOf(bound)
  const { command, via, sandbox, provider, env, mcp } = config
  if (via !== undefined) return 'it runs elsewhere'
  const place = { docroot, specPath, tools }
  const byServer = (Array.isArray(mcp) ? mcp : []).map((server) => ofServer(server, place)).find((why) => why !== undefined)
  if (byServer !== undefined) return byServer
  if (command !== undefined) return isFilled(env) ? 'it is given variables of your environment' : unboxed(sandbox, place)
  // ELIZA asks nobody.
  return asksModels && provider !== 'eliza' ? 'it asks a model' : undefined
}

export interface OutsideOptions {
  readonly docroot: string
  /** Else their answers are recorded. */
  readonly asksModels: boolean
}

export const whyToolOutside = ({ body, specPath }: ToolPlan, docroot: string, tools: ToolPackage): string | undefined => {
  if (body.kind === 'chain') return undefined
  const place = { docroot, specPath, tools }
  const { source, config } = body
  switch (source) {
    case 'command':
      return unboxed(config.sandbox, place)
    case 'function':
      return (
        farFrom([besideSpec(String(config.function).replace(/#.*$/s, ''), specPath)], place, 'it uses') ?? unboxed(config.sandbox, place)
      )
    case 'mcp':
      return ofServer(config.mcp, place)
    case 'agent':
    case 'process':
      return 'it runs agents'
    case 'builtin':
      return ofBuiltin(config, place)
    case 'spy':
      return config.record === undefined ? undefined : 'it writes to a file of its own'
    default:
      return undefined
  }
}

export const notRun = (name: string, why: string): string => `'${name}' is not run, since ${why}: plumb test --live runs it`

interface Surroundings {
  readonly docroot: string
  readonly specPath: string
  readonly tools: ToolPackage
}

// One that is reached gets the tokens that the spec names, and is whoever the spec says.
const ofServer = (server: Json | undefined, place: Surroundings): string | undefined => {
  if (!isRecord(server)) return undefined
  return server.command === undefined ? 'it reaches a server' : unboxed(server.sandbox as Json | undefined, place)
}

const ofBuiltin = ({ builtin, roots }: Config, place: Surroundings): string | undefined => {
  if (builtinEffects(String(builtin)).includes('model')) return 'it asks a model'
  const paths = Object.values(isRecord(roots) ? roots : {}).map((root) => String(isRecord(root) ? root.path : root))
  return farFrom(paths, place, 'it uses')
}

const unboxed = (sandbox: Json | undefined, place: Surroundings): string | undefined => {
  const why = place.tools.whyNoSandbox(sandbox, place.docroot)
  if (why !== undefined) return `it runs outside a sandbox: ${why}`
  if (!isRecord(sandbox)) return undefined
  const { sockets, read } = sandbox
  if (isFilled(sockets)) return 'its sandbox has sockets of this machine'
  return farFrom(Array.isArray(read) ? read.map(String) : [], place, 'its sandbox reads')
}

const farFrom = (paths: readonly string[], { docroot, specPath }: Surroundings, what: string): string | undefined => {
  const far = paths.find((path) => realInTest(specPath, docroot, fromHome(path) ?? resolve(docroot, path)) === undefined)
  return far === undefined ? undefined : `${what} '${preview(far)}', which is neither below the directory of the spec nor below the docroot`
}

const fromHome = (path: string): string | undefined => (/^~(\/|$)/.test(path) ? join(homedir(), path.slice(1)) : undefined)

const isFilled = (list: unknown): boolean => Array.isArray(list) && list.length > 0

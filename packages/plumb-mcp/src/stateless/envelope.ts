// The `_meta` of a request of revision 2026-07-28: there is no session that would know it.

import { isRecord, preview } from '@plumb/wire'
import { hasForms } from '../server/consent.js'
import { type Level, levelOf } from '../server/level.js'
import type { Params } from '../server/method.js'
import { INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from '../server/rpc-error.js'

export const REVISION = '2026-07-28'

const PREFIX = 'io.modelcontextprotocol/'
/** The extension. */
export const TASKS = `${PREFIX}tasks`
const VERSION = `${PREFIX}protocolVersion`
const CAPABILITIES = `${PREFIX}clientCapabilities`
const LOG_LEVEL = `${PREFIX}logLevel`
export const SERVER_INFO_KEY = `${PREFIX}serverInfo`
export const SUBSCRIPTION_KEY = `${PREFIX}subscriptionId`

export interface RequestEnvelope {
  readonly revision: string
  /** The client can ask a person by a form. */
  readonly canAsk: boolean
  /** It knows tasks. */
  readonly hasTasks: boolean
  /** The lowest level of log messages that it gets. Undefined: none. */
  readonly level: Level | undefined
  readonly progressToken: string | number | undefined
}

/** Whether the request names its revision, known or not. */
export const namesRevision = (params: unknown): boolean => isRecord(params) && isRecord(params._meta) && VERSION in params._meta

/** The revision that it names, if that is a text. */
export const revisionOf = (params: unknown): string | undefined => {
  const revision = isRecord(params) && isRecord(params._meta) ? params._meta[VERSION] : undefined
  return typeof revision === 'string' ? revision : undefined
}

/** Throws an `RpcError` if something is missing or invalid. */
export const readEnvelope = ({ _meta }: Params): RequestEnvelope => {
  const meta = isRecord(_meta) ? _meta : {}
  const { [VERSION]: revision, [CAPABILITIES]: capabilities, [LOG_LEVEL]: level, progressToken } = meta
  if (typeof revision !== 'string') throw lacks(VERSION, 'a revision of the protocol')
  if (revision !== REVISION) {
    const message = `revision '${preview(revision)}' is not known without initialize: ${REVISION} is`
    throw new RpcError(UNSUPPORTED_VERSION, message, { supported: [REVISION], requested: revision })
  }
  if (!isRecord(capabilities)) throw lacks(CAPABILITIES, 'an object')
  if (level !== undefined && !levelOf(level)) throw lacks(LOG_LEVEL, 'one of the levels of syslog, from debug to emergency')
  return {
    revision,
    canAsk: hasForms(capabilities.elicitation),
    hasTasks: isRecord(capabilities.extensions) && isRecord(capabilities.extensions[TASKS]),
    level: levelOf(level),
    progressToken: typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : undefined,
  }
}

const lacks = (key: string, what: string): RpcError =>
  new RpcError(INVALID_PARAMS, `the request has no '${key}' in '_meta': it takes ${what}`)

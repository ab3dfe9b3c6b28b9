// The bearer token: from an environment variable, compared in constant time.

import { timingSafeEqual } from 'node:crypto'
import { fail, type Result, succeed } from '../result.js'
import { addSecret } from '../scrub.js'
import { sha256Of } from '../sha256-of.js'

/** A shorter one could be guessed. */
const MIN_TOKEN_LENGTH = 16

export const readToken = (name: string, env: NodeJS.ProcessEnv = process.env): Result<string> => {
  const token = env[name] ?? ''
  if (token === '') return fail('missing_key', `--token-env names '${name}', and no such variable is in the environment`)
  if (token.length < MIN_TOKEN_LENGTH || !/^[\w.~+/-]+=*$/.test(token)) {
    return fail(
      'missing_key',
      `'${name}' holds no token: it takes ${MIN_TOKEN_LENGTH} characters at least, as 'openssl rand -hex 32' gives them`,
    )
  }
  addSecret(token)
  return succeed(token)
}

export const hasToken = (authorization: string | undefined, token: string): boolean =>
  isSameDigest(sha256Of(bearerOf(authorization) ?? ''), sha256Of(token))

/** The token that a request shows. */
export const bearerOf = (authorization: string | undefined): string | undefined => /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]

/** In constant time. They have one length, whatever the texts have. */
export const isSameDigest = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

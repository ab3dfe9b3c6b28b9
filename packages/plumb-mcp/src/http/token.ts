// The bearer token: from an environment variable, compared in constant time.

import { timingSafeEqual } from 'node:crypto'
import { addSecret, fail, type Result, sha256Of, succeed } from '@plumb/wire'

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

export const hasToken = (authorization: string | undefined, token: string): boolean => {
  const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? []
  return timingSafeEqual(digest(given), digest(token))
}

// They have one length, whatever the texts have.
const digest = (text: string): Buffer => Buffer.from(sha256Of(text))

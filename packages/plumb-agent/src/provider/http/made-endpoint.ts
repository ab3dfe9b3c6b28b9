// The address of an account whose URL is made of environment variables.

import { type Account, type Fault, fault, preview, variablesIn } from '@plumb/wire'

export interface MadeEndpoint {
  /** Undefined: a variable is missing. */
  readonly url: string | undefined
  /** The names of the missing ones. */
  readonly missing: readonly string[]
  /** A value that is no part of a URL. */
  readonly wrong: Fault | undefined
}

type Env = Readonly<Record<string, string | undefined>>

export const madeEndpoint = ({ endpoint }: Pick<Account, 'endpoint'>, env: Env): MadeEndpoint => {
  let url = endpoint
  const missing = new Set<string>()
  let wrong: Fault | undefined
  for (const names of variablesIn(endpoint)) {
    const name = names.find((one) => valueOf(one, env) !== '')
    if (name === undefined) {
      missing.add(names[0] as string)
      continue
    }
    const value = valueOf(name, env)
    const isWhole = url.startsWith('{')
    if (!isWhole && !/^[a-z0-9][a-z0-9:.-]*$/i.test(value))
      wrong ??= fault('config_invalid', `${name} is '${preview(value)}', which is not a part of a URL`)
    url = url.replace(`{${names.join('|')}}`, () => value)
  }
  if (missing.size > 0) return { url: undefined, missing: [...missing], wrong }
  // The resource may be named with the path of its API.
  const whole = url
    .replace(/\/openai(?:\/v1)?\/openai\/v1$/, '/openai/v1')
    .replace('//global-', '//')
    // Google's locations of several regions have hosts of another form.
    .replace(/\/\/(us|eu)-aiplatform\./, '//aiplatform.$1.rep.')
  return { url: whole, missing: [], wrong }
}

const valueOf = (name: string, env: Env): string => (env[name] ?? '').trim().replace(/\/+$/, '')

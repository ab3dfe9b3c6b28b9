// The proxies that variables of the environment name, in either case of their letters, as other programs read them.

/** ALL_PROXY applies to both where they have none of their own; NO_PROXY is read by undici itself. Undefined: there are none. */
export const proxiesOf = (env: NodeJS.ProcessEnv): { httpProxy?: string; httpsProxy?: string } | undefined => {
  const any = env.all_proxy || env.ALL_PROXY
  const httpProxy = env.http_proxy || env.HTTP_PROXY || any
  const httpsProxy = env.https_proxy || env.HTTPS_PROXY || any
  if (!httpProxy && !httpsProxy) return undefined
  return { ...(httpProxy ? { httpProxy } : {}), ...(httpsProxy ? { httpsProxy } : {}) }
}
